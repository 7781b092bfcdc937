#include "detect/analyze/base/evidence.h"

#include <algorithm>
#include <utility>

namespace wafd::detect {

bool EvidenceList::wants(std::uint8_t kind, Certainty certainty) const noexcept {
  std::size_t of_kind = 0;
  for (const Evidence& item : items_) {
    if (item.kind != kind) continue;
    if (item.certainty < certainty) return true;
    ++of_kind;
  }
  return of_kind < kMaxOfKind;
}

void EvidenceList::add(Evidence evidence) {
  const auto same_place = [&evidence](const Evidence& item) {
    return item.kind == evidence.kind && item.begin < evidence.end && evidence.begin < item.end;
  };
  const auto there = std::find_if(items_.begin(), items_.end(), same_place);
  if (there != items_.end()) {
    if (there->certainty < evidence.certainty) *there = std::move(evidence);
    return;
  }
  std::size_t of_kind = 0;
  Evidence* least = nullptr;
  for (Evidence& item : items_) {
    if (item.kind != evidence.kind) continue;
    ++of_kind;
    if (least == nullptr || item.certainty < least->certainty) least = &item;
  }
  if (of_kind < kMaxOfKind) {
    items_.push_back(std::move(evidence));
  } else if (least->certainty < evidence.certainty) {
    *least = std::move(evidence);
  }
}

}  // namespace wafd::detect
