#include "console/base/csv.h"

#include <algorithm>
#include <utility>

namespace wafd::console {
namespace {

bool begins_formula(std::string_view text) noexcept {
  return !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
}

}  // namespace

void append_csv_cell(std::string_view text, std::string& out) {
  const bool quoted = text.find_first_of(",\"\r\n") != std::string_view::npos;
  if (quoted) out += '"';
  if (begins_formula(text)) out += '\'';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  if (quoted) out += '"';
}

std::string CsvReader::quoted_cell() {
  std::string cell;
  for (++at_; at_ < text_.size(); ++at_) {
    if (text_[at_] == '"') {
      if (at_ + 1 >= text_.size() || text_[at_ + 1] != '"') break;
      ++at_;
    }
    if (text_[at_] == '\n') ++line_;
    cell += text_[at_];
  }
  if (at_ < text_.size()) ++at_;
  return cell;
}

std::string CsvReader::plain_cell() {
  const std::size_t end = std::min(text_.find_first_of(",\n", at_), text_.size());
  std::string_view cell = text_.substr(at_, end - at_);
  at_ = end;
  if (at_ < text_.size() && text_[at_] == '\n' && cell.ends_with('\r')) cell.remove_suffix(1);
  return std::string(cell);
}

std::optional<std::vector<std::string>> CsvReader::next() {
  if (at_ >= text_.size()) return std::nullopt;
  row_line_ = line_;
  std::vector<std::string> cells;
  for (;;) {
    std::string cell;
    if (at_ < text_.size() && text_[at_] == '"') cell = quoted_cell();
    cell += plain_cell();  // all of it, or what stands behind a closed quote
    if (cell.starts_with('\'') && begins_formula(std::string_view(cell).substr(1))) cell.erase(0, 1);
    cells.push_back(std::move(cell));
    const char end = at_ < text_.size() ? text_[at_++] : '\n';
    if (end == ',') continue;
    ++line_;
    return cells;
  }
}

}  // namespace wafd::console
