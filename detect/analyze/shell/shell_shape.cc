#include "detect/analyze/shell/shell_shape.h"

#include <algorithm>

#include "detect/analyze/shell/command_table.h"
#include "detect/analyze/shell/paths.h"
#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

// A plus too: a form as it was sent.
bool ends_word(char c) noexcept { return is_space(c) || c == '+'; }

// A word as prose has it, with the punctuation around it: "Don't", "server!", "(see".
bool is_of_prose(std::string_view word) noexcept {
  while (!word.empty() && std::string_view("(\"'").find(word.front()) != word.npos) word.remove_prefix(1);
  while (!word.empty() && std::string_view(".,:?!)\"'").find(word.back()) != word.npos) word.remove_suffix(1);
  const auto letter = [](char c) { return is_alpha(c) || octet(c) >= 0x80; };
  if (word.empty() || !letter(word.front()) || !letter(word.back())) return false;
  if (!std::all_of(word.begin(), word.end(), [&](char c) { return letter(c) || c == '\''; })) return false;
  const shell::CommandRow* row = shell::commands().find(word);
  return row == nullptr || row->usage == shell::Usage::kWord;
}

// Calls visit(whether it is one of prose) for each word, until that says true.
template <class Visit>
bool until_word(std::string_view text, const Visit& visit) noexcept {
  for (std::size_t at = 0; at < text.size();) {
    while (at < text.size() && ends_word(text[at])) ++at;
    const std::size_t begin = at;
    while (at < text.size() && !ends_word(text[at])) ++at;
    if (begin == at) break;
    if (visit(is_of_prose(text.substr(begin, at - begin)))) return true;
  }
  return false;
}

}  // namespace

bool has_prose(std::string_view text) noexcept {
  std::size_t run = 0;
  return until_word(text, [&run](bool of_prose) {
    run = of_prose ? run + 1 : 0;
    return run >= 3;
  });
}

std::size_t prose_words(std::string_view text) noexcept {
  std::size_t count = 0;
  until_word(text, [&count](bool of_prose) {
    count += of_prose ? 1 : 0;
    return false;
  });
  return count;
}

bool is_secret_file(std::string_view word) noexcept { return shell::path_kind(word) == shell::Path::kSecret; }

}  // namespace wafd::detect
