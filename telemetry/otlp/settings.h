// Where metrics and logs are sent by OTLP: keys otlp.* of the configuration. Errors begin with the key.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "detect/core/error.h"

namespace wafd::telemetry {

struct OtlpSettings {
  std::string endpoint;      // URL without /v1/…; empty: nothing is sent
  std::string headers_file;  // lines "Name: value"; empty: none
  std::string ca;            // PEM file; empty: the system's
  std::int64_t interval_s = 60;
  bool metrics = true;
  bool logs = true;
  bool gzip = true;

  bool on() const noexcept { return !endpoint.empty() && (metrics || logs); }
};

using OtlpHeaders = std::vector<std::pair<std::string, std::string>>;

// The address alone; files are looked at by read_otlp_headers() and whoever connects.
Result<void> check_otlp(const OtlpSettings& settings);
// The endpoint without slashes at its end, and `path` behind it.
std::string otlp_url(const OtlpSettings& settings, std::string_view path);

inline constexpr std::size_t kMaxHeadersFileBytes = 64u << 10;
inline constexpr std::size_t kMaxOtlpHeaders = 32;
// Of the text of a headers file; empty lines and those that begin with # are passed over. An error names the
// line, and shows nothing of it: it may be a secret.
Result<OtlpHeaders> parse_otlp_headers(std::string_view text);
// Read anew for each request, so that a token may be replaced. None: no file is set.
Result<OtlpHeaders> read_otlp_headers(const OtlpSettings& settings);

}  // namespace wafd::telemetry
