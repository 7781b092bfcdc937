#include <algorithm>
#include <map>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "console/base/strict_json.h"
#include "console/settings/old_settings.h"
#include "console/settings/policy_json.h"
#include "console/settings/store.h"
#include "detect/core/bytes.h"
#include "detect/signatures/signatures.h"
#include "json/object_reader.h"

namespace wafd::console {
namespace {

// Reads each object of the list `name` by `read(object) -> Result<T>` into `out`.
template <class T, class Read>
void read_list(ObjectReader& root, std::string_view name, std::size_t max, std::vector<T>& out, Read read) {
  const boost::json::array* list = root.array(name, max);
  if (list == nullptr) return;
  for (std::size_t i = 0; i < list->size() && root.ok(); ++i) {
    const boost::json::object* object = (*list)[i].if_object();
    if (object == nullptr) {
      root.fail_with({ErrorCode::kInvalid, 0, fmt::format("{}[{}]: expected an object", name, i)});
      return;
    }
    auto item = read(*object);
    if (!item) {
      root.fail_with({item.error().code, 0, fmt::format("{}[{}].{}", name, i, item.error().what)});
      return;
    }
    out.push_back(std::move(*item));
  }
}

// The member that an object's own parser does not read.
Result<std::string> id_of(const boost::json::object& object, std::string_view name, bool digits) {
  const boost::json::value* value = object.if_contains(name);
  const boost::json::string* text = value == nullptr ? nullptr : value->if_string();
  const bool good = text != nullptr && !text->empty() && text->size() <= 64 &&
                    std::all_of(text->begin(), text->end(), [&](char c) {
                      return is_digit(c) || (!digits && (is_lower(c) || c == '-'));
                    });
  if (!good)
    return fail(ErrorCode::kInvalid,
                fmt::format("{}: expected 1 to 64 {}", name, digits ? "digits" : "of a-z, 0-9 and -"));
  return std::string(text->data(), text->size());
}

template <class T>
Result<void> unique(const std::vector<T>& items, std::string T::*id, std::string_view list) {
  std::vector<std::string_view> ids;
  ids.reserve(items.size());
  for (const T& item : items) ids.push_back(item.*id);
  std::sort(ids.begin(), ids.end());
  const auto twice = std::adjacent_find(ids.begin(), ids.end());
  if (twice == ids.end()) return {};
  return fail(ErrorCode::kInvalid, fmt::format("{}: expected ids that differ, got {} twice", list, *twice));
}

boost::json::object rule_json(const OwnRule& rule) {
  boost::json::object out = rule.rule;
  out["enabled"] = rule.enabled;
  return out;
}

template <class T>
boost::json::array list_of(const std::vector<T>& items) {
  boost::json::array out;
  for (const T& item : items) out.emplace_back(to_json(item));
  return out;
}

Result<OwnRule> read_rule(const boost::json::object& object) {
  OwnRule out;
  const auto id = id_of(object, "id", false);
  if (!id) return tl::unexpected(id.error());
  out.id = *id;
  out.rule = object;
  if (const boost::json::value* enabled = object.if_contains("enabled")) {
    if (!enabled->is_bool()) return fail(ErrorCode::kInvalid, "enabled: expected true or false");
    out.enabled = enabled->get_bool();
    out.rule.erase("enabled");
  }
  return out;
}

// Also those that are switched off: they must be sound once they are switched on.
Result<void> check_rules(std::vector<OwnRule> rules) {
  for (OwnRule& rule : rules) rule.enabled = true;
  std::vector<detect::Signature> signatures;
  return detect::load_signatures("rules", rule_file(rules), signatures);
}

}  // namespace

Result<void> check_channels(const forward::AlertSettings& alert,
                            const std::vector<forward::ChannelSettings>& channels) {
  for (std::size_t i = 0; i < alert.channels.size(); ++i) {
    const bool known = std::any_of(channels.begin(), channels.end(),
                                   [&](const auto& channel) { return channel.id == alert.channels[i]; });
    if (!known)
      return fail(ErrorCode::kInvalid, fmt::format("channels[{}]: expected the id of a channel", i));
  }
  return {};
}

std::string rule_file(const std::vector<OwnRule>& rules) {
  std::string out = "{\"rules\":[";
  bool first = true;
  for (const OwnRule& rule : rules) {
    if (!rule.enabled) continue;
    out += first ? "\n" : ",\n";
    out += boost::json::serialize(rule.rule);
    first = false;
  }
  return out + "\n]}\n";
}

void add_default_site(detect::PolicySettings& policy) {
  const bool there = std::any_of(policy.sites.begin(), policy.sites.end(),
                                 [](const detect::SiteSettings& site) { return site.uuid == "0"; });
  if (there) return;
  detect::SiteSettings site;
  site.uuid = "0";
  site.name = "Default site";
  policy.sites.insert(policy.sites.begin(), std::move(site));
}

boost::json::object to_json(const Settings& settings, bool with_secrets) {
  boost::json::array targets;
  for (const forward::TargetSettings& target : settings.targets) {
    targets.emplace_back(forward::to_json(target, with_secrets));
  }
  boost::json::object document;
  document["format"] = 1;
  document["version"] = settings.version;
  document["saved_ms"] = settings.saved_ms;
  document["author"] = settings.author;
  document["sites"] = list_of(settings.policy.sites);
  document["exceptions"] = list_of(settings.policy.exceptions);
  document["lists"] = list_of(settings.policy.lists);
  document["targets"] = std::move(targets);
  boost::json::array rules;
  for (const OwnRule& rule : settings.rules) rules.emplace_back(rule_json(rule));
  document["rules"] = std::move(rules);
  boost::json::array channels;
  for (const forward::ChannelSettings& channel : settings.channels)
    channels.emplace_back(forward::to_json(channel, with_secrets));
  document["channels"] = std::move(channels);
  document["alerts"] = list_of(settings.alerts);
  document["system"] = to_json(settings.system);
  document["oidc"] = to_json(settings.oidc, with_secrets);
  return document;
}

namespace {

Result<boost::json::object> document_of(std::string_view text) {
  boost::system::error_code error;
  boost::json::value document = boost::json::parse({text.data(), text.size()}, error);
  if (error) return fail(ErrorCode::kInvalid, "no sound JSON: " + error.message());
  if (!document.is_object()) return fail(ErrorCode::kInvalid, "expected one JSON object");
  if (auto twice = member_given_twice(text)) return tl::unexpected(std::move(*twice));
  return std::move(document.get_object());
}

Result<void> entries_differ(const std::vector<detect::ListEntry>& lists) {
  std::map<std::pair<detect::ListKind, std::string_view>, std::size_t> seen;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const auto placed = seen.emplace(std::pair(lists[i].kind, std::string_view(lists[i].cidr)), i);
    if (!placed.second)
      return fail(
          ErrorCode::kInvalid,
          fmt::format("lists[{}].cidr: expected entries that differ, lists[{}] has {} on the {} list too", i,
                      placed.first->second, lists[i].cidr, to_string(lists[i].kind)));
  }
  return {};
}

void read_policy(ObjectReader& root, detect::PolicySettings& policy) {
  read_list(root, "sites", kMaxSites, policy.sites,
            [](const boost::json::object& object) -> Result<detect::SiteSettings> {
              detect::SiteSettings site;
              auto id = id_of(object, "uuid", true);
              if (!id) return tl::unexpected(id.error());
              site.uuid = std::move(*id);
              return parse_site(object, std::move(site));
            });
  read_list(root, "exceptions", kMaxExceptions, policy.exceptions,
            [](const boost::json::object& object) -> Result<detect::ExceptionSettings> {
              detect::ExceptionSettings exception;
              auto id = id_of(object, "id", false);
              if (!id) return tl::unexpected(id.error());
              exception.id = std::move(*id);
              const auto* author = object.if_contains("author");
              if (author != nullptr && author->is_string())
                exception.author.assign(author->get_string().data(), author->get_string().size());
              return parse_exception(object, std::move(exception));
            });
  read_list(root, "lists", kMaxLists, policy.lists,
            [](const boost::json::object& object) -> Result<detect::ListEntry> {
              detect::ListEntry entry;
              auto id = id_of(object, "id", false);
              if (!id) return tl::unexpected(id.error());
              entry.id = std::move(*id);
              return parse_list_entry(object, std::move(entry));
            });
}

// The object of that id in what was before; null if there is none.
template <class T>
const T* present_of(const std::vector<T>* previous, std::string_view id) {
  if (previous != nullptr)
    for (const T& item : *previous)
      if (item.id == id) return &item;
  return nullptr;
}

void read_channels(ObjectReader& root, const std::vector<forward::ChannelSettings>* previous,
                   std::vector<forward::ChannelSettings>& channels) {
  const auto read = [previous](const boost::json::object& object) -> Result<forward::ChannelSettings> {
    const auto id = id_of(object, "id", false);
    if (!id) return tl::unexpected(id.error());
    return forward::parse_channel(object, present_of(previous, *id));
  };
  read_list(root, "channels", forward::kMaxChannels, channels, read);
}

void read_alerts(ObjectReader& root, std::vector<forward::AlertSettings>& alerts) {
  const auto read = [](const boost::json::object& object) -> Result<forward::AlertSettings> {
    const auto id = id_of(object, "id", false);
    if (!id) return tl::unexpected(id.error());
    return forward::parse_alert(object);
  };
  read_list(root, "alerts", forward::kMaxAlerts, alerts, read);
}

void read_targets(ObjectReader& root, const std::vector<forward::TargetSettings>* previous,
                  std::vector<forward::TargetSettings>& targets) {
  const auto read = [previous](const boost::json::object& object) -> Result<forward::TargetSettings> {
    const auto id = id_of(object, "id", false);
    if (!id) return tl::unexpected(id.error());
    return forward::parse_target(object, present_of(previous, *id));
  };
  read_list(root, "targets", kMaxTargets, targets, read);
}

Result<void> channels_exist(const Settings& settings) {
  for (std::size_t i = 0; i < settings.alerts.size(); ++i)
    if (auto good = check_channels(settings.alerts[i], settings.channels); !good)
      return fail(good.error().code, fmt::format("alerts[{}].{}", i, good.error().what));
  return {};
}

// Checks that span several objects: ids and list entries differ, all rules compile.
Result<void> check_all(const Settings& settings) {
  const Result<void> checks[] = {
      check_rules(settings.rules),
      unique(settings.policy.sites, &detect::SiteSettings::uuid, "sites"),
      unique(settings.policy.exceptions, &detect::ExceptionSettings::id, "exceptions"),
      unique(settings.policy.lists, &detect::ListEntry::id, "lists"),
      unique(settings.targets, &forward::TargetSettings::id, "targets"),
      unique(settings.channels, &forward::ChannelSettings::id, "channels"),
      unique(settings.alerts, &forward::AlertSettings::id, "alerts"),
      channels_exist(settings),
      entries_differ(settings.policy.lists)};
  for (const auto& check : checks) {
    if (!check) return check;
  }
  return {};
}

Result<Settings> read_settings(const boost::json::object& document, const Settings* previous) {
  Settings settings;
  ObjectReader root(document);
  std::int64_t format = 0;
  std::int64_t version = 0;
  root.require("format").integer("format", format, 1, 1);
  root.integer("version", version, 0, std::int64_t{1} << 52);
  root.integer("saved_ms", settings.saved_ms, 0, std::int64_t{1} << 52)
      .text("author", settings.author, 0, 128);
  settings.version = static_cast<std::uint64_t>(version);

  read_policy(root, settings.policy);
  read_targets(root, previous == nullptr ? nullptr : &previous->targets, settings.targets);
  read_list(root, "rules", kMaxOwnRules, settings.rules, read_rule);
  read_channels(root, previous == nullptr ? nullptr : &previous->channels, settings.channels);
  read_alerts(root, settings.alerts);
  if (const boost::json::object* object = root.object("system")) {
    auto system = parse_system(*object);
    if (!system) return fail(system.error().code, "system." + system.error().what);
    settings.system = std::move(*system);
  }
  if (const boost::json::object* object = root.object("oidc")) {
    auto oidc = parse_oidc(*object, previous == nullptr ? nullptr : &previous->oidc);
    if (!oidc) return fail(oidc.error().code, "oidc." + oidc.error().what);
    settings.oidc = std::move(*oidc);
  }
  if (auto good = root.finish(); !good) return tl::unexpected(good.error());

  if (auto good = check_all(settings); !good) return tl::unexpected(good.error());
  add_default_site(settings.policy);
  return settings;
}

}  // namespace

Result<Settings> parse_settings(std::string_view text, const Settings* previous) {
  const auto document = document_of(text);
  if (!document) return tl::unexpected(document.error());
  return read_settings(*document, previous);
}

Result<Settings> parse_stored_settings(std::string_view text, std::vector<std::string>& notes) {
  auto document = document_of(text);
  if (!document) return tl::unexpected(document.error());
  bring_up_to_date(*document, notes);
  return read_settings(*document, nullptr);
}

}  // namespace wafd::console
