#include "ingest/io/geoip.h"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <maxminddb.h>
#include <netinet/in.h>
#include <sys/stat.h>

#include "detect/core/ip_address.h"

namespace wafd::ingest {
namespace {

template <class... Path>
std::string text_at(MMDB_entry_s& entry, Path... path) {
  MMDB_entry_data_s data{};
  if (MMDB_get_value(&entry, &data, path..., nullptr) != MMDB_SUCCESS) return {};
  if (!data.has_data || data.type != MMDB_DATA_TYPE_UTF8_STRING) return {};
  return std::string(data.utf8_string, data.data_size);
}

}  // namespace

Result<std::shared_ptr<const GeoIp>> GeoIp::open(const std::string& path) {
  const auto refused = [&path](const char* why) {
    return fail(ErrorCode::kIo, fmt::format("{}: {}; expected a MaxMind DB file", path, why));
  };
  struct stat there {};
  if (::stat(path.c_str(), &there) != 0) return refused(std::strerror(errno));
  if (!S_ISREG(there.st_mode)) return refused("no regular file");  // opening a pipe would wait for its writer
  auto database = std::make_unique<MMDB_s>();
  const int status = MMDB_open(path.c_str(), MMDB_MODE_MMAP, database.get());
  if (status != MMDB_SUCCESS) return refused(MMDB_strerror(status));
  return std::shared_ptr<const GeoIp>(new GeoIp(std::move(database)));
}

std::string GeoIp::type() const { return database_->metadata.database_type; }

std::int64_t GeoIp::built_s() const { return static_cast<std::int64_t>(database_->metadata.build_epoch); }

GeoIp::GeoIp(std::unique_ptr<MMDB_s> database) : database_(std::move(database)) {}

GeoIp::~GeoIp() { MMDB_close(database_.get()); }

std::optional<MMDB_entry_s> GeoIp::entry_of(std::string_view ip) const {
  const auto address = IpAddress::parse(ip);
  if (!address) return std::nullopt;
  sockaddr_in6 v6{};
  sockaddr_in v4{};
  const sockaddr* where = nullptr;
  if (address->is_v4()) {
    v4.sin_family = AF_INET;
    std::memcpy(&v4.sin_addr, address->bytes.data() + 12, 4);
    where = reinterpret_cast<const sockaddr*>(&v4);
  } else {
    v6.sin6_family = AF_INET6;
    std::memcpy(&v6.sin6_addr, address->bytes.data(), 16);
    where = reinterpret_cast<const sockaddr*>(&v6);
  }
  int status = MMDB_SUCCESS;
  const MMDB_lookup_result_s result = MMDB_lookup_sockaddr(database_.get(), where, &status);
  if (status != MMDB_SUCCESS || !result.found_entry) return std::nullopt;
  return result.entry;
}

detect::SourcePlace GeoIp::find(std::string_view ip) const {
  auto entry = entry_of(ip);
  if (!entry) return {};
  detect::SourcePlace place;
  place.country = text_at(*entry, "country", "iso_code");
  if (place.country.empty()) place.country = text_at(*entry, "country_code");  // flat layouts
  place.province = text_at(*entry, "subdivisions", "0", "names", "en");
  if (place.province.empty()) place.province = text_at(*entry, "state1");
  place.city = text_at(*entry, "city", "names", "en");
  if (place.city.empty()) place.city = text_at(*entry, "city");
  return place;
}

SourceNetwork GeoIp::find_network(std::string_view ip) const {
  auto entry = entry_of(ip);
  if (!entry) return {};
  SourceNetwork network;
  MMDB_entry_data_s number{};
  if (MMDB_get_value(&*entry, &number, "autonomous_system_number", nullptr) == MMDB_SUCCESS &&
      number.has_data && number.type == MMDB_DATA_TYPE_UINT32)
    network.number = number.uint32;
  network.name = text_at(*entry, "autonomous_system_organization");
  return network;
}

}  // namespace wafd::ingest
