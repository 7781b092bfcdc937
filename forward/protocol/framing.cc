#include "forward/protocol/framing.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "detect/core/bytes.h"

namespace wafd::forward {
namespace {

void append_one_line(std::string_view text, std::string& out) {
  const std::size_t from = out.size();
  out += text;
  if (std::memchr(text.data(), '\n', text.size()))
    std::replace(out.begin() + static_cast<std::ptrdiff_t>(from), out.end(), '\n', ' ');
}

}  // namespace

void append_frame(Framing framing, std::string_view header, std::string_view content, std::string& out) {
  if (framing == Framing::kLf) {
    append_one_line(header, out);
    append_one_line(content, out);
    out += '\n';
    return;
  }
  append_frame_begin(framing, header.size() + content.size(), out);
  out += header;
  out += content;
}

void append_frame_begin(Framing framing, std::size_t message_bytes, std::string& out) {
  if (framing == Framing::kLf) return;
  char digits[20];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, message_bytes).ptr);
  out += ' ';
}

bool FrameReader::next(std::string_view& message) {
  if (!error_.empty()) return false;
  if (at_ > 65536 || at_ == buffer_.size()) {  // move the rest to the front, seldom enough to stay linear
    buffer_.erase(0, at_);
    at_ = 0;
  }
  if (at_ == buffer_.size()) return false;
  const char first = buffer_[at_];
  return first >= '1' && first <= '9' ? next_counted(message) : next_line(message);
}

bool FrameReader::next_counted(std::string_view& message) {
  const std::string_view rest = std::string_view(buffer_).substr(at_);
  std::size_t digits = 0, length = 0;
  while (digits < rest.size() && is_digit(rest[digits])) {
    length = length * 10 + static_cast<std::size_t>(rest[digits++] - '0');
    if (length > max_) return error_ = "frame length beyond the limit", false;
  }
  if (digits == rest.size()) return false;
  if (rest[digits] != ' ') return error_ = "no space after the frame length", false;
  if (rest.size() - digits - 1 < length) return false;
  message = rest.substr(digits + 1, length);
  at_ += digits + 1 + length;
  scanned_ = 0;
  return true;
}

bool FrameReader::next_line(std::string_view& message) {
  const std::string_view rest = std::string_view(buffer_).substr(at_);
  const std::size_t lf = rest.find('\n', scanned_);
  if (lf == std::string_view::npos) {
    scanned_ = rest.size();
    if (rest.size() > max_) error_ = "line beyond the limit";
    return false;
  }
  if (lf > max_) return error_ = "line beyond the limit", false;
  message = rest.substr(0, lf);
  at_ += lf + 1;
  scanned_ = 0;
  return true;
}

}  // namespace wafd::forward
