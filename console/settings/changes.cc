#include "console/settings/changes.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace wafd::console {
namespace {

namespace json = boost::json;

struct SettingsKind {
  std::string_view collection;
  std::string_view id;
  std::string_view name;  // what people call it
};
constexpr SettingsKind kKinds[] = {{"sites", "uuid", "name"}, {"exceptions", "id", "comment"},
                                   {"lists", "id", "cidr"},   {"targets", "id", "name"},
                                   {"rules", "id", "name"},   {"channels", "id", "name"},
                                   {"alerts", "id", "name"}};

// Objects by id: with secrets for comparing, without for showing.
struct Pair {
  const json::object* whole = nullptr;
  const json::object* shown = nullptr;
};
using ById = std::map<std::string_view, Pair>;

ById by_id(const json::object& whole, const json::object& shown, const SettingsKind& kind) {
  ById out;
  const json::array& a = whole.at(kind.collection).as_array();
  const json::array& b = shown.at(kind.collection).as_array();
  for (std::size_t i = 0; i < a.size(); ++i) {
    const json::object& object = a[i].as_object();
    out[std::string_view(object.at(kind.id).as_string())] = {&object, &b[i].as_object()};
  }
  return out;
}

json::array changed_members(const Pair& before, const Pair& after) {
  json::array out;
  const auto note = [&](std::string_view name) {
    const json::value* a = before.shown->if_contains(name);
    const json::value* b = after.shown->if_contains(name);
    if (a && b && *a == *b) return out.push_back({{"member", name}, {"before", "***"}, {"after", "***"}});
    out.push_back({{"member", name}, {"before", a ? *a : json::value()}, {"after", b ? *b : json::value()}});
  };
  for (const auto& member : *after.whole) {
    const json::value* old = before.whole->if_contains(member.key());
    if (old == nullptr || *old != member.value()) note(member.key());
  }
  for (const auto& member : *before.whole)
    if (!after.whole->contains(member.key())) note(member.key());
  return out;
}

json::object change_of(const SettingsKind& kind, const json::object& shown, std::string_view what) {
  return {{"collection", kind.collection},
          {"id", shown.at(kind.id)},
          {"name", shown.at(kind.name)},
          {"change", what},
          {"members", json::array()}};
}

// Of an object of which there is one.
void note_single(std::string_view collection, const Pair& before, const Pair& after, json::array& out) {
  if (*before.whole == *after.whole) return;
  out.push_back({{"collection", collection},
                 {"id", collection},
                 {"name", ""},
                 {"change", "changed"},
                 {"members", changed_members(before, after)}});
}

}  // namespace

json::array settings_changes(const Settings& before, const Settings& after) {
  const json::object before_whole = to_json(before, true), before_shown = to_json(before, false);
  const json::object after_whole = to_json(after, true), after_shown = to_json(after, false);
  json::array out;
  for (const SettingsKind& kind : kKinds) {
    const ById old = by_id(before_whole, before_shown, kind), fresh = by_id(after_whole, after_shown, kind);
    for (const auto& [id, pair] : fresh) {
      if (out.size() == kMaxChanges) return out;
      const auto found = old.find(id);
      if (found == old.end()) {
        out.push_back(change_of(kind, *pair.shown, "added"));
      } else if (*found->second.whole != *pair.whole) {
        json::object change = change_of(kind, *pair.shown, "changed");
        change["members"] = changed_members(found->second, pair);
        out.push_back(std::move(change));
      }
    }
    for (const auto& [id, pair] : old) {
      if (out.size() == kMaxChanges) return out;
      if (!fresh.contains(id)) out.push_back(change_of(kind, *pair.shown, "removed"));
    }
  }
  const json::object old = to_json(before.system), fresh = to_json(after.system);
  note_single("system", {&old, &old}, {&fresh, &fresh}, out);
  const json::object old_whole = to_json(before.oidc, true), old_shown = to_json(before.oidc, false);
  const json::object fresh_whole = to_json(after.oidc, true), fresh_shown = to_json(after.oidc, false);
  note_single("oidc", {&old_whole, &old_shown}, {&fresh_whole, &fresh_shown}, out);
  return out;
}

}  // namespace wafd::console
