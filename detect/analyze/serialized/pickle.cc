#include "detect/analyze/serialized/pickle.h"

#include "detect/analyze/serialized/modules.tsv.h"
#include "detect/core/bytes.h"

namespace wafd::detect::serialized {
namespace {

constexpr std::size_t kMaxModuleBytes = 16;

// "c" module line end name line end; `line` is the first line end.
bool is_global(std::string_view bytes, std::size_t line, bool binary) noexcept {
  for (std::size_t c = line; c-- > 0 && line - c < kMaxModuleBytes;) {
    if (bytes[c] == '\n') break;
    if ((bytes[c] != 'c' && bytes[c] != 'i') || (c > 0 && is_alnum(bytes[c - 1]) && !binary)) continue;
    if (!kModules.has(bytes.substr(c + 1, line - c - 1))) continue;
    std::size_t name = line + 1;
    while (name < bytes.size() && name - line < 64 &&
           (is_alnum(bytes[name]) || bytes[name] == '_' || bytes[name] == '.'))
      ++name;
    if (name > line + 1 && name < bytes.size() && bytes[name] == '\n') return true;
  }
  return false;
}

}  // namespace

bool pickle_calls(std::string_view bytes) noexcept {
  const bool binary = !bytes.empty() && bytes[0] == '\x80';
  for (std::size_t line = bytes.find('\n'); line != std::string_view::npos;
       line = bytes.find('\n', line + 1)) {
    if (is_global(bytes, line, binary)) return true;
  }
  // SHORT_BINUNICODE: 0x8c, a length, the module's name.
  if (!binary) return false;
  for (std::size_t at = bytes.find('\x8c'); at != std::string_view::npos; at = bytes.find('\x8c', at + 1)) {
    if (at + 2 < bytes.size() && kModules.has(bytes.substr(at + 2, byte(bytes[at + 1])))) return true;
  }
  return false;
}

}  // namespace wafd::detect::serialized
