// A request target that is accepted has one reading: no dot segment, no empty segment, no control byte in
// its path, and its path read again is the same path.
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>

#include "console/base/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto target = wafd::console::Target::parse(text);
  if (!target) {
    if (target.error().offset > size) std::abort();
    return 0;
  }
  if (target->path.empty() || target->path.front() != '/') std::abort();
  std::string joined;
  for (const std::string& segment : target->segments) {
    if (segment.empty() || segment == "." || segment == "..") std::abort();
    for (const char c : segment) {
      if (static_cast<unsigned char>(c) < 0x20 || c == '/' || c == '\\' || c == 0x7f) std::abort();
    }
    joined += '/' + segment;
  }
  if (!target->segments.empty() && joined != target->path) std::abort();
  // Of a name given twice the first counts, and it is said where the second stands.
  std::set<std::string> names;
  for (const auto& [name, value] : target->parameters) {
    if (names.insert(name).second && target->parameter(name) != value) std::abort();
  }
  if (target->repeated.has_value() != (names.size() < target->parameters.size())) std::abort();
  if (target->repeated && *target->repeated >= size) std::abort();
  return 0;
}
