#include "detect/core/octets.h"

namespace wafd {

std::string to_hex(std::string_view octets) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(octets.size() * 2);
  for (const char c : octets) {
    out.push_back(kDigits[octet(c) >> 4]);
    out.push_back(kDigits[octet(c) & 0x0f]);
  }
  return out;
}

std::string to_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = to_lower(c);
  return out;
}

bool iequals_of_one_size(const char* a, const char* b, std::size_t size) noexcept {
  for (std::size_t i = 0; i < size; ++i) {
    if (to_lower(a[i]) != to_lower(b[i])) return false;
  }
  return true;
}

bool istarts_with(std::string_view text, std::string_view prefix) noexcept {
  return text.size() >= prefix.size() && iequals(text.substr(0, prefix.size()), prefix);
}

std::size_t ifind(std::string_view text, std::string_view needle, std::size_t from) noexcept {
  if (needle.size() > text.size()) return std::string_view::npos;
  for (std::size_t i = from; i + needle.size() <= text.size(); ++i) {
    if (iequals(text.substr(i, needle.size()), needle)) return i;
  }
  return std::string_view::npos;
}

std::string_view trim(std::string_view text) noexcept {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::size_t utf8_sequence(std::string_view text, std::size_t at, std::uint32_t& code_point) noexcept {
  if (at >= text.size()) return 0;
  const std::uint32_t lead = octet(text[at]);
  if (lead < 0x80) {
    code_point = lead;
    return 1;
  }
  std::size_t length = 0;
  std::uint32_t smallest = 0;
  std::uint32_t value = 0;
  if (lead >= 0xc2 && lead <= 0xdf) {
    length = 2, smallest = 0x80, value = lead & 0x1f;
  } else if (lead >= 0xe0 && lead <= 0xef) {
    length = 3, smallest = 0x800, value = lead & 0x0f;
  } else if (lead >= 0xf0 && lead <= 0xf4) {
    length = 4, smallest = 0x10000, value = lead & 0x07;
  } else {
    return 0;
  }
  if (text.size() - at < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    const std::uint32_t next = octet(text[at + i]);
    if ((next & 0xc0) != 0x80) return 0;
    value = (value << 6) | (next & 0x3f);
  }
  if (value < smallest || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) return 0;
  code_point = value;
  return length;
}

}  // namespace wafd
