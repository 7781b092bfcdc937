#include "detect/prefilter/octet_groups.h"

#include <iterator>
#include <string_view>

namespace wafd::detect {

const std::array<std::uint32_t, 256> kGroupBit = [] {
  // What expressions tell apart most; controls are read as spaces are, nearly everywhere.
  const char* const groups[] = {"\n", " ",    "0123456789", "eE",   "aA",   "tToO", "iI",     "nNrR",
                                "sS", "lLcC", "dDuU",       "pPmM", "hHgG", "bByY", "fFvVwW", "kKxXjJqQzZ",
                                "_",  "'",    "\"",         "`",    "(",    ")",    "<>=",    ";|&",
                                "/",  "\\",   ".",          "-+",   ",:",   "%*"};
  constexpr unsigned kOthers = 31;
  static_assert(std::size(groups) + 1 == kOthers);  // group 0 is the edge
  std::array<std::uint32_t, 256> table{};
  table.fill(std::uint32_t{1} << kOthers);
  for (unsigned c = 0; c < 0x20; ++c) table[c] = 4;
  for (std::size_t i = 0; i < std::size(groups); ++i) {
    for (const char c : std::string_view(groups[i]))
      table[static_cast<unsigned char>(c)] = std::uint32_t{2} << i;
  }
  table[kOutside] = kEdgeGroup;
  return table;
}();

std::uint32_t groups_of(const OctetSet& set) noexcept {
  std::uint32_t out = set.edge ? kEdgeGroup : 0;
  for (unsigned c = 0; c < 256; ++c) {
    if (set.has(static_cast<unsigned char>(c))) out |= kGroupBit[inside(static_cast<unsigned char>(c))];
  }
  return out;
}

}  // namespace wafd::detect
