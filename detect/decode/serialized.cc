#include "detect/decode/serialized.h"

#include "detect/core/bytes.h"

namespace wafd::detect {
namespace {

constexpr std::string_view kJavaMagic("\xac\xed\x00\x05", 4);
constexpr std::size_t kJavaMagicWithin = 64;

// A PHP length prefix at `at`: letter, colon, digits, colon, quote. Returns where the string begins, or 0.
std::size_t php_string_begin(std::string_view in, std::size_t at, std::size_t& length) noexcept {
  const char kind = in[at];
  if (kind != 's' && kind != 'S' && kind != 'O' && kind != 'C' && kind != 'E') return 0;
  if (at > 0 && is_alnum(in[at - 1])) return 0;
  std::size_t i = at + 1;
  if (i >= in.size() || in[i] != ':') return 0;
  const std::size_t first = ++i;
  std::size_t value = 0;
  while (i < in.size() && is_digit(in[i]) && i < first + 8)
    value = value * 10 + static_cast<std::size_t>(in[i++] - '0');
  if (i == first || i + 1 >= in.size() || in[i] != ':' || in[i + 1] != '"') return 0;
  length = value;
  return i + 2;
}

}  // namespace

bool maybe_php_serialized(std::string_view in) noexcept {
  for (std::size_t i = in.find(":\""); i != std::string_view::npos; i = in.find(":\"", i + 1)) {
    std::size_t digit = i;
    while (digit > 0 && is_digit(in[digit - 1]) && i - digit < 8) --digit;
    if (digit < i && digit >= 2 && in[digit - 1] == ':' && is_alpha(in[digit - 2])) return true;
  }
  return false;
}

bool php_serialized_strings(std::string_view in, std::vector<std::string_view>& out) {
  out.clear();
  for (std::size_t i = 0; i < in.size() && out.size() < kMaxSerializedStrings;) {
    std::size_t length = 0;
    const std::size_t begin = php_string_begin(in, i, length);
    if (begin == 0) {
      ++i;
      continue;
    }
    std::size_t end = begin + length;
    if (end >= in.size() || in[end] != '"') {
      // A wrong length: the reader may be lenient, or the sender did not count.
      end = in.find('"', begin);
      if (end == std::string_view::npos) end = in.size();
    }
    if (end > begin) out.push_back(in.substr(begin, end - begin));
    i = end + 1;
  }
  return !out.empty();
}

bool maybe_java_serialized(std::string_view in) noexcept {
  return in.substr(0, kJavaMagicWithin + kJavaMagic.size()).find(kJavaMagic) != std::string_view::npos;
}

bool java_serialized_strings(std::string_view in, std::vector<std::string_view>& out) {
  constexpr char kClassDesc = 0x72;
  constexpr char kString = 0x74;
  out.clear();
  std::size_t i = in.substr(0, kJavaMagicWithin + kJavaMagic.size()).find(kJavaMagic);
  if (i == std::string_view::npos) return false;
  std::size_t printable_end =
      0;  // end of the printable run that was measured last: no byte is measured twice
  const auto printable = [](char c) { return c >= 0x20 && c < 0x7F; };
  for (i += kJavaMagic.size(); i + 3 < in.size() && out.size() < kMaxSerializedStrings;) {
    if (in[i] != kClassDesc && in[i] != kString) {
      ++i;
      continue;
    }
    const std::size_t length = static_cast<std::size_t>(byte(in[i + 1])) * 256 + byte(in[i + 2]);
    const std::size_t begin = i + 3;
    if (printable_end < begin) printable_end = begin;
    while (printable_end < in.size() && printable_end < begin + length && printable(in[printable_end]))
      ++printable_end;
    if (length < 3 || begin + length > printable_end) {
      ++i;
      continue;
    }
    out.push_back(in.substr(begin, length));
    i = begin + length;
  }
  return !out.empty();
}

}  // namespace wafd::detect
