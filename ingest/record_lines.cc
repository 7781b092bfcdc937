#include "ingest/record_lines.h"

namespace wafd::ingest {

void RecordLines::end_line(std::string_view line, const Take& take) {
  ++number_;
  if (too_long_) {
    take(number_, {}, true);
  } else {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) take(number_, line, false);
  }
  too_long_ = false;
  held_.clear();
}

void RecordLines::feed(std::string_view bytes, const Take& take) {
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    const auto part = bytes.substr(0, end);
    if (!too_long_ && held_.size() + part.size() > max_line_bytes_) {
      too_long_ = true;
      held_.clear();
      held_.shrink_to_fit();
    }
    if (end == std::string_view::npos) {
      if (!too_long_) held_ += part;
      return;
    }
    if (held_.empty()) {
      end_line(part, take);
    } else {
      held_ += part;
      end_line(std::string(std::move(held_)), take);
    }
    bytes.remove_prefix(end + 1);
  }
}

void RecordLines::finish(const Take& take) {
  if (!held_.empty() || too_long_) end_line(std::string(std::move(held_)), take);
}

}  // namespace wafd::ingest
