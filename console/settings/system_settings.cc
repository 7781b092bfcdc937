#include "console/settings/system_settings.h"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "detect/core/ip_address.h"
#include "detect/core/plain_text.h"
#include "forward/format/zone_time.h"
#include "json/object_rows.h"

namespace wafd::console {
namespace {

constexpr std::size_t kMaxCidrBytes = 64;
constexpr std::size_t kMaxZoneBytes = 64;
constexpr int kWideBitsV4 = 8;  // no network of one's own is wider than 10.0.0.0/8
constexpr int kWideBitsV6 = 16;

boost::json::array text_list(const std::vector<std::string>& texts) {
  return boost::json::array(texts.begin(), texts.end());
}

void check_proxies(ObjectReader& reader, SystemSettings& system) {
  if (!system.trusted_proxies) return;
  for (std::size_t i = 0; reader.ok() && i < system.trusted_proxies->size(); ++i) {
    const std::string& text = (*system.trusted_proxies)[i];
    if (!Cidr::parse(text))
      reader.fail_with(
          fmt::format("trusted_proxies[{}]: expected an address or a network such as 10.0.0.0/8, got \"{}\"",
                      i, printable_ascii(text)));
  }
}

void check_database(ObjectReader& reader, SystemSettings& system) {
  if (!system.geoip_database) return;
  const std::string& path = *system.geoip_database;
  if (path.find('\0') != std::string::npos || (!path.empty() && path[0] != '/'))
    reader.refuse("geoip_database", "a path that begins with /, or nothing");
}

void check_roles(ObjectReader& reader, SystemSettings& system) {
  if (!system.second_factor_roles) return;
  for (const std::string& role : *system.second_factor_roles)
    if (role != "viewer" && role != "operator" && role != "admin")
      reader.refuse("second_factor_roles", "a list of viewer, operator and admin");
}

constexpr ObjectRow<SystemSettings> kSystem[] = {
    rows::texts<&SystemSettings::trusted_proxies>(
        "trusted_proxies", kMaxTrustedProxies, 1, kMaxCidrBytes,
        published("CIDR; from these X-Forwarded-For and the like are believed. Empty: from loopback."))
        .checked(check_proxies),
    rows::text<&SystemSettings::time_zone>("time_zone", 1, kMaxZoneBytes,
                                           published("IANA name, of times in events and messages.")),
    rows::text<&SystemSettings::geoip_database>("geoip_database", 0, kMaxPathBytes,
                                                published("Absolute path of a MaxMind DB file; empty: none."))
        .checked(check_database),
    rows::texts<&SystemSettings::second_factor_roles>(
        "second_factor_roles", 3, 1, 16,
        published(
            "Roles (viewer, operator, admin) of users who must set up a second factor before anything else."))
        .checked(check_roles),
    rows::answered<SystemSettings>("configured",
                                   R"({"type": "object", "readOnly": true,
            "properties": {"trusted_proxies": {"type": "array", "items": {"type": "string"}},
                           "time_zone": {"type": "string"}, "geoip_database": {"type": "string"}},
            "required": ["trusted_proxies", "time_zone", "geoip_database"]})",
                                   {"The same members as the configuration has them."}),
    rows::answered<SystemSettings>(
        "warnings", R"({"type": "array", "items": {"type": "string"}, "readOnly": true})",
        published("Of what is in force: what is likely a mistake; each begins with the member.")),
    rows::answered<SystemSettings>("etag", R"({"type": "string", "readOnly": true})",
                                   {"Of the answer; sent back as If-Match."}),
};

}  // namespace

SystemValues in_force(const SystemSettings& settings, const SystemValues& configured) {
  return {settings.trusted_proxies.value_or(configured.trusted_proxies),
          settings.time_zone.value_or(configured.time_zone),
          settings.geoip_database.value_or(configured.geoip_database)};
}

Result<SystemSettings> parse_system(const boost::json::object& object) {
  SystemSettings out;
  ObjectReader reader(object);
  read_rows(reader, kSystem, out);
  if (auto good = reader.finish(); !good) return tl::unexpected(good.error());
  return out;
}

boost::json::object to_json(const SystemSettings& settings) { return write_rows(kSystem, settings); }

ObjectDescription describe_system() { return describe_rows(kSystem, true); }

boost::json::object to_json(const SystemValues& values) {
  return {{"trusted_proxies", text_list(values.trusted_proxies)},
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
