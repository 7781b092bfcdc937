// How a gateway says on exactly `/check` which request it asks about.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace wafd::ingest {

enum class CheckDialect : std::uint8_t {
  kForwarded,  // X-Forwarded-Method, -Uri, -Host, -Proto, -For: Traefik, Caddy, APISIX
  kOriginal,   // X-Original-URI, X-Original-Method: nginx auth_request
  kCrowdsec,   // X-Crowdsec-Appsec-*, with a key
};

const char* to_string(CheckDialect) noexcept;  // "forwarded" | "original" | "crowdsec"
std::optional<CheckDialect> parse_check_dialect(std::string_view) noexcept;

}  // namespace wafd::ingest
