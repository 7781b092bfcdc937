#include "detect/core/bytes.h"

#include "detect/core/work_counter.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <bit>

namespace wafd {

std::string to_hex(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    out.push_back(kDigits[byte(c) >> 4]);
    out.push_back(kDigits[byte(c) & 0x0f]);
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
  count_steps(20);
  if (needle.size() > text.size()) return std::string_view::npos;
  std::size_t i = from;
#if defined(__SSE2__)
  // Sixteen places at once: those where the first and the last byte fit are looked at.
  if (!needle.empty()) {
    const char first = to_lower(needle.front());
    const char last = to_lower(needle.back());
    const __m128i first_all = _mm_set1_epi8(first);
    const __m128i last_all = _mm_set1_epi8(last);
    const __m128i first_case = _mm_set1_epi8(is_alpha(first) ? 0x20 : 0);
    const __m128i last_case = _mm_set1_epi8(is_alpha(last) ? 0x20 : 0);
    const std::size_t tail = needle.size() - 1;
    for (; i + tail + 16 <= text.size(); i += 16) {
      const __m128i head = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + i));
      const __m128i foot = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + i + tail));
      const __m128i fits = _mm_and_si128(_mm_cmpeq_epi8(_mm_or_si128(head, first_case), first_all),
                                         _mm_cmpeq_epi8(_mm_or_si128(foot, last_case), last_all));
      for (auto bits = static_cast<unsigned>(_mm_movemask_epi8(fits)); bits != 0; bits &= bits - 1) {
        const std::size_t at = i + static_cast<std::size_t>(std::countr_zero(bits));
        if (iequals_of_one_size(text.data() + at, needle.data(), needle.size())) return at;
      }
    }
  }
#endif
  for (; i + needle.size() <= text.size(); ++i) {
    if (iequals(text.substr(i, needle.size()), needle)) return i;
  }
  return std::string_view::npos;
}

std::string_view trim(std::string_view text) noexcept {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::string_view trim_space(std::string_view text) noexcept {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::size_t utf8_sequence(std::string_view text, std::size_t at, std::uint32_t& code_point) noexcept {
  if (at >= text.size()) return 0;
  const std::uint32_t lead = byte(text[at]);
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
    const std::uint32_t next = byte(text[at + i]);
    if ((next & 0xc0) != 0x80) return 0;
    value = (value << 6) | (next & 0x3f);
  }
  if (value < smallest || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) return 0;
  code_point = value;
  return length;
}

}  // namespace wafd
