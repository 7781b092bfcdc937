#include "detect/extract/header_parameters.h"

#include <algorithm>

#include <fmt/format.h>

#include "detect/core/byte_finder.h"
#include "detect/core/bytes.h"

namespace wafd::detect {
namespace {

constexpr ByteFinder kTokenBytes(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&+-.^_`|~/:");

constexpr bool is_quote(char c) noexcept { return c == '"' || c == '\''; }

// Behind the quoted string that begins at `at`: a backslash keeps the quote behind it.
std::size_t quoted_end(std::string_view text, std::size_t at) noexcept {
  const char quote = text[at++];
  while (at < text.size() && text[at] != quote) at += text[at] == '\\' && at + 1 < text.size() ? 2 : 1;
  return std::min(at + 1, text.size());
}

// The first `stop` from `at` on that stands in no quotes, or the end.
std::size_t find_outside(std::string_view text, std::size_t at, char stop, bool quotes) noexcept {
  while (at < text.size() && text[at] != stop)
    at = quotes && is_quote(text[at]) ? quoted_end(text, at) : at + 1;
  return at;
}

// name=token or name="text", of which every reader makes the same.
bool is_regular_pair(std::string_view pair, const Parameter& made) noexcept {
  const std::size_t equals = pair.find('=');
  if (equals == 0 || equals == std::string_view::npos) return false;
  if (kTokenBytes.find_other(pair.substr(0, equals), 0) != equals && !made.extended) return false;
  std::string_view value = pair.substr(equals + 1);
  if (value.size() < 2 || value.front() != '"' || value.back() != '"')
    return !value.empty() && (made.extended || kTokenBytes.find_other(value, 0) == value.size());
  value = value.substr(1, value.size() - 2);
  if (value.find_first_of("\"\\\r\n") != std::string_view::npos) return false;
  const std::size_t semicolon = value.find(';');
  return semicolon == std::string_view::npos || value.find('=', semicolon) == std::string_view::npos;
}

}  // namespace

const Parameter* HeaderParameters::find(std::string_view name) const noexcept {
  const auto found = std::find_if(all_.begin(), all_.end(),
                                  [name](const Parameter& one) { return iequals(one.name, name); });
  return found == all_.end() ? nullptr : &*found;
}

void HeaderParameters::add(const Parameter& parameter) {
  const auto same = [&](const Parameter& one) {
    return iequals(one.name, parameter.name) && one.value == parameter.value &&
           one.extended == parameter.extended;
  };
  if (std::none_of(all_.begin(), all_.end(), same)) all_.push_back(parameter);
}

void HeaderParameters::read_pair(std::string_view pair, bool quotes) {
  const std::size_t equals = find_outside(pair, 0, '=', quotes);
  if (equals == pair.size()) {
    regular_ = regular_ && pair.empty();
    return;
  }
  Parameter made;
  made.name = trim_space(pair.substr(0, equals));
  made.extended = made.name.ends_with('*');
  made.value = trim_space(pair.substr(equals + 1));
  if (!made.value.empty() && is_quote(made.value.front())) {
    const std::size_t end = quotes ? quoted_end(made.value, 0) : made.value.size();
    const bool closed = end > 1 && made.value[end - 1] == made.value.front();
    made.value = made.value.substr(1, closed ? end - 2 : end - 1);
  }
  const std::size_t star = made.name.find('*');
  const bool twice = std::any_of(all_.begin(), all_.end(),
                                 [&](const Parameter& one) { return iequals(one.name, made.name); });
  regular_ =
      regular_ && !twice && is_regular_pair(pair, made) && (star == std::string_view::npos || made.extended);
  add(made);
}

void HeaderParameters::read_pairs(std::string_view text, bool quotes) {
  for (std::size_t at = 0; at < text.size();) {
    if (all_.size() == kMaxParameters) {
      full_ = true;
      return;
    }
    const std::size_t end = find_outside(text, at, ';', quotes);
    read_pair(trim_space(text.substr(at, end - at)), quotes);
    at = end + 1;
  }
}

// name*0=a; name*1*=b are parts of one value, of which the first may say the character set.
void HeaderParameters::join_continuations(std::size_t first, Arena& arena) {
  const auto is_section = [&](const Parameter& one, std::string_view name, int number) {
    if (one.name.size() < name.size() + 2 || one.name[name.size()] != '*') return false;
    std::string_view digits = one.name.substr(name.size() + 1);
    if (one.extended) digits.remove_suffix(1);
    return iequals(one.name.substr(0, name.size()), name) && digits == fmt::format_int(number).c_str();
  };
  for (std::size_t i = first; i < all_.size(); ++i) {
    const std::size_t star = all_[i].name.find('*');
    if (star == std::string_view::npos) continue;
    Parameter joined = all_[i];
    joined.name = joined.name.substr(0, star);
    for (int number = 0; star + 1 != all_[i].name.size(); ++number) {
      const auto section =
          std::find_if(all_.begin() + static_cast<std::ptrdiff_t>(first), all_.end(),
                       [&](const Parameter& one) { return is_section(one, joined.name, number); });
      if (section == all_.end()) break;
      joined.value = number == 0 ? section->value : arena.append(joined.value, section->value);
      joined.extended |= section->extended;
      section->name = {};
    }
    const std::size_t language = joined.value.find('\'');
    const std::size_t value =
        language == std::string_view::npos ? language : joined.value.find('\'', language + 1);
    if (joined.extended && value != std::string_view::npos) {
      joined.charset = joined.value.substr(0, language);
      joined.value.remove_prefix(value + 1);
    }
    all_[i] = joined;
  }
  std::erase_if(all_, [](const Parameter& one) { return one.name.empty(); });
}

void HeaderParameters::read(std::string_view value, Arena& arena) {
  const std::size_t first = all_.size();
  const std::size_t begin = value.find(';');
  if (begin == std::string_view::npos) return;
  read_pairs(value.substr(begin + 1), true);
  // Readers that know no quotes, or the single ones not.
  if (!regular_) read_pairs(value.substr(begin + 1), false);
  join_continuations(first, arena);
}

}  // namespace wafd::detect
