#include "detect/findings.h"

#include <algorithm>

namespace wafd::detect {
namespace {

// Offset of `part` in `whole` if it lies there.
bool place_in(std::string_view part, std::string_view whole, std::uint32_t& begin,
              std::uint32_t& end) noexcept {
  if (whole.empty() || part.data() < whole.data() || part.data() + part.size() > whole.data() + whole.size())
    return false;
  begin = static_cast<std::uint32_t>(part.data() - whole.data());
  end = begin + static_cast<std::uint32_t>(part.size());
  return true;
}

// Whether a finding that denies from `a` on outweighs one that denies from `b` on.
bool is_graver(std::optional<Sensitivity> a, std::optional<Sensitivity> b) noexcept {
  return a && (!b || *a < *b);
}

}  // namespace

Finding make_finding(const Rule& rule, const Request& request, const FieldList& fields,
                     const Variant& variant, std::uint32_t begin, std::uint32_t end, std::string reason) {
  const Field& field = fields[variant.field];
  const std::string_view text = variant.text;
  const auto size = static_cast<std::uint32_t>(text.size());
  end = std::min(end, size);
  begin = std::min(begin, end);

  Finding finding;
  finding.rule = &rule;
  finding.denies_from = rule.denies_from;
  finding.location = field.location;
  finding.in_name = field.in_name;
  finding.name = fields.full_name(field);
  finding.payload = text.substr(begin, std::min<std::size_t>(end - begin, kMaxPayloadBytes));
  finding.decode_path = variant.decode_path;
  finding.reason = std::move(reason);
  // The match in the middle, as far as the text reaches.
  const std::size_t match = std::min<std::size_t>(end - begin, kExcerptBytes);
  const std::size_t before = std::min<std::size_t>(begin, (kExcerptBytes - match) / 2);
  finding.excerpt = text.substr(begin - before, kExcerptBytes);

  std::string_view piece = field.outer;
  if (variant.verbatim && (field.raw.data() >= field.outer.data() &&
                           field.raw.data() + field.raw.size() <= field.outer.data() + field.outer.size())) {
    piece = text.substr(begin, end - begin);
  }
  if (place_in(piece, request.body, finding.raw_begin, finding.raw_end)) {
    finding.in_body = true;
  } else {
    place_in(piece, request.head, finding.raw_begin, finding.raw_end);
  }
  return finding;
}

Finding make_finding(const Rule& rule, const Request& request, RequestHit hit) {
  Finding finding;
  finding.rule = &rule;
  finding.denies_from = rule.denies_from;
  finding.location = hit.location;
  finding.name = hit.name;
  finding.payload = hit.piece.substr(0, kMaxPayloadBytes);
  finding.excerpt = hit.piece.substr(0, kExcerptBytes);
  finding.reason = std::move(hit.reason);
  if (place_in(hit.piece, request.body, finding.raw_begin, finding.raw_end)) {
    finding.in_body = true;
  } else {
    place_in(hit.piece, request.head, finding.raw_begin, finding.raw_end);
  }
  return finding;
}

bool may_add(const Rule& rule, std::optional<Sensitivity> denies_from,
             const std::vector<Finding>& findings) noexcept {
  std::size_t of_rule = 0;
  for (const Finding& other : findings) {
    if (other.rule != &rule) continue;
    if (is_graver(denies_from, other.denies_from)) return true;
    if (++of_rule == kMaxFindingsPerRule) return false;
  }
  return true;
}

void add_finding(Finding finding, std::vector<Finding>& findings) {
  std::size_t of_rule = 0;
  for (Finding& other : findings) {
    if (other.rule != finding.rule) continue;
    const bool same_place = other.in_body == finding.in_body && other.raw_begin < finding.raw_end &&
                            finding.raw_begin < other.raw_end;
    if (same_place || ++of_rule == kMaxFindingsPerRule) {
      // Of two at one place the graver stays: a rule may weigh what a decoding made more than what stood
      // there.
      if (is_graver(finding.denies_from, other.denies_from)) other = std::move(finding);
      return;
    }
  }
  findings.push_back(std::move(finding));
}

}  // namespace wafd::detect
