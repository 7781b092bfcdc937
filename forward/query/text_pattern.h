// A piece of text to look for, without ASCII case: a whole value, a part of one, or with `*` for any run of
// bytes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wafd::forward {

// Byte search without ASCII case: first and last byte of short needles sixteen places at a time, long ones
// by Boyer-Moore-Horspool.
class Needle {
 public:
  explicit Needle(std::string_view text);
  // Position from `from` on, or npos.
  std::size_t find_in(std::string_view text, std::size_t from = 0) const noexcept;
  std::size_t size() const noexcept { return lower_.size(); }

 private:
  std::size_t skip_through(std::string_view text, std::size_t from) const noexcept;

  std::string lower_;
  std::array<std::uint16_t, 256> skip_{};
};

enum class PatternKind : std::uint8_t { kWhole, kPart };

class TextPattern {
 public:
  // With `globs` every `*` stands for any run; the rest must then match from begin to end whatever the kind.
  TextPattern(std::string_view text, PatternKind kind, bool globs);

  // Leftmost placing of the literal pieces one after the other: time is linear but for the search of each
  // piece.
  bool matches(std::string_view text) const noexcept;
  bool is_literal() const noexcept { return !has_star_; }
  bool is_part() const noexcept { return kind_ == PatternKind::kPart; }
  const std::string& text() const noexcept { return text_; }
  // The longest run of bytes that every match holds and that JSON leaves as they are (printable ASCII but
  // quote and backslash): where a record's JSON does not have it, no member matches. Empty if there is none.
  std::string_view sure_part() const noexcept;

 private:
  std::string text_;
  PatternKind kind_;
  bool has_star_ = false;
  std::vector<Needle> pieces_;  // between the stars; the empty ones at begin and end say "not anchored"
};

}  // namespace wafd::forward
