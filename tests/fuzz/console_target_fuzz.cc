// A request target that is accepted has one reading: no dot segment, no empty segment, no control octet in
// its path, and its path read again is the same path.
#include <cstdint>
#include <cstdlib>

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
  for (std::size_t i = 0; i < target->parameters.size(); ++i) {
    if (target->parameter(target->parameters[i].first) != target->parameters[i].second) std::abort();
  }
  return 0;
}
