#include "console/settings/policy_json.h"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "console/base/object_reader.h"
#include "detect/core/bytes.h"
#include "detect/core/ip_address.h"
#include "detect/policy/glob.h"

namespace wafd::console {
namespace {

using detect::ExceptionSettings;
using detect::ListEntry;
using detect::ListKind;
using detect::Mode;
using detect::OnLimit;
using detect::OnOversize;
using detect::SiteSettings;

constexpr std::int64_t kMaxExpiry = std::int64_t{1} << 40;

template <class Enum>
std::optional<Enum> by_text(std::string_view text, std::initializer_list<Enum> values) noexcept {
  for (const Enum value : values) {
    if (text == to_string(value)) return value;
  }
  return std::nullopt;
}

std::optional<Mode> parse_mode(std::string_view text) noexcept {
  return by_text(text, {Mode::kBlock, Mode::kMonitor, Mode::kOff});
}

std::optional<OnLimit> parse_on_limit(std::string_view text) noexcept {
  return by_text(text, {OnLimit::kPass, OnLimit::kMonitor, OnLimit::kBlock});
}

std::optional<OnOversize> parse_on_oversize(std::string_view text) noexcept {
  return by_text(text,
                 {OnOversize::kPass, OnOversize::kMonitor, OnOversize::kBlockUnlessFile, OnOversize::kBlock});
}

std::optional<ListKind> parse_kind(std::string_view text) noexcept {
  return by_text(text, {ListKind::kAllow, ListKind::kDeny});
}

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

void read_sensitivity_by_type(ObjectReader& reader, SiteSettings& site) {
  const boost::json::object* types = reader.object("sensitivity_by_type");
  if (types == nullptr) return;
  std::vector<std::pair<AttackType, std::optional<Sensitivity>>> read;
  for (const auto& member : *types) {
    const std::string_view name = member.key();
    const auto type = parse_attack_type(name);
    if (!type) {
      reader.fail_with({ErrorCode::kInvalid, 0, "sensitivity_by_type: expected names of attack types only"});
      return;
    }
    const boost::json::string* text = member.value().if_string();
    const std::string_view word =
        text == nullptr ? std::string_view() : std::string_view(text->data(), text->size());
    const auto sensitivity = parse_sensitivity(word);
    if (!sensitivity && word != "off") {
      reader.fail_with({ErrorCode::kInvalid, 0,
                        fmt::format("sensitivity_by_type.{}: expected {}, or off", name, kSensitivityWords)});
      return;
    }
    read.emplace_back(*type, sensitivity);
  }
  site.sensitivity_by_type = std::move(read);
}

boost::json::array texts(const std::vector<std::string>& items) {
  boost::json::array out;
  for (const std::string& item : items) out.emplace_back(item);
  return out;
}

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
  reader.ignore("uuid").ignore("etag").ignore("days");
  const bool made = from.name.empty();
  if (made) reader.require("name");
  reader.plain("name", from.name, 1, kMaxNameBytes).text("url", from.url, 0, 1024);
  reader.texts("hosts", from.hosts, kMaxHostsPerSite, 1, 255);
  for (std::size_t i = 0; i < from.hosts.size() && reader.ok(); ++i) {
    if (auto host = host_pattern(from.hosts[i])) {
      from.hosts[i] = std::move(*host);
    } else {
      reader.fail_with({ErrorCode::kInvalid, 0, fmt::format("hosts[{}]: expected {}", i, kHostWords)});
    }
  }
  reader.choice("mode", from.mode, parse_mode, "block, monitor or off");
  reader.choice("sensitivity", from.sensitivity, parse_sensitivity, kSensitivityWords);
  read_sensitivity_by_type(reader, from);
  if (made) {
    from.on_limit = detect::default_on_limit(from.sensitivity);
    from.on_oversize = detect::default_on_oversize(from.sensitivity);
  }
  reader.choice("on_oversize", from.on_oversize, parse_on_oversize,
                "pass, monitor, block_unless_file or block");
  reader.choice("on_limit", from.on_limit, parse_on_limit, "pass, monitor or block");
  reader.texts("document_fields", from.document_fields, kMaxDocumentFields, 1, kMaxPatternBytes);
  reader.text("session_cookie", from.session_cookie, 0, 128);
  if (reader.ok() && !from.session_cookie.empty() && !is_header_name(from.session_cookie)) {
    reader.refuse("session_cookie", "the name of a cookie");
  }
  reader.integer("block_status", from.block_status, 400, 599);
  reader.text("block_body", from.block_body, 0, kMaxBlockBodyBytes);
  if (const boost::json::object* mask = reader.object("mask")) {
    ObjectReader inner(*mask, "mask.");
    inner.texts("headers", from.mask.headers, 64, 1, 128).texts("cookies", from.mask.cookies, 64, 1, 128);
    inner.texts("parameters", from.mask.parameters, 256, 1, 256)
        .boolean("card_numbers", from.mask.card_numbers);
    if (auto good = inner.finish(); !good) reader.fail_with(good.error());
  }
  if (auto good = reader.finish(); !good) return tl::unexpected(good.error());
  return from;
}

Result<ExceptionSettings> parse_exception(const boost::json::object& object, ExceptionSettings from) {
  ObjectReader reader(object);
  reader.ignore("id").ignore("etag").ignore("author").ignore("hits");
  reader.boolean("enabled", from.enabled).plain("comment", from.comment, 0, kMaxCommentBytes, true);
  reader.text("host", from.host, 0, 255).text("path", from.path, 0, kMaxPatternBytes);
  if (reader.ok() && !from.host.empty()) {
    auto host = host_pattern(from.host);
    if (host) from.host = std::move(*host);
    if (!host) reader.refuse("host", std::string(kHostWords));
  }
  reader.text("location", from.location, 0, 32).text("name", from.name, 0, kMaxPatternBytes);
  static constexpr Location kLocations[] = {Location::kUrlPath, Location::kQuery, Location::kHeader,
                                            Location::kCookie,  Location::kBody,  Location::kFile};
  const bool known =
      from.location.empty() || std::any_of(std::begin(kLocations), std::end(kLocations), [&](Location l) {
        return from.location == to_string(l, false) || from.location == to_string(l, true);
      });
  if (reader.ok() && !known) {
    reader.refuse("location", "urlpath, query, header, cookie, body or file, or one of them with _name");
  }
  reader.text("rule_id", from.rule_id, 0, 128);
  const boost::json::value* type = reader.value("attack_type");
  if (type != nullptr && type->is_null()) {
    from.attack_type.reset();
  } else if (type != nullptr) {
    AttackType parsed = AttackType::kCustom;
    reader.choice("attack_type", parsed, parse_attack_type, "an attack type, or null");
    from.attack_type = parsed;
  }
  reader.integer("expires_s", from.expires_s, 0, kMaxExpiry);
  if (reader.ok() && from.host.empty() && from.path.empty() && from.location.empty() && from.name.empty() &&
      from.rule_id.empty() && !from.attack_type) {
    reader.fail_with(
        {ErrorCode::kInvalid, 0,
         "path: expected at least one of host, path, location, name, rule_id and attack_type: an exception "
         "without a condition would accept everything"});
  }
  if (auto good = reader.finish(); !good) return tl::unexpected(good.error());
  return from;
}

Result<ListEntry> parse_list_entry(const boost::json::object& object, ListEntry from) {
  ObjectReader reader(object);
  reader.ignore("id").ignore("etag").ignore("hits");
  if (from.cidr.empty()) reader.require("cidr").require("kind");
  reader.choice("kind", from.kind, parse_kind, "allow or deny");
  reader.text("cidr", from.cidr, 1, 64).plain("comment", from.comment, 0, kMaxCommentBytes, true);
  if (reader.ok()) {
    if (auto cidr = Cidr::parse(from.cidr); !cidr) {
      reader.refuse("cidr", "an IPv4 or IPv6 address or prefix, such as 192.0.2.0/24");
    } else {
      from.cidr = cidr->text();
    }
  }
  reader.integer("expires_s", from.expires_s, 0, kMaxExpiry);
  if (auto good = reader.finish(); !good) return tl::unexpected(good.error());
  return from;
}

boost::json::object to_json(const SiteSettings& site) {
  boost::json::object types;
  for (const auto& [type, sensitivity] : site.sensitivity_by_type) {
    types[wafd::to_string(type)] = sensitivity ? wafd::to_string(*sensitivity) : "off";
  }
  return {{"uuid", site.uuid},
          {"name", site.name},
          {"url", site.url},
          {"hosts", texts(site.hosts)},
          {"mode", to_string(site.mode)},
          {"sensitivity", wafd::to_string(site.sensitivity)},
          {"sensitivity_by_type", std::move(types)},
          {"on_oversize", to_string(site.on_oversize)},
          {"on_limit", to_string(site.on_limit)},
          {"document_fields", texts(site.document_fields)},
          {"session_cookie", site.session_cookie},
          {"block_status", site.block_status},
          {"block_body", site.block_body},
          {"mask",
           {{"headers", texts(site.mask.headers)},
            {"cookies", texts(site.mask.cookies)},
            {"parameters", texts(site.mask.parameters)},
            {"card_numbers", site.mask.card_numbers}}}};
}

boost::json::object to_json(const ExceptionSettings& exception) {
  boost::json::value type;
  if (exception.attack_type) type = wafd::to_string(*exception.attack_type);
  return {{"id", exception.id},
          {"enabled", exception.enabled},
          {"comment", exception.comment},
          {"author", exception.author},
          {"host", exception.host},
          {"path", exception.path},
          {"location", exception.location},
          {"name", exception.name},
          {"rule_id", exception.rule_id},
          {"attack_type", std::move(type)},
          {"expires_s", exception.expires_s}};
}

boost::json::object to_json(const ListEntry& entry) {
  return {{"id", entry.id},
          {"kind", to_string(entry.kind)},
          {"cidr", entry.cidr},
          {"comment", entry.comment},
          {"expires_s", entry.expires_s}};
}

}  // namespace wafd::console
