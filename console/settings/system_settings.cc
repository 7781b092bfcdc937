#include "console/settings/system_settings.h"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "console/base/object_reader.h"
#include "detect/core/ip_address.h"
#include "forward/format/zone_time.h"

namespace wafd::console {
namespace {

constexpr std::size_t kMaxCidrBytes = 64;
constexpr std::size_t kMaxZoneBytes = 64;
constexpr int kWideBitsV4 = 8;  // no network of one's own is wider than 10.0.0.0/8
constexpr int kWideBitsV6 = 16;

bool is_set(const boost::json::object& object, std::string_view name) {
  const boost::json::value* there = object.if_contains(name);
  return there != nullptr && !there->is_null();
}

// Safe to repeat in a message.
std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text) out += c >= 0x20 && c < 0x7f ? c : '?';
  return out;
}

boost::json::array list_of(const std::vector<std::string>& texts) {
  return boost::json::array(texts.begin(), texts.end());
}

boost::json::value or_null(const std::optional<std::string>& text) {
  return text ? boost::json::value(*text) : boost::json::value();
}

}  // namespace

SystemValues in_force(const SystemSettings& settings, const SystemValues& configured) {
  return {settings.trusted_proxies.value_or(configured.trusted_proxies),
          settings.time_zone.value_or(configured.time_zone),
          settings.geoip_database.value_or(configured.geoip_database)};
}

Result<SystemSettings> parse_system(const boost::json::object& object) {
  SystemSettings out;
  ObjectReader reader(object);
  for (const char* name :
       {"etag", "configured", "warnings", "trusted_proxies", "time_zone", "geoip_database"})
    reader.ignore(name);
  if (is_set(object, "trusted_proxies")) {
    std::vector<std::string>& proxies = out.trusted_proxies.emplace();
    reader.texts("trusted_proxies", proxies, kMaxTrustedProxies, 1, kMaxCidrBytes);
    for (std::size_t i = 0; reader.ok() && i < proxies.size(); ++i) {
      const auto cidr = Cidr::parse(proxies[i]);
      if (!cidr)
        reader.fail_with(
            {ErrorCode::kInvalid, 0,
             fmt::format(
                 "trusted_proxies[{}]: expected an address or a network such as 10.0.0.0/8, got \"{}\"", i,
                 printable(proxies[i]))});
    }
  }
  if (is_set(object, "time_zone")) reader.text("time_zone", out.time_zone.emplace(), 1, kMaxZoneBytes);
  if (is_set(object, "geoip_database")) {
    std::string& path = out.geoip_database.emplace();
    reader.text("geoip_database", path, 0, kMaxPathBytes);
    if (reader.ok() && (path.find('\0') != std::string::npos || (!path.empty() && path[0] != '/')))
      reader.refuse("geoip_database", "a path that begins with /, or nothing");
  }
  if (auto good = reader.finish(); !good) return tl::unexpected(good.error());
  return out;
}

boost::json::object to_json(const SystemSettings& settings) {
  return {
      {"trusted_proxies", settings.trusted_proxies ? boost::json::value(list_of(*settings.trusted_proxies))
                                                   : boost::json::value()},
      {"time_zone", or_null(settings.time_zone)},
      {"geoip_database", or_null(settings.geoip_database)}};
}

boost::json::object to_json(const SystemValues& values) {
  return {{"trusted_proxies", list_of(values.trusted_proxies)},
          {"time_zone", values.time_zone},
          {"geoip_database", values.geoip_database}};
}

std::vector<std::string> system_warnings(const SystemValues& values) {
  std::vector<std::string> out;
  for (const std::string& text : values.trusted_proxies) {
    const auto cidr = Cidr::parse(text);
    if (!cidr) continue;
    const int bits = cidr->is_v4() ? cidr->prefix_bits - 96 : cidr->prefix_bits;
    if (bits >= (cidr->is_v4() ? kWideBitsV4 : kWideBitsV6)) continue;
    out.push_back(fmt::format(
        "trusted_proxies: {} holds {} {} addresses: whoever asks from one of them says which client address "
        "is recorded, and which lists and rules of addresses apply",
        cidr->text(), bits == 0 ? "all" : "a large part of all", cidr->is_v4() ? "IPv4" : "IPv6"));
  }
  return out;
}

Result<void> check_system(const SystemSettings& settings) {
  if (!settings.time_zone || forward::ZoneTime::of(*settings.time_zone)) return {};
  return fail(ErrorCode::kInvalid,
              "time_zone: expected an IANA name that this machine knows, such as Europe/Lisbon, or UTC");
}

}  // namespace wafd::console
