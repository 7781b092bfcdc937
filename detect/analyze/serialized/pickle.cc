#include "detect/analyze/serialized/pickle.h"

#include <algorithm>
#include <array>

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

// sin, cos, tan, a line each: words, with none of the signs by which a pickle calls, marks, remembers (p0) or
// ends.
bool is_word_list(std::string_view text) noexcept {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (!is_alnum(c) && c != '_' && c != '-' && !is_space(c)) return false;
    const bool begins = i > 0 && text[i - 1] == '\n' && i + 1 < text.size();
    if (begins && std::string_view("pgI").find(c) != std::string_view::npos && is_digit(text[i + 1]))
      return false;
  }
  return true;
}

// STACK_GLOBAL (0x93) behind the string at `at` and the one of the function, each perhaps remembered
// (MEMOIZE, 0x94); or it follows later, and a function that runs something is named.
bool is_called(std::string_view bytes, std::size_t at) noexcept {
  const auto behind = [bytes](std::size_t string) {
    const std::size_t end = string + 2 + byte(bytes[string + 1]);
    return end < bytes.size() && bytes[end] == '\x94' ? end + 1 : end;
  };
  const std::size_t name = behind(at);
  if (name + 1 < bytes.size() && bytes[name] == '\x8c') {
    const std::size_t end = behind(name);
    if (end < bytes.size() && bytes[end] == '\x93') return true;
  }
  static constexpr std::array<std::string_view, 8> kRuns{"\x8c\x06system",
                                                         "\x8c\x05popen",
                                                         "\x8c\x05Popen",
                                                         "\x8c\x04"
                                                         "exec",
                                                         "\x8c\x04"
                                                         "eval",
                                                         "\x8c\x04"
                                                         "call",
                                                         "\x8c\x0c"
                                                         "check_output",
                                                         "\x8c\x05spawn"};
  return bytes.find('\x93', at) != bytes.npos &&
         std::any_of(kRuns.begin(), kRuns.end(),
                     [bytes](std::string_view one) { return bytes.find(one) != bytes.npos; });
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
    if (name > line + 1 && name < bytes.size() && bytes[name] == '\n') return true;
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
    if (at + 2 < bytes.size() && named(bytes.substr(at + 2, byte(bytes[at + 1]))) && is_called(bytes, at))
      return true;
  }
  return false;
}

}  // namespace

bool pickle_calls(std::string_view bytes) noexcept {
  return !is_word_list(bytes) && calls(bytes, names_module);
}

bool pickle_file_runs(std::string_view bytes) noexcept {
  return bytes.size() > 2 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5 &&
         calls(bytes, names_runner);
}

}  // namespace wafd::detect::serialized
