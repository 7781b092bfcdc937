#include "detect/extract/csv_reader.h"

#include <algorithm>
#include <string>
#include <vector>

#include "detect/core/bytes.h"
#include "detect/core/word_set.h"
#include "detect/extract/body_type.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kMaxNameBytes = 64;
constexpr std::size_t kMaxColumns = 1024;  // that are named
// More are judged as one text: tables of that size are ordinary, and nothing of them is left out.
constexpr std::size_t kMaxCells = kMaxFields / 2;

// Cells that need no judging: 17, -3.5, 2026-11-23, active. So that long tables stay within kMaxFields.
bool is_word(std::string_view cell) noexcept {
  return std::all_of(cell.begin(), cell.end(), is_alnum) ||
         std::all_of(cell.begin(), cell.end(), [](char c) { return is_digit(c) || c == '-' || c == '.'; });
}

class CsvReader {
 public:
  CsvReader(std::string_view text, const Field& like, FieldList& out)
      : text_(text), field_(like), out_(out), own_outer_(like.outer.data() == nullptr) {}

  bool read() {
    separator_ = separator();
    while (at_ < text_.size()) {
      const std::size_t begin = at_;
      std::string_view cell;
      if (!take_cell(cell)) return false;
      if (!keep(cell, begin)) return true;
      const bool more = at_ < text_.size() && text_[at_] == separator_;
      if (more) {
        ++column_;
      } else {
        column_ = 0;
        ++record_;
      }
      if (at_ < text_.size() && text_[at_] == '\r') ++at_;
      if (at_ < text_.size()) ++at_;
    }
    return true;
  }

 private:
  // Of the first record, outside of quotes: a comma if there is one, else what stands there first.
  char separator() const noexcept {
    char found = ',';
    bool quoted = false;
    for (const char c : text_) {
      if (c == '"') quoted = !quoted;
      if (quoted) continue;
      if (c == ',' || c == '\n') return c == ',' ? c : found;
      if (found == ',' && (c == ';' || c == '\t')) found = c;
    }
    return found;
  }

  bool ends_cell(std::size_t at) const noexcept {
    return text_[at] == separator_ || text_[at] == '\n' ||
           (text_[at] == '\r' && at + 1 < text_.size() && text_[at + 1] == '\n');
  }

  // From at_ to the separator or line end behind it.
  bool take_cell(std::string_view& cell) {
    std::size_t begin = at_;
    if (at_ < text_.size() && text_[at_] == '"') {
      if (!take_quoted(cell)) return false;
      begin = at_;
    }
    while (at_ < text_.size() && !ends_cell(at_)) ++at_;
    // Behind a closing quote nothing may follow; who reads it all the same appends it.
    const std::string_view rest = text_.substr(begin, at_ - begin);
    if (!rest.empty()) cell = cell.empty() ? rest : out_.arena.append(cell, rest);
    return true;
  }

  // Two quotes are one.
  bool take_quoted(std::string_view& cell) {
    const std::size_t begin = ++at_;
    bool doubled = false;
    while (true) {
      at_ = text_.find('"', at_);
      if (at_ == std::string_view::npos) return false;
      if (at_ + 1 == text_.size() || text_[at_ + 1] != '"') break;
      doubled = true;
      at_ += 2;
    }
    cell = text_.substr(begin, at_++ - begin);
    if (!doubled) return true;
    plain_.clear();
    for (std::size_t i = 0; i < cell.size(); ++i) {
      plain_ += cell[i];
      if (cell[i] == '"') ++i;
    }
    cell = out_.arena.copy(plain_);
    return true;
  }

  // False: there are too many, and the rest was added as one field.
  bool keep(std::string_view cell, std::size_t begin) {
    if (record_ == 0 && names_.size() < kMaxColumns)
      names_.push_back(cell.size() <= kMaxNameBytes ? cell : std::string_view());
    if (is_word(cell)) return true;
    const bool rest = cells_++ == kMaxCells;
    field_.name = record_ != 0 && column_ < names_.size() && !rest ? names_[column_] : std::string_view();
    field_.raw = rest ? text_.substr(begin) : cell;
    if (own_outer_) field_.outer = rest ? field_.raw : text_.substr(begin, at_ - begin);
    if (out_.add(field_)) return !rest;
    field_.raw = text_.substr(begin);
    if (own_outer_) field_.outer = field_.raw;
    out_.add_rest(field_);
    return false;
  }

  std::string_view text_;
  Field field_;
  FieldList& out_;
  bool own_outer_;
  char separator_ = ',';
  std::size_t at_ = 0;
  std::size_t record_ = 0;
  std::size_t column_ = 0;
  std::size_t cells_ = 0;  // that were added
  std::vector<std::string_view> names_;
  std::string plain_;
};

}  // namespace

bool is_csv(std::string_view media_type) noexcept {
  static constexpr WordSet kTypes({"text/csv", "text/x-csv", "application/csv", "application/x-csv",
                                   "text/comma-separated-values", "text/tab-separated-values"});
  return kTypes.has(media_type_of(media_type));
}

bool read_csv(std::string_view text, const Field& like, FieldList& out) {
  const std::size_t before = out.size();
  if (CsvReader(text, like, out).read()) return true;
  out.shrink(before);
  return false;
}

}  // namespace wafd::detect
