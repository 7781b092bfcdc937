// Where a source address is and who announces its network, from a MaxMind DB file (City, Country or ASN
// layout, or the flat one of @ip-location-db) that the operator supplies.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "detect/core/error.h"
#include "detect/event_maker.h"

struct MMDB_s;
struct MMDB_entry_s;

namespace wafd::ingest {

// An autonomous system (RFC 4271).
struct SourceNetwork {
  std::uint32_t number = 0;  // 0: not known
  std::string name;
};

// Immutable once open; lookups from any thread. The file is mapped: replace it by renaming, never by writing
// into it.
class GeoIp {
 public:
  // An error names the path and what was expected.
  static Result<std::shared_ptr<const GeoIp>> open(const std::string& path);
  ~GeoIp();
  GeoIp(const GeoIp&) = delete;
  GeoIp& operator=(const GeoIp&) = delete;

  // Country as ISO 3166 code, province (first subdivision) and city by their English names; empty where the
  // database does not know, or `ip` is no address.
  detect::SourcePlace find(std::string_view ip) const;

  SourceNetwork find_network(std::string_view ip) const;  // of an ASN database

  std::string type() const;      // as the file calls itself, "GeoLite2-City"
  std::int64_t built_s() const;  // Unix time

 private:
  std::optional<MMDB_entry_s> entry_of(std::string_view ip) const;
  explicit GeoIp(std::unique_ptr<MMDB_s> database);

  std::unique_ptr<MMDB_s> database_;
};

}  // namespace wafd::ingest
