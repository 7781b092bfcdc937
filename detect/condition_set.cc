#include "detect/condition_set.h"

#include <algorithm>
#include <vector>

#include <hs/hs.h>

namespace wafd::detect {
namespace {

int on_match(unsigned id, unsigned long long, unsigned long long, unsigned, void* context) noexcept {
  static_cast<unsigned char*>(context)[id] = 1;
  return 0;
}

}  // namespace

Result<ConditionSet> ConditionSet::build(std::span<const std::string_view> expressions) {
  std::vector<Pattern> patterns;
  for (const std::string_view expression : expressions) {
    patterns.push_back({expression,
                        HS_FLAG_CASELESS | HS_FLAG_DOTALL | HS_FLAG_MULTILINE | HS_FLAG_SINGLEMATCH,
                        static_cast<std::uint32_t>(patterns.size())});
  }
  ConditionSet set;
  auto database = compile(patterns);
  if (!database) return tl::unexpected<Error>(database.error());
  set.database_ = std::move(*database);
  return set;
}

bool ConditionSet::allocate(HsScratch& scratch) const {
  if (!database_) return true;
  hs_scratch* raw = scratch.release();
  const bool ok = hs_alloc_scratch(database_.get(), &raw) == HS_SUCCESS;
  scratch.reset(raw);
  return ok;
}

std::size_t ConditionSet::octets() const noexcept {
  std::size_t size = 0;
  if (database_) hs_database_size(database_.get(), &size);
  return size;
}

void ConditionSet::match(std::string_view text, const HsScratch& scratch,
                         std::span<unsigned char> out) const {
  if (!database_) return;
  if (scan_block(database_.get(), text, scratch.get(), on_match, out.data()) != HS_SUCCESS)
    std::fill(out.begin(), out.end(), static_cast<unsigned char>(1));
}

}  // namespace wafd::detect
