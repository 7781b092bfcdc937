#include "console/events/group_facts.h"

#include <algorithm>
#include <charconv>
#include <functional>

#include "console/events/flat_json.h"

namespace wafd::console {
namespace {

constexpr std::string_view kRuleMember = R"({"rule_id":")";
constexpr std::string_view kNameMember = R"("name":")";

std::uint64_t digest(std::string_view text) noexcept { return std::hash<std::string_view>{}(text); }

// The raw text of the string that begins at `at`.
std::string_view string_at(std::string_view json, std::size_t at) noexcept {
  const std::size_t begin = at;
  while (at < json.size() && json[at] != '"') at += json[at] == '\\' ? 2 : 1;
  return json.substr(begin, std::min(at, json.size()) - begin);
}

// Host and path of a record in one walk over it, as raw JSON. Texts stay as they are escaped: one writer made
// them all, so equal texts look equal.
struct Place {
  std::string_view host;
  std::string_view path;
};

Place place_of(std::string_view json) noexcept {
  FlatJson members(json);
  Place place;
  std::string_view name;
  std::string_view value;
  while (members.next(name, value)) {
    if (name == "host")
      place.host = value;
    else if (name == "urlpath")
      place.path = value;
    if (!place.host.empty() && !place.path.empty()) break;
  }
  return place;
}

std::vector<std::uint64_t> other_rules_of(const forward::RecordView& record) {
  std::vector<std::uint64_t> others;
  for (std::size_t at = record.detail.find(kRuleMember); at != std::string_view::npos;
       at = record.detail.find(kRuleMember, at)) {
    at += kRuleMember.size();
    const std::string_view rule = string_at(record.detail, at);
    if (rule != record.rule_id) others.push_back(digest(rule));
  }
  return others;
}

}  // namespace

std::uint32_t RuleSets::id_of(std::vector<std::uint64_t> digests) {
  if (digests.empty()) return 0;
  std::sort(digests.begin(), digests.end());
  digests.erase(std::unique(digests.begin(), digests.end()), digests.end());
  const std::uint64_t key =
      digest({reinterpret_cast<const char*>(digests.data()), digests.size() * sizeof digests[0]});
  const auto found = ids_.find(key);
  if (found != ids_.end()) return found->second;
  if (sets_.size() > kMaxSets) return 0;
  sets_.push_back(std::move(digests));
  return ids_.emplace(key, static_cast<std::uint32_t>(sets_.size() - 1)).first->second;
}

GroupFacts facts_of(const forward::RecordView& record, RuleSets& rule_sets) {
  const Place place = place_of(record.json);
  std::string key(record.rule_id);
  key += '\0';  // which no raw JSON holds
  key += place.host;
  key += '\0';
  const std::size_t common = key.size();
  key += record.src_ip;
  GroupFacts facts;
  facts.attacker = digest(key);
  key.resize(common);
  key += place.path;
  key += '\0';
  key += deciding_name(record.detail);
  facts.tuning = digest(key);
  facts.source = digest(record.src_ip);
  facts.other_rules = rule_sets.id_of(other_rules_of(record));
  return facts;
}

GroupTexts texts_of(const forward::RecordView& record) {
  const Place place = place_of(record.json);
  std::string quoted = "\"";
  quoted += deciding_name(record.detail);
  quoted += '"';
  return {plain_text(place.host), plain_text(place.path), plain_text(quoted),
          plain_text(flat_member(record.json, "country"))};
}

std::string_view deciding_name(std::string_view detail) noexcept {
  constexpr std::string_view kWeightiest = R"("weightiest":)";
  const std::size_t begin = detail.find(kWeightiest);
  std::size_t index = 0;
  if (begin != std::string_view::npos) {
    const char* first = detail.data() + begin + kWeightiest.size();
    if (std::from_chars(first, detail.data() + detail.size(), index).ec != std::errc()) return {};
  }
  std::size_t at = detail.find(kRuleMember);
  for (; index > 0 && at != std::string_view::npos; --index) at = detail.find(kRuleMember, at + 1);
  if (at == std::string_view::npos) return {};
  const std::size_t name = detail.find(kNameMember, at);
  if (name == std::string_view::npos || name > detail.find(kRuleMember, at + 1)) return {};
  return string_at(detail, name + kNameMember.size());
}

}  // namespace wafd::console
