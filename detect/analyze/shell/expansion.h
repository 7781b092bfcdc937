// Values of parameter expansions and quotes of shells, as far as the text itself determines them
// (POSIX.1-2017 XCU 2.2 and 2.6, bash manual 3.1.2 and 3.5).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace wafd::detect::shell {

// The value of a word while it is made. What does not fit is cut: no command is that long.
class Value {
 public:
  void clear() noexcept { size_ = 0; }
  void append(char c) noexcept {
    if (size_ < bytes_.size()) bytes_[size_++] = c;
  }
  void append(std::string_view text) noexcept {
    for (const char c : text.substr(0, bytes_.size() - size_)) bytes_[size_++] = c;
  }
  bool empty() const noexcept { return size_ == 0; }
  std::string_view view() const noexcept { return {bytes_.data(), size_}; }

 private:
  std::array<char, 256> bytes_;
  std::size_t size_ = 0;
};

// Variables that the text has set, the first kMax of them. Views must outlive it.
class Variables {
 public:
  static constexpr std::size_t kMaxValueBytes = 64;

  void set(std::string_view name, std::string_view value) noexcept;
  // data() is null if it was not set.
  std::string_view get(std::string_view name) const noexcept;

 private:
  static constexpr std::size_t kMax = 16;
  struct Variable {
    std::string_view name;
    std::string_view value;
  };
  std::array<Variable, kMax> items_;
  std::size_t size_ = 0;
};

enum class ExpansionKind : std::uint8_t {
  kNone,         // the dollar sign stands for itself
  kValue,        // appended; perhaps nothing
  kSplit,        // $IFS: white space, where a word ends
  kAlternative,  // ${x:-…}: the word goes on behind `end`, up to "}"
};

struct Expansion {
  ExpansionKind kind = ExpansionKind::kNone;
  std::size_t end = 0;  // behind it
  bool known = false;   // the text says the value
  bool cuts = false;    // ${PATH:0:1}: characters out of a variable that every system has
};

// Of the "$" at `at`; not of $( and $'.
Expansion read_parameter(std::string_view text, std::size_t at, const Variables& variables,
                         Value& out) noexcept;

// $'…': appends what the quote at `at` holds; returns the place behind its end.
std::size_t read_ansi_quote(std::string_view text, std::size_t at, Value& out) noexcept;

}  // namespace wafd::detect::shell
