// Reads members out of a record's JSON as the ring holds it, without a JSON library.
#pragma once

#include <string>
#include <string_view>

#include "detect/core/record_cut.h"

namespace wafd::forward {

// The inside of a JSON string as written by append_json_text, read back: UTF-8; what was no UTF-8 stays the
// four characters \xnn. Other escapes of JSON are read as well.
std::string unescape_json(std::string_view inside);
// The same, appended; never longer than `inside`.
void append_unescaped_json(std::string_view inside, std::string& out);

// One pass over the record on construction; then members cost nothing to find. Views into `record_json`,
// which must outlive the reader. A text that is no record gives empty members and valid() false.
class RecordReader {
 public:
  explicit RecordReader(std::string_view record_json) noexcept { valid_ = scan_record(record_json, values_); }

  bool valid() const noexcept { return valid_; }
  // As it stands in the JSON: strings with quotes, numbers, null, lists. `number` counts from 1.
  std::string_view raw(std::size_t number) const noexcept {
    return valid_ ? values_[number - 1] : std::string_view();
  }
  // Strings unescaped, others as they stand.
  std::string text(std::size_t number) const;
  std::string text(std::string_view name) const;  // empty for a name that does not exist
  // The inside of a string without unescaping.
  std::string_view escaped(std::size_t number) const noexcept;

 private:
  RecordValues values_{};
  bool valid_ = false;
};

}  // namespace wafd::forward
