#include "console/settings/old_settings.h"

#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "console/settings/policy_json.h"
#include "detect/core/bytes.h"
#include "detect/core/ip_address.h"
#include "detect/core/plain_text.h"
#include "detect/policy/glob.h"
#include "detect/signatures/signatures.h"
#include "forward/query/event_query.h"

namespace wafd::console {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxShownBytes = 80;

std::optional<std::string_view> old_text(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return std::string_view(value->get_string().data(), value->get_string().size());
}

// As it is taken today; nothing: no request has such a host.
std::optional<std::string> host_today(std::string_view text) {
  if (auto host = host_pattern(text)) return host;
  const bool below = text.starts_with("*.");
  return host_pattern(std::string(below ? "*." : "") +
                      std::string(detect::HostKey(text.substr(below ? 2 : 0)).text()));
}

// Calls `keep(object, index)` with each object of the list; false takes it out.
template <class Keep>
void filter_objects(json::object& document, std::string_view name, Keep keep) {
  json::value* value = document.if_contains(name);
  json::array* list = value == nullptr ? nullptr : value->if_array();
  if (list == nullptr) return;
  json::array kept;
  for (std::size_t i = 0; i < list->size(); ++i) {
    json::object* object = (*list)[i].if_object();
    if (object == nullptr || keep(*object, i)) kept.push_back(std::move((*list)[i]));
  }
  *list = std::move(kept);
}

void hosts_of_site(json::object& site, std::size_t at, std::set<std::string>& taken,
                   std::vector<std::string>& notes) {
  json::value* value = site.if_contains("hosts");
  json::array* hosts = value == nullptr ? nullptr : value->if_array();
  if (hosts == nullptr) return;
  json::array kept;
  for (std::size_t i = 0; i < hosts->size(); ++i) {
    const json::string* text = (*hosts)[i].if_string();
    if (text == nullptr) {
      kept.push_back((*hosts)[i]);
      continue;
    }
    const std::string_view before(text->data(), text->size());
    const auto host = host_today(before);
    const auto note = [&](std::string_view words) {
      notes.push_back(fmt::format("sites[{}].hosts[{}]: \"{}\" {}", at, i,
                                  printable_ascii(before, kMaxShownBytes), words));
    };
    if (!host) {
      note("is left out: no request has such a host");
    } else if (!taken.insert(to_lower(*host)).second) {
      note("is left out: a site has it already");
    } else {
      if (*host != before) note("is now " + *host);
      kept.emplace_back(*host);
    }
  }
  *hosts = std::move(kept);
}

// A site of before this was asked passes what a limit left out; said once, however many there are.
void limits_of_site(json::object& site, std::string_view member, std::size_t& passing) {
  if (site.contains(member)) return;
  site[member] = "pass";
  ++passing;
}

bool host_of_exception(json::object& exception, std::size_t at, std::vector<std::string>& notes) {
  const auto text = old_text(exception, "host");
  if (!text || text->empty()) return true;
  const std::string before(*text);
  const auto host = host_today(before);
  if (!host) {
    notes.push_back(fmt::format("exceptions[{}]: is left out: no request has the host \"{}\"", at,
                                printable_ascii(before, kMaxShownBytes)));
    return false;
  }
  if (*host != before)
    notes.push_back(fmt::format("exceptions[{}].host: \"{}\" is now {}", at,
                                printable_ascii(before, kMaxShownBytes), *host));
  exception["host"] = *host;
  return true;
}

bool is_first_entry(const json::object& entry, std::size_t at, std::set<std::string>& taken,
                    std::vector<std::string>& notes) {
  const auto kind = old_text(entry, "kind");
  const auto text = old_text(entry, "cidr");
  const auto cidr = text ? Cidr::parse(*text) : Result<Cidr>(tl::unexpected(Error{}));
  if (!kind || !cidr || taken.insert(std::string(*kind) + " " + cidr->text()).second) return true;
  notes.push_back(fmt::format("lists[{}]: is left out: {} is on the {} list already", at, cidr->text(),
                              printable_ascii(*kind, kMaxShownBytes)));
  return false;
}

void filter_of_target(json::object& target, std::size_t at, std::vector<std::string>& notes) {
  const auto filter = old_text(target, "filter");
  if (!filter) return;
  const auto query = forward::EventQuery::parse(*filter);
  if (query) return;
  notes.push_back(fmt::format("targets[{}].filter: the target is switched off, at character {} of \"{}\": {}",
                              at, query.error().offset + 1, printable_ascii(*filter, kMaxShownBytes),
                              query.error().what));
  target.erase("filter");
  target["enabled"] = false;
}

// Names and comments lose what acts on a terminal or turns the direction of text; a name of nothing else gets
// one.
void plain_member(json::object& object, std::string_view list, std::size_t at, std::string_view member,
                  bool lines, std::vector<std::string>& notes) {
  const auto text = old_text(object, member);
  if (!text || is_plain_text(*text, lines)) return;
  std::string plain = plain_text_of(*text);
  if (plain.empty() && member == "name") plain = fmt::format("{} {}", list, at);
  notes.push_back(
      fmt::format("{}[{}].{}: control characters and such that change the direction of text were left out",
                  list, at, member));
  object[member] = plain;
}

// The expression of a rule or of one of its further conditions that has too many states.
std::optional<std::uint32_t> too_many_states(const json::object& rule) {
  if (const auto text = old_text(rule, "expression"))
    if (const auto states = detect::too_many_states(*text)) return states;
  const json::value* more = rule.if_contains("and");
  if (more == nullptr || !more->is_array()) return std::nullopt;
  for (const json::value& condition : more->get_array()) {
    const json::object* object = condition.if_object();
    const auto text = object == nullptr ? std::nullopt : old_text(*object, "expression");
    const auto states = text ? detect::too_many_states(*text) : std::nullopt;
    if (states) return states;
  }
  return std::nullopt;
}

// An expression that takes too long to compile would keep every rule of the operator out of force.
void states_of_rule(json::object& rule, std::size_t at, std::vector<std::string>& notes) {
  const json::value* enabled = rule.if_contains("enabled");
  if (enabled != nullptr && enabled->is_bool() && !enabled->get_bool()) return;
  const auto states = too_many_states(rule);
  if (!states) return;
  notes.push_back(
      fmt::format("rules[{}]: the rule is switched off: an expression has {} states, more than are compiled",
                  at, *states));
  rule["enabled"] = false;
}

}  // namespace

void bring_up_to_date(json::object& document, std::vector<std::string>& notes) {
  std::set<std::string> hosts;
  std::size_t passing_oversize = 0;
  std::size_t passing_limit = 0;
  filter_objects(document, "sites", [&](json::object& site, std::size_t at) {
    plain_member(site, "sites", at, "name", false, notes);
    hosts_of_site(site, at, hosts, notes);
    limits_of_site(site, "on_oversize", passing_oversize);
    limits_of_site(site, "on_limit", passing_limit);
    return true;
  });
  if (passing_oversize != 0)
    notes.push_back(
        fmt::format("on_oversize of {} sites is pass, as before: what did not come whole is not blocked; new "
                    "sites block it",
                    passing_oversize));
  if (passing_limit != 0)
    notes.push_back(fmt::format(
        "on_limit of {} sites is pass, as before: what reaches a limit is not blocked; new sites block it",
        passing_limit));
  filter_objects(document, "exceptions", [&](json::object& exception, std::size_t at) {
    plain_member(exception, "exceptions", at, "comment", true, notes);
    return host_of_exception(exception, at, notes);
  });
  std::set<std::string> entries;
  filter_objects(document, "lists", [&](json::object& entry, std::size_t at) {
    plain_member(entry, "lists", at, "comment", true, notes);
    return is_first_entry(entry, at, entries, notes);
  });
  filter_objects(document, "rules", [&](json::object& rule, std::size_t at) {
    states_of_rule(rule, at, notes);
    return true;
  });
  filter_objects(document, "targets", [&](json::object& target, std::size_t at) {
    plain_member(target, "targets", at, "name", false, notes);
    filter_of_target(target, at, notes);
    return true;
  });
}

}  // namespace wafd::console
