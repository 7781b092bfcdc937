#include "detect/analyze/serialized/pickle.h"

#include "detect/analyze/serialized/modules.tsv.h"
#include "detect/core/bytes.h"
#include "detect/core/word_set.h"

namespace wafd::detect::serialized {
namespace {

constexpr std::size_t kMaxModuleBytes = 16;

bool names_module(std::string_view name) noexcept { return kModules.has(name); }
bool names_runner(std::string_view name) noexcept {
  static constexpr WordSet kRunners(
      {"os", "posix", "nt", "subprocess", "pty", "commands", "socket", "runpy"});
  return kRunners.has(name);
}

// Whether an operation that may follow a function begins there (pickletools: MARK, PUT, strings, numbers, …).
// Of a list of words, as "sin", "cos", "tan", lines follow.
bool goes_on(std::string_view rest) noexcept {
  if (rest.empty()) return true;
  const char c = rest[0];
  const char next = rest.size() > 1 ? rest[1] : '\0';
  if (c == 'p' || c == 'g' || c == 'I' || c == 'L' || c == 'F') return is_digit(next) || next == '-';
  if (c == 'S') return next == '\'' || next == '"';
  if (c == 'q' || c == 'h' || c == 'r' || c == 'j') return !is_alpha(next);
  return !is_alpha(c) || std::string_view("VXTUKMJGNB").find(c) != std::string_view::npos;
}

using Named = bool (*)(std::string_view) noexcept;

// "c" module line end name line end; `line` is the first line end.
bool is_global(std::string_view bytes, std::size_t line, bool binary, Named named) noexcept {
  for (std::size_t c = line; c-- > 0 && line - c < kMaxModuleBytes;) {
    if (bytes[c] == '\n') break;
    if ((bytes[c] != 'c' && bytes[c] != 'i') || (c > 0 && is_alnum(bytes[c - 1]) && !binary)) continue;
    if (!named(bytes.substr(c + 1, line - c - 1))) continue;
    std::size_t name = line + 1;
    while (name < bytes.size() && name - line < 64 &&
           (is_alnum(bytes[name]) || bytes[name] == '_' || bytes[name] == '.'))
      ++name;
    if (name > line + 1 && name < bytes.size() && bytes[name] == '\n' && goes_on(bytes.substr(name + 1)))
      return true;
  }
  return false;
}

bool calls(std::string_view bytes, Named named) noexcept {
  const bool binary = !bytes.empty() && bytes[0] == '\x80';
  for (std::size_t line = bytes.find('\n'); line != std::string_view::npos;
       line = bytes.find('\n', line + 1)) {
    if (is_global(bytes, line, binary, named)) return true;
  }
  // SHORT_BINUNICODE: 0x8c, a length, the module's name.
  if (!binary) return false;
  for (std::size_t at = bytes.find('\x8c'); at != std::string_view::npos; at = bytes.find('\x8c', at + 1)) {
    if (at + 2 < bytes.size() && named(bytes.substr(at + 2, byte(bytes[at + 1])))) return true;
  }
  return false;
}

}  // namespace

bool pickle_calls(std::string_view bytes) noexcept { return calls(bytes, names_module); }

bool pickle_file_runs(std::string_view bytes) noexcept {
  return bytes.size() > 2 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5 &&
         calls(bytes, names_runner);
}

}  // namespace wafd::detect::serialized
