// Comma-separated values (RFC 4180) that a spreadsheet may open: a cell that it would run as a formula
// (beginning with = + - @ tab or CR) is written with a ' in front, and read without it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wafd::console {

void append_csv_cell(std::string_view text, std::string& out);

// Rows of a text, which must outlive the reader. Ends of lines are LF or CR LF; quoted cells may hold them.
class CsvReader {
 public:
  explicit CsvReader(std::string_view text) noexcept : text_(text) {}

  // The cells of the next row; nothing at the end. A quote that nothing closes ends with the text.
  std::optional<std::vector<std::string>> next();
  std::size_t line() const noexcept { return row_line_; }  // on which the row given last began, from 1

 private:
  std::string quoted_cell();
  std::string plain_cell();

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t row_line_ = 1;
};

}  // namespace wafd::console
