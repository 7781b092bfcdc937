#include "console/settings/policy_json.h"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "detect/core/bytes.h"
#include "detect/core/ip_address.h"
#include "detect/policy/glob.h"
#include "json/object_rows.h"

namespace wafd::console {
namespace {

using detect::ExceptionSettings;
using detect::ListEntry;
using detect::ListKind;
using detect::MaskSettings;
using detect::Mode;
using detect::OnLimit;
using detect::OnOversize;
using detect::SiteSettings;

constexpr std::int64_t kMaxExpiry = std::int64_t{1} << 40;

constexpr Choice<Mode> kModes[] = {{"block", Mode::kBlock}, {"monitor", Mode::kMonitor}, {"off", Mode::kOff}};
constexpr Choice<OnLimit> kOnLimits[] = {
    {"pass", OnLimit::kPass}, {"monitor", OnLimit::kMonitor}, {"block", OnLimit::kBlock}};
constexpr Choice<OnOversize> kOnOversizes[] = {{"pass", OnOversize::kPass},
                                               {"monitor", OnOversize::kMonitor},
                                               {"block_unless_file", OnOversize::kBlockUnlessFile},
                                               {"block", OnOversize::kBlock}};
constexpr Choice<Sensitivity> kSensitivities[] = {
    {"low", Sensitivity::kLow}, {"balanced", Sensitivity::kBalanced}, {"strict", Sensitivity::kStrict}};
constexpr Choice<ListKind> kListKinds[] = {{"allow", ListKind::kAllow}, {"deny", ListKind::kDeny}};

bool is_host_name(std::string_view text) noexcept {
  std::size_t label = 0;
  for (const char c : text) {
    if (c == '.' && label == 0) return false;
    label = c == '.' ? 0 : label + 1;
    if (!is_alnum(c) && c != '.' && c != '-' && c != '_') return false;
  }
  return label > 0 && text.size() <= detect::HostKey::kMaxBytes;
}

bool is_header_name(std::string_view text) noexcept {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return byte(c) > 0x20 && byte(c) < 0x7f &&
           std::string_view("\"(),/:;<=>?@[\\]{}").find(c) == std::string_view::npos;
  });
}

constexpr std::string_view kHostWords =
    "a host name without port and without a dot at its end (of a name in other letters its form xn--), "
    "*. and a host name, or an address";
constexpr std::size_t kMaxBlockBodyBytes = 16u << 10;
constexpr std::string_view kSensitivityWords = "low, balanced or strict";

void read_sensitivity_by_type(ObjectReader& reader, const ObjectMember&, SiteSettings& site) {
  const boost::json::object* types = reader.object("sensitivity_by_type");
  if (types == nullptr) return;
  std::vector<std::pair<AttackType, std::optional<Sensitivity>>> read;
  for (const auto& member : *types) {
    const std::string_view name = member.key();
    const auto type = parse_attack_type(name);
    if (!type) {
      reader.fail_with("sensitivity_by_type: expected names of attack types only");
      return;
    }
    const boost::json::string* text = member.value().if_string();
    const std::string_view word =
        text == nullptr ? std::string_view() : std::string_view(text->data(), text->size());
    const auto sensitivity = parse_sensitivity(word);
    if (!sensitivity && word != "off") {
      reader.fail_with(fmt::format("sensitivity_by_type.{}: expected {}, or off", name, kSensitivityWords));
      return;
    }
    read.emplace_back(*type, sensitivity);
  }
  site.sensitivity_by_type = std::move(read);
}

boost::json::value sensitivity_by_type_json(const SiteSettings& site) {
  boost::json::object types;
  for (const auto& [type, sensitivity] : site.sensitivity_by_type)
    types[wafd::to_string(type)] = sensitivity ? wafd::to_string(*sensitivity) : "off";
  return types;
}

void check_hosts(ObjectReader& reader, SiteSettings& site) {
  for (std::size_t i = 0; i < site.hosts.size() && reader.ok(); ++i) {
    if (auto host = host_pattern(site.hosts[i])) {
      site.hosts[i] = std::move(*host);
    } else {
      reader.fail_with(fmt::format("hosts[{}]: expected {}", i, kHostWords));
    }
  }
}

void check_session_cookie(ObjectReader& reader, SiteSettings& site) {
  if (!site.session_cookie.empty() && !is_header_name(site.session_cookie))
    reader.refuse("session_cookie", "the name of a cookie");
}

void check_host(ObjectReader& reader, ExceptionSettings& exception) {
  if (exception.host.empty()) return;
  auto host = host_pattern(exception.host);
  if (host) exception.host = std::move(*host);
  if (!host) reader.refuse("host", std::string(kHostWords));
}

void check_location(ObjectReader& reader, ExceptionSettings& exception) {
  static constexpr Location kLocations[] = {Location::kUrlPath, Location::kQuery, Location::kHeader,
                                            Location::kCookie,  Location::kBody,  Location::kFile};
  const std::string& text = exception.location;
  const bool known =
      text.empty() || std::any_of(std::begin(kLocations), std::end(kLocations), [&](Location l) {
        return text == to_string(l, false) || text == to_string(l, true);
      });
  if (!known)
    reader.refuse("location", "urlpath, query, header, cookie, body or file, or one of them with _name");
}

void read_attack_type(ObjectReader& reader, const ObjectMember& member, ExceptionSettings& exception) {
  const boost::json::value* type = reader.value(member.name);
  if (type == nullptr) return;
  if (type->is_null()) {
    exception.attack_type.reset();
    return;
  }
  AttackType parsed = AttackType::kCustom;
  reader.choice(member.name, parsed, parse_attack_type, "an attack type, or null");
  exception.attack_type = parsed;
}

boost::json::value attack_type_json(const ExceptionSettings& exception) {
  if (!exception.attack_type) return {};
  return wafd::to_string(*exception.attack_type);
}

void check_cidr(ObjectReader& reader, ListEntry& entry) {
  if (const auto cidr = Cidr::parse(entry.cidr)) {
    entry.cidr = cidr->text();
  } else {
    reader.refuse("cidr", "an IPv4 or IPv6 address or prefix, such as 192.0.2.0/24");
  }
}

// --- the members, in the order in which they are written --------------------------------------------------

constexpr std::string_view kEtagSchema = R"({"type": "string", "readOnly": true})";
constexpr Help kEtagHelp{"Of the answer; sent back as If-Match, so that nobody's change is overwritten."};

constexpr ObjectRow<MaskSettings> kMask[] = {
    rows::texts<&MaskSettings::headers>("headers", 64, 1, 128, {"Header fields whose values are masked."}),
    rows::texts<&MaskSettings::cookies>("cookies", 64, 1, 128, {"Cookies whose values are masked."}),
    rows::texts<&MaskSettings::parameters>("parameters", 256, 1, 256,
                                           {"Parameters of query and body whose values are masked."}),
    rows::boolean<&MaskSettings::card_numbers>("card_numbers",
                                               {"Whether numbers of payment cards are masked."}),
};

void read_mask(ObjectReader& reader, const ObjectMember& member, SiteSettings& site) {
  const boost::json::object* mask = reader.object(member.name);
  if (mask == nullptr) return;
  ObjectReader inner(*mask, "mask.");
  read_rows(inner, kMask, site.mask);
  inner.finish_into(reader);
}

constexpr ObjectRow<SiteSettings> kSite[] = {
    rows::text<&SiteSettings::uuid>("uuid", 1, 64, {"Digits, given by wafd; 0 is the default site."})
        .made_by(MadeBy::kCaller),
    rows::plain<&SiteSettings::name>("name", 1, kMaxNameBytes, false, {"What people call it; required."}),
    rows::text<&SiteSettings::url>("url", 0, 1024, {"Where it is found, for people; in events as site_url."}),
    rows::texts<&SiteSettings::hosts>(
        "hosts", kMaxHostsPerSite, 1, 255,
        {"Names without port, *. and a name, or addresses; empty for the default site alone."})
        .checked(check_hosts),
    rows::word<&SiteSettings::mode, kModes>(
        "mode", "block, monitor or off",
        {"block: attacks are denied; monitor: they are recorded alone; off: nothing is denied or recorded."}),
    rows::word<&SiteSettings::sensitivity, kSensitivities>(
        "sensitivity", kSensitivityWords, {"How little evidence is enough to deny; strict needs least."}),
    rows::other<SiteSettings>(
        "sensitivity_by_type",
        R"({"type": "object", "additionalProperties": {"type": "string", "enum": ["low", "balanced", "strict", "off"]}})",
        read_sensitivity_by_type, sensitivity_by_type_json, {"The same for single attack types."}),
    rows::word<&SiteSettings::on_oversize, kOnOversizes>(
        "on_oversize", "pass, monitor, block_unless_file or block",
        published("Of requests whose body did not come whole: beyond max_body_bytes or what the gateway "
                  "hands over. What "
                  "came is judged all the same. block_unless_file passes those that were cut within an "
                  "uploaded file, also "
                  "one in a form, though fields may follow behind it. A file that is the whole body (a "
                  "picture, film, "
                  "archive) passes always, and a body of which the gateway hands over nothing does. A new "
                  "site blocks at "
                  "balanced and strict and passes at low, unless set.")),
    rows::word<&SiteSettings::on_limit, kOnLimits>(
        "on_limit", "pass, monitor or block",
        published(
            "Of requests in which judging reached a limit, that have more than 4,096 header lines, or "
            "that are in a coding or character set that is not known. A new site blocks them at balanced "
            "and strict and passes them at low, unless set.")),
    rows::texts<&SiteSettings::document_fields>(
        "document_fields", kMaxDocumentFields, 1, kMaxPatternBytes,
        published(
            "Names of body fields that hold documents, patterns as in exceptions: what is found there is "
            "recorded and not denied, but for signatures (m_rule).")),
    rows::text<&SiteSettings::session_cookie>(
        "session_cookie", 0, 128, {"Name of the cookie whose value names a session; empty: none."})
        .checked(check_session_cookie),
    rows::integer<&SiteSettings::block_status>("block_status", 400, 599, published("403 unless set."))
        .range_published(),
    rows::text<&SiteSettings::block_body>(
        "block_body", 0, kMaxBlockBodyBytes,
        published("Empty: the usual JSON. {event_id} stands for the id. Gateways over T1K make the body "
                  "themselves.")),
    rows::other<SiteSettings>(
        "mask", R"("@Mask")", read_mask,
        [](const SiteSettings& site) -> boost::json::value { return write_rows(kMask, site.mask); },
        {"What is masked in events beyond what always is."}),
    rows::answered<SiteSettings>("days", R"({"type": "array", "items": "@SiteDay", "readOnly": true})",
                                 {"Requests of the last days."}),
    rows::answered<SiteSettings>("etag", kEtagSchema, kEtagHelp),
};

constexpr ObjectRow<ExceptionSettings> kException[] = {
    rows::text<&ExceptionSettings::id>("id", 1, 64, {"Given by wafd."}).made_by(MadeBy::kCaller),
    rows::boolean<&ExceptionSettings::enabled>("enabled", {"Whether it is in force."}),
    rows::plain<&ExceptionSettings::comment>("comment", 0, kMaxCommentBytes, true, {"Why it is there."}),
    rows::text<&ExceptionSettings::author>("author", 0, 128, {"Who made it; set by wafd."})
        .made_by(MadeBy::kCaller),
    rows::text<&ExceptionSettings::host>(
        "host", 0, 255,
        published("A name without port, or *. and a name; empty: any, as in the members below."))
        .checked(check_host),
    rows::text<&ExceptionSettings::path>(
        "path", 0, kMaxPatternBytes,
        published("Percent-decoded once; * is any text without a slash, ** any text.")),
    rows::text<&ExceptionSettings::location>(
        "location", 0, 32,
        published("urlpath, query, header, cookie, body or file; with _name behind it: in the name."))
        .checked(check_location),
    rows::text<&ExceptionSettings::name>(
        "name", 0, kMaxPatternBytes,
        published("Of the parameter, header or cookie; * as in paths, items[*].name for every index.")),
    rows::text<&ExceptionSettings::rule_id>("rule_id", 0, 128, {"As in events."}),
    rows::other<ExceptionSettings>("attack_type", R"({"anyOf": ["@AttackType", {"type": "null"}]})",
                                   read_attack_type, attack_type_json,
                                   {"Findings of this type; null: of any."}),
    rows::integer<&ExceptionSettings::expires_s>("expires_s", 0, kMaxExpiry,
                                                 published("Unix seconds, 0: never."))
        .at_least_published(),
    rows::answered<ExceptionSettings>("hits", R"("@Hits")", {"Requests that it had to do with."}),
    rows::answered<ExceptionSettings>("etag", kEtagSchema, kEtagHelp),
};

constexpr ObjectRow<ListEntry> kListEntry[] = {
    rows::text<&ListEntry::id>("id", 1, 64, {"Given by wafd."}).made_by(MadeBy::kCaller),
    rows::word<&ListEntry::kind, kListKinds>("kind", "allow or deny",
                                             {"allow: passed whatever is found; deny: blocked. Required."}),
    rows::text<&ListEntry::cidr>("cidr", 1, 64,
                                 published("An IPv4 or IPv6 address or prefix, such as 192.0.2.0/24."))
        .checked(check_cidr),
    rows::plain<&ListEntry::comment>("comment", 0, kMaxCommentBytes, true, {"Why it is there."}),
    rows::integer<&ListEntry::expires_s>("expires_s", 0, kMaxExpiry, published("Unix seconds, 0: never."))
        .at_least_published(),
    rows::answered<ListEntry>("hits", R"("@Hits")", {"Requests that it had to do with."}),
    rows::answered<ListEntry>("etag", kEtagSchema, kEtagHelp),
};

}  // namespace

std::optional<std::string> host_pattern(std::string_view text) {
  const bool below = text.starts_with("*.");
  if (is_host_name(text.substr(below ? 2 : 0))) return std::string(text);
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  const auto address = below ? std::nullopt : IpAddress::parse(text);
  if (!address) return std::nullopt;
  return address->text();
}

const char* to_string(ListKind kind) noexcept { return kind == ListKind::kAllow ? "allow" : "deny"; }

Result<SiteSettings> parse_site(const boost::json::object& object, SiteSettings from) {
  ObjectReader reader(object);
  const bool made = from.name.empty();
  if (made) reader.require("name");
  read_rows(reader, kSite, from);
  if (auto good = reader.finish(); !good) return tl::unexpected(good.error());
  if (made && !reader.has("on_limit")) from.on_limit = detect::default_on_limit(from.sensitivity);
  if (made && !reader.has("on_oversize")) from.on_oversize = detect::default_on_oversize(from.sensitivity);
  return from;
}

Result<ExceptionSettings> parse_exception(const boost::json::object& object, ExceptionSettings from) {
  ObjectReader reader(object);
  read_rows(reader, kException, from);
  if (reader.ok() && from.host.empty() && from.path.empty() && from.location.empty() && from.name.empty() &&
      from.rule_id.empty() && !from.attack_type) {
    reader.fail_with(
        "path: expected at least one of host, path, location, name, rule_id and attack_type: an exception "
        "without a condition would accept everything");
  }
  if (auto good = reader.finish(); !good) return tl::unexpected(good.error());
  return from;
}

Result<ListEntry> parse_list_entry(const boost::json::object& object, ListEntry from) {
  ObjectReader reader(object);
  if (from.cidr.empty()) reader.require("cidr").require("kind");
  read_rows(reader, kListEntry, from);
  if (auto good = reader.finish(); !good) return tl::unexpected(good.error());
  return from;
}

boost::json::object to_json(const SiteSettings& site) { return write_rows(kSite, site); }
boost::json::object to_json(const ExceptionSettings& exception) { return write_rows(kException, exception); }
boost::json::object to_json(const ListEntry& entry) { return write_rows(kListEntry, entry); }

std::optional<ObjectDescription> describe_policy(std::string_view object) {
  if (object == "Mask") return describe_rows(kMask, false);
  if (object == "Site") return describe_rows(kSite, true);
  if (object == "Exception") return describe_rows(kException, true);
  if (object == "ListEntry") return describe_rows(kListEntry, true);
  return std::nullopt;
}

}  // namespace wafd::console
