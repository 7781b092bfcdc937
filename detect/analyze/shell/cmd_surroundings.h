// What a command in a text belongs to: a value that it breaks out of, or writing in which commands are
// ordinary.
//
// Source: CommonMark 6.1 (code spans), crontab(5), the Dockerfile reference, how shells and manuals show a
// prompt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "detect/analyze/base/writing.h"

namespace wafd::detect::cmd {

enum class Setting : std::uint8_t {
  kValue,
  kToolLine,    // the line begins with a tool that people paste lines of: "git log | head"
  kDocument,    // a later line of a text of three or more, a program
  kInlineCode,  // shown as code: between backticks in prose, in a fence, in <pre>
};

// Reads a line when a place in it is asked for. Asked in rising order it takes time linear in the text. Both
// must outlive it.
class Surroundings {
 public:
  Surroundings(std::string_view text, Writing& writing) noexcept : text_(text), writing_(writing) {}
  Setting at(std::size_t place) noexcept;
  std::size_t line_ends() noexcept;

 private:
  void read_lines() noexcept;
  void read_line(std::size_t place) noexcept;

  std::string_view text_;
  Writing& writing_;
  bool lines_read_ = false;
  bool document_ = false;
  std::size_t line_ends_ = 0;
  std::size_t first_line_end_ = 0;  // of the first line that is not blank
  std::size_t begin_ = 1;           // the line that was read last; none yet
  std::size_t end_ = 0;
  bool tool_line_ = false;
};

}  // namespace wafd::detect::cmd
