#include "detect/analyze/shell/cmd_powershell.h"

#include <algorithm>

#include "detect/analyze/shell/shell_commands.h"
#include "detect/analyze/shell/shell_shape.h"
#include "detect/core/octets.h"
#include "detect/core/word_set.h"

namespace wafd::detect::cmd {
namespace {

constexpr std::size_t kMaxPlaces = 512;  // of one kind in one text
constexpr std::size_t kMaxNameBytes = 24;
constexpr std::size_t kMaxCalleeBytes = 96;

std::string_view first_word(std::string_view text) noexcept {
  text = trim(text);
  return text.substr(0, std::min(text.find_first_of(" \t\r\n)"), text.size()));
}

// "who" + 'ami' -> whoami; empty if anything else stands between the strings.
std::pmr::string joined_strings(std::string_view text, std::pmr::memory_resource* memory) {
  std::pmr::string out(memory);
  for (std::size_t at = 0; at < text.size();) {
    if (is_space(text[at]) || text[at] == '+') {
      ++at;
      continue;
    }
    if (text[at] != '\'' && text[at] != '"') return std::pmr::string(memory);
    const std::size_t close = text.find(text[at], at + 1);
    if (close == std::string_view::npos) return std::pmr::string(memory);
    out.append(text.substr(at + 1, close - at - 1));
    at = close + 1;
  }
  return out;
}

}  // namespace

void read_powershell(Findings& out) {
  static constexpr WordSet kMethods({"downloadstring", "downloadfile", "downloaddata", "downloadstringasync",
                                     "frombase64string", "downloadfileasync"});
  const std::string_view text = out.text;
  std::size_t looked = 0;
  for (std::size_t open = text.find('('); open != std::string_view::npos && ++looked < kMaxPlaces;
       open = text.find('(', open + 1)) {
    std::size_t begin = open;
    while (begin > 0 && open - begin < kMaxNameBytes && is_alnum(text[begin - 1])) --begin;
    if (!kMethods.has(text.substr(begin, open - begin)) || prose_before(text, begin)) continue;
    out.add(kPowerShell, begin, open, "PowerShell is told to fetch or run code.");
    return;
  }
}

void read_call_operator(Findings& out) {
  const std::string_view text = out.text;
  std::size_t looked = 0;
  for (std::size_t open = text.find('('); open != std::string_view::npos && ++looked < kMaxPlaces;
       open = text.find('(', open + 1)) {
    std::size_t sign = open;
    while (sign > 0 && open - sign < 4 && is_space(text[sign - 1])) --sign;
    if (sign == 0 || (text[sign - 1] != '&' && text[sign - 1] != '.')) continue;
    --sign;
    // x.(y) and && are of other languages.
    const bool begins = text.find_first_not_of("&; ") == open;
    if (sign > 0 && !begins && !is_space(text[sign - 1]) &&
        std::string_view(";|{(='\"").find(text[sign - 1]) == std::string_view::npos)
      continue;
    const std::string_view behind = text.substr(open + 1, kMaxCalleeBytes);
    const std::size_t close = behind.find(')');
    if (close == std::string_view::npos) continue;
    const std::string_view callee = behind.substr(0, close);
    const std::string_view word = first_word(callee);
    const bool looked_up = iequals(word, "gcm") || iequals(word, "get-command") || iequals(word, "gal") ||
                           iequals(word, "get-alias") || iequals(word, "get-item") || iequals(word, "gi");
    const auto name = joined_strings(callee, out.memory);
    // &("{1}{0}"-f'x','ie')
    const bool formatted =
        callee.find("{0}") != std::string_view::npos && callee.find("-f") != std::string_view::npos;
    if (!looked_up && !formatted && command_kind(name) == CommandKind::kUnknown) continue;
    out.add(kPowerShell, sign, open + 1 + close + 1,
            "PowerShell's call operator runs the command that an expression names.");
    return;
  }
}

}  // namespace wafd::detect::cmd
