// Settings of php.ini that a value makes.
#include <algorithm>

#include <fmt/format.h>

#include "detect/analyze/php/php_reader.h"
#include "detect/core/octets.h"

namespace wafd::detect {

void PhpReader::at_directive(std::size_t i) {
  std::size_t last = i;
  std::string_view name = tokens_[i].text;
  if (is_punct(i + 1, '.') && is_kind(i + 2, PhpKind::kWord) && is_punct(i + 3, '=')) {
    last = i + 2;
    name = text_.substr(tokens_[i].begin, tokens_[last].end - tokens_[i].begin);
  }
  if (!is_punct(last + 1, '=') || is_punct(last + 2, '=')) return;
  const int known = php_directive(name);
  if (known == 0 || (known == 1 && !plainly_set(name, last))) return;
  const bool option =
      i >= 2 && is_kind(i - 1, PhpKind::kWord) && tokens_[i - 1].text == "d" && is_punct(i - 2, '-');
  if (option || (known == 2 && value_ && i < 4)) {
    add(kPhpDirective, i, last + 2,
        fmt::format("The PHP configuration directive {} is set.", shown_name(name)));
  } else if (i == 0 && line_ && configuration_value(text_.substr(tokens_[last + 1].end))) {
    add(kPhpDirectiveText, i, last + 2, fmt::format("A setting that PHP has too, {}.", shown_name(name)));
  }
}

// As in php.ini: no other octet in the name, no comment before the sign behind token `last`.
bool PhpReader::plainly_set(std::string_view name, std::size_t last) const noexcept {
  const std::size_t end = tokens_[last].end;
  const std::string_view gap = text_.substr(end, tokens_[last + 1].begin - end);
  return gap.find_first_not_of(std::string_view(" \t\0", 3)) == gap.npos &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_alnum(c) || c == '_' || c == '.'; });
}

// What a line of php.ini has behind "=": a switch, a number, a file.
bool PhpReader::configuration_value(std::string_view value) noexcept {
  value = trim(value);
  constexpr WordSet kSwitches({"on", "off", "true", "false", "yes", "no", "none", "null"});
  if (kSwitches.has(value) || value.ends_with(".so") || value.ends_with(".dll")) return true;
  if (value.empty()) return false;
  return value[0] == '/' ? value.size() > 1 : std::all_of(value.begin(), value.end(), is_digit);
}

}  // namespace wafd::detect
