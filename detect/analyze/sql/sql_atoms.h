// Words, numbers and signs of a short value, without a grammar.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "detect/core/bytes.h"

namespace wafd::detect::sql {

inline constexpr std::string_view kQuotes = "'\"`";

inline bool is_quote(char c) noexcept { return kQuotes.find(c) != std::string_view::npos; }

enum class AtomKind : std::uint8_t { kWord, kNumber, kSign };

// A word with its digits, a number, or one sign.
struct Atom {
  AtomKind kind = AtomKind::kSign;
  std::string_view text;

  bool is(std::string_view word) const noexcept { return kind == AtomKind::kWord && iequals(text, word); }
  char sign() const noexcept { return kind == AtomKind::kSign ? text.front() : '\0'; }
  bool quote() const noexcept { return kind == AtomKind::kSign && is_quote(text.front()); }
  bool operand() const noexcept { return kind != AtomKind::kSign; }
};

// The atoms of a text; beyond kMax it is no short piece any more.
class Atoms {
 public:
  static constexpr std::size_t kMax = 32;

  explicit Atoms(std::string_view text) noexcept {
    for (std::size_t i = 0; i < text.size();) {
      if (byte(text[i]) <= ' ') {
        ++i;
        continue;
      }
      std::size_t end = i + 1;
      auto kind = AtomKind::kSign;
      if (is_alnum(text[i]) || text[i] == '_') {
        kind = is_digit(text[i]) ? AtomKind::kNumber : AtomKind::kWord;
        while (end < text.size() && (is_alnum(text[end]) || text[end] == '_')) ++end;
      } else if (byte(text[i]) >= 0x7F) {
        plain_ = false;
      }
      if (size_ == kMax) {
        plain_ = false;
        return;
      }
      atoms_[size_++] = {kind, text.substr(i, end - i)};
      i = end;
    }
  }

  bool plain() const noexcept { return plain_; }  // short, and ASCII alone
  std::size_t size() const noexcept { return size_; }
  // Behind the end: a sign that nothing looks for.
  const Atom& operator[](std::size_t i) const noexcept { return i < size_ ? atoms_[i] : kNothing; }

 private:
  static constexpr Atom kNothing{AtomKind::kSign, " "};
  std::array<Atom, kMax> atoms_;
  std::size_t size_ = 0;
  bool plain_ = true;
};

}  // namespace wafd::detect::sql
