#include "tests/support/variations/variations.h"

#include <algorithm>
#include <vector>

#include "tests/support/variations/codings.h"

namespace wafd::variations {

std::span<const Variation> all_variations() {
  static const std::vector<Variation> all = [] {
    std::vector<Variation> out;
    for (const auto part : {place_variations(), sql_variations(), html_variations(), script_variations(),
                            shell_variations(), path_variations(), code_variations()}) {
      out.insert(out.end(), part.begin(), part.end());
    }
    return out;
  }();
  return all;
}

bool vary(const Variation& variation, const Attack& attack, std::string& out) {
  if ((variation.types & bit(attack.type)) == 0) return false;
  if (variation.request != nullptr) return variation.request(attack, out);
  std::string text;
  return !attack.wrapped && !attack.leaf.in_name && variation.text(attack.leaf.value, text) &&
         text != attack.leaf.value && replace_value(attack.request, attack.leaf, text, out);
}

std::optional<Attack> attack_of(std::string bytes, const Finding& finding) {
  Attack attack;
  attack.type = finding.rule->attack_type;
  attack.request = read_request(std::move(bytes));
  const std::size_t base = finding.in_body ? attack.request.body : 0;
  const std::size_t begin = base + finding.raw_begin;
  const std::size_t end = base + finding.raw_end;
  const Leaf* best = nullptr;
  for (const Leaf& leaf : attack.request.leaves) {
    if (leaf.begin > begin || leaf.end < end || leaf.in_name != finding.in_name) continue;
    if (best == nullptr || leaf.end - leaf.begin < best->end - best->begin) best = &leaf;
  }
  if (best == nullptr) {
    // A document as a whole: only what changes the request as a whole can apply.
    if (attack.type != AttackType::kXxe) return std::nullopt;
    attack.leaf.in_name = true;
    attack.leaf.place = Place::kHeader;
    return attack;
  }
  attack.leaf = *best;
  const std::string_view path = finding.decode_path;
  std::string_view way = path;
  for (std::string_view step; !way.empty();) {
    const std::size_t bar = std::min(way.find('|'), way.size());
    step = way.substr(0, bar);
    way.remove_prefix(std::min(bar + 1, way.size()));
    const bool place_step = step == "plus" || step == "percent" ||
                            (step == "json" && best->place == Place::kJson) ||
                            (step == "xml" && best->place == Place::kXml);
    if (!place_step) attack.wrapped = true;
  }
  // Where the attack was found with the plus as it stands, the plus is part of it.
  const std::string_view raw =
      std::string_view(attack.request.bytes).substr(best->begin, best->end - best->begin);
  const bool form =
      best->place == Place::kQuery || best->place == Place::kForm || best->place == Place::kRefererQuery;
  if (form && path.find("plus") == std::string_view::npos && raw.find('+') != std::string_view::npos)
    attack.leaf.value = percent_decode(raw, false);
  return attack;
}

Attack attack_of(AttackType type, std::string_view text) {
  std::string raw;
  write_as(Place::kQuery, text, raw);
  Attack attack;
  attack.type = type;
  attack.request = read_request(make_request("/shop/items?page=3&q=" + raw + "&sort=name", "", ""));
  for (const Leaf& leaf : attack.request.leaves) {
    if (leaf.place == Place::kQuery && !leaf.in_name && leaf.name == "q") attack.leaf = leaf;
  }
  return attack;
}

}  // namespace wafd::variations
