// Rule files: any bytes are taken or refused with a line; what was taken once is taken again with the same
// rules.
#include <cstdlib>

#include "detect/signatures/signatures.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<wafd::detect::Signature> first;
  std::vector<wafd::detect::Signature> second;
  const auto loaded = wafd::detect::load_signatures("f", text, first);
  if (!loaded) {
    if (!loaded.error().what.starts_with("f:") || loaded.error().offset > size) std::abort();
    return 0;
  }
  if (!wafd::detect::load_signatures("f", text, second) || first.size() != second.size()) std::abort();
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i].rule.id != second[i].rule.id || first[i].conditions.empty()) std::abort();
  }
  return 0;
}
