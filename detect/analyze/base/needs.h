// Necessary conditions on a text for a matcher to find anything in it; the prefilter is built from them. It
// is derived from the matcher's own tables, so that a word is written down once.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "detect/core/vocabulary.h"

namespace wafd::detect {

enum class SignKind : std::uint8_t {
  kBytes,     // parts are single bytes
  kFirst,     // parts are single bytes: the first one behind white space is of them, or behind quotes
  kWords,     // words of a-z, 0-9, _ and $ in lower case; each stands as a word of the text: without case,
              // behind no letter and before none, digits perhaps before and behind it
  kLiterals,  // any run of two bytes and more, letters without case
  kPair,      // three parts: a byte of the first, any number of bytes of the third, a byte of the second
};

// A text has a sign if one of its parts stands in it.
struct Sign {
  SignKind kind = SignKind::kBytes;
  std::vector<std::string> parts;

  bool operator==(const Sign&) const = default;
};

// A text may hold something if it has all signs of one of the needs.
using Need = std::vector<Sign>;
using Needs = std::vector<Need>;

inline Sign any_byte(std::string_view bytes) {
  Sign sign{SignKind::kBytes, {}};
  for (const char c : bytes) sign.parts.emplace_back(1, c);
  return sign;
}
inline Sign any_first(std::string_view bytes) {
  Sign sign = any_byte(bytes);
  sign.kind = SignKind::kFirst;
  return sign;
}
// Letters with their case.
inline Sign any_pair(std::string_view first, std::string_view second, std::string_view between = {}) {
  return {SignKind::kPair, {std::string(first), std::string(second), std::string(between)}};
}
inline Sign any_literal(std::initializer_list<std::string_view> literals) {
  return {SignKind::kLiterals, {literals.begin(), literals.end()}};
}
inline Sign any_word(std::initializer_list<std::string_view> words) {
  return {SignKind::kWords, {words.begin(), words.end()}};
}
// The words of a table for whose rows `use` says true.
template <class Row, class Use>
Sign any_word(const Vocabulary<Row>& table, Use&& use) {
  Sign sign{SignKind::kWords, {}};
  for (const Row& row : table.rows()) {
    if (use(row)) sign.parts.emplace_back(row.text);
  }
  return sign;
}
template <class Row>
Sign any_word(const Vocabulary<Row>& table) {
  return any_word(table, [](const Row&) { return true; });
}
// The word that begins at row[at]; empty: none does.
inline std::string_view first_word(std::string_view row, std::size_t at) {
  std::size_t end = at;
  while (end < row.size() && (is_alnum(row[end]) || row[end] == '_' || row[end] == '$')) ++end;
  return row.substr(at, end - at);
}
// The longest word of a row that may hold other bytes between its words: "web-inf/web.xml".
inline std::string_view longest_word(std::string_view row) {
  std::string_view longest;
  for (std::size_t at = 0; at < row.size();) {
    const std::string_view word = first_word(row, at);
    if (word.size() > longest.size()) longest = word;
    at += word.size() + 1;
  }
  return longest;
}
// The word of a row that a text has least often by chance: the longest of those that heads of requests do not
// have anyway, or the longest.
inline std::string_view telling_word(std::string_view row) {
  static constexpr std::string_view kUsual[] = {"http", "https", "host", "user",        "example", "windows",
                                                "win",  "app",   "web",  "application", "version"};
  std::string_view telling;
  for (std::size_t at = 0; at < row.size();) {
    const std::string_view word = first_word(row, at);
    if (word.size() > telling.size() &&
        std::find(std::begin(kUsual), std::end(kUsual), word) == std::end(kUsual))
      telling = word;
    at += word.size() + 1;
  }
  return telling.empty() ? longest_word(row) : telling;
}
// The words of several signs as one.
inline Sign any_of(Sign a, Sign b) {
  for (std::string& part : b.parts) a.parts.push_back(std::move(part));
  return a;
}

}  // namespace wafd::detect
