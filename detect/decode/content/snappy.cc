#include "detect/decode/content/snappy.h"

#include <algorithm>
#include <cstdint>

#include "detect/core/bytes.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kMaxLengthBytes = 5;  // of the varint before the stream, 32 bits
constexpr std::size_t kFirstLongLiteral = 60;

enum Element : std::uint8_t { kLiteral, kCopyOneByte, kCopyTwoBytes, kCopyFourBytes };

class SnappyReader {
 public:
  SnappyReader(std::string_view in, std::size_t cap, std::string& out) noexcept
      : in_(in), cap_(cap), out_(out) {}

  InflateEnd run() {
    std::size_t whole = 0;
    if (!read_length(whole)) return InflateEnd::kBroken;
    while (at_ < in_.size() && out_.size() < whole) {
      const unsigned tag = byte(in_[at_++]);
      const bool fits = (tag & 3u) == kLiteral ? literal(tag) : copy(tag);
      if (out_.size() >= cap_ && cap_ < whole) return InflateEnd::kLimit;
      if (!fits) return end_;
    }
    return out_.size() == whole && at_ == in_.size() ? InflateEnd::kComplete
           : out_.size() < whole                     ? InflateEnd::kTruncated
                                                     : InflateEnd::kBroken;
  }

 private:
  bool read_length(std::size_t& whole) noexcept {
    for (std::size_t i = 0; i < kMaxLengthBytes && at_ < in_.size(); ++i) {
      const unsigned part = byte(in_[at_++]);
      whole |= std::size_t{part & 0x7fu} << (7 * i);
      if (part < 0x80) return true;
    }
    return false;
  }
  // Of `bytes` bytes, the lowest first.
  bool read_number(std::size_t bytes, std::size_t& number) noexcept {
    if (in_.size() - at_ < bytes) return ended(InflateEnd::kTruncated);
    for (std::size_t i = 0; i < bytes; ++i) number |= std::size_t{byte(in_[at_ + i])} << (8 * i);
    at_ += bytes;
    return true;
  }
  bool literal(unsigned tag) {
    std::size_t size = tag >> 2;
    if (size >= kFirstLongLiteral) {
      const std::size_t bytes = size - kFirstLongLiteral + 1;
      size = 0;
      if (!read_number(bytes, size)) return false;
    }
    ++size;
    const std::size_t there = std::min({size, in_.size() - at_, cap_ - std::min(cap_, out_.size())});
    out_.append(in_.substr(at_, there));
    at_ += there;
    return there == size || ended(InflateEnd::kTruncated);
  }
  bool copy(unsigned tag) {
    std::size_t size = (tag >> 2) + 1;
    std::size_t back = 0;
    if ((tag & 3u) == kCopyOneByte) {
      size = ((tag >> 2) & 7u) + 4;
      if (!read_number(1, back)) return false;
      back |= std::size_t{tag >> 5} << 8;
    } else if (!read_number((tag & 3u) == kCopyTwoBytes ? 2 : 4, back)) {
      return false;
    }
    if (back == 0 || back > out_.size()) return ended(InflateEnd::kBroken);
    // It may reach into what it makes.
    for (; size > 0 && out_.size() < cap_; --size) out_.push_back(out_[out_.size() - back]);
    return size == 0 || ended(InflateEnd::kLimit);
  }
  bool ended(InflateEnd end) noexcept {
    end_ = end;
    return false;
  }

  std::string_view in_;
  const std::size_t cap_;
  std::string& out_;
  std::size_t at_ = 0;
  InflateEnd end_ = InflateEnd::kBroken;
};

}  // namespace

InflateEnd run_snappy(std::string_view in, std::size_t cap, std::string& out) {
  return SnappyReader(in, cap, out).run();
}

}  // namespace wafd::detect
