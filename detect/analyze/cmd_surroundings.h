// What a command in a text belongs to: a value that it breaks out of, or writing in which commands are
// ordinary.
//
// Source: CommonMark 6.1 (code spans), crontab(5), the Dockerfile reference, how shells and manuals show a
// prompt.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace wafd::detect::cmd {

enum class Setting : std::uint8_t {
  kValue,
  kToolLine,    // the line begins with a tool that people paste lines of: "git log | head"
  kDocument,    // a later line of a text of three or more
  kInlineCode,  // between backticks in prose
};

// Reads a line when a place in it is asked for. Asked in rising order it takes time linear in the text. The
// text must outlive it.
class Surroundings {
 public:
  explicit Surroundings(std::string_view text) noexcept : text_(text) {}
  Setting at(std::size_t place) noexcept;
  std::size_t line_ends() noexcept;

 private:
  static constexpr std::size_t kMaxSpans = 32;  // of inline code in a line
  struct Span {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  void read_lines() noexcept;
  void read_line(std::size_t place) noexcept;

  std::string_view text_;
  bool lines_read_ = false;
  bool document_ = false;
  std::size_t line_ends_ = 0;
  std::size_t first_line_end_ = 0;  // of the first line that is not blank
  std::size_t begin_ = 1;           // the line that was read last; none yet
  std::size_t end_ = 0;
  bool tool_line_ = false;
  std::array<Span, kMaxSpans> spans_;
  std::size_t span_count_ = 0;
};

}  // namespace wafd::detect::cmd
