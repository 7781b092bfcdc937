// NDJSON in any fragmentation -> lines, with a limit for each and none on the whole.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace wafd::ingest {

// Lines end with LF (a CR before it is dropped) or the end of the body. Empty ones are skipped but counted.
class RecordLines {
 public:
  explicit RecordLines(std::size_t max_line_bytes) noexcept : max_line_bytes_(max_line_bytes) {}

  // `take(number, line, too_long)`: numbers from 1; of a line beyond the limit `line` is empty and `too_long`
  // set. The view lasts for the call.
  using Take = std::function<void(std::uint64_t number, std::string_view line, bool too_long)>;
  void feed(std::string_view bytes, const Take& take);
  void finish(const Take& take);

 private:
  void end_line(std::string_view line, const Take& take);

  std::size_t max_line_bytes_;
  std::uint64_t number_ = 0;
  std::string held_;       // the beginning of a line
  bool too_long_ = false;  // the rest of this line is skipped
};

}  // namespace wafd::ingest
