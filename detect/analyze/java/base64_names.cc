// A class name inside of a longer base64 text shows in three ways, by how many bytes stand before it. Whole
// values at the first alignment are decoded before; these are the pieces that begin elsewhere.
#include "detect/analyze/java/base64_names.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "detect/analyze/java/words.tsv.h"
#include "detect/core/bytes.h"
#include "detect/core/work_counter.h"

namespace wafd::detect::java {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t kLeastDigits = 8;  // fewer say nothing
constexpr std::size_t kMostDigits = 12;  // of a literal for the prefilter; more tell no more

constexpr std::array<std::int8_t, 256> kValues = []() {
  std::array<std::int8_t, 256> values{};
  values.fill(-1);
  for (std::size_t i = 0; i < kDigits.size(); ++i) values[byte(kDigits[i])] = static_cast<std::int8_t>(i);
  values[byte('-')] = 62;
  values[byte('_')] = 63;
  return values;
}();

bool hidden_word(const WordRow& row) noexcept { return meets(row.use, Use::kGadget | Use::kRunner); }

// As Java writes it, or all in lower case.
bool written_so(std::string_view segment, const WordRow& row) noexcept {
  return segment == row.written || segment == row.text;
}

// Digits that `word` alone determines when `before` bytes stand before it.
std::string determined_digits(std::string_view word, std::size_t before) {
  std::string digits;
  std::uint32_t bits = 0;
  unsigned have = 0;
  const auto put = [&](unsigned char value) {
    bits = bits << 8 | value;
    have += 8;
    while (have >= 6) {
      have -= 6;
      digits.push_back(kDigits[bits >> have & 0x3f]);
    }
  };
  for (std::size_t i = 0; i < before; ++i) put(0);
  for (const char c : word) put(byte(c));
  return digits.substr((before * 8 + 5) / 6, kMostDigits);
}

// Walks over the bytes that a run of digits gives when `missing` digits of its first group are not there.
void read_run(std::string_view text, std::size_t begin, std::size_t end, unsigned missing,
              HiddenName& found) {
  std::array<char, 64> segment;
  std::size_t size = 0;
  const auto close = [&](std::size_t at) {
    if (size >= kLeastDigits - 2 && size < segment.size()) {
      const std::string_view word(segment.data(), size);
      const WordRow* row = kWords.find(word);
      if (row != nullptr && hidden_word(*row) && written_so(word, *row))
        found = {at - std::min(at - begin, (size * 8 + 5) / 6 + 2), at, row->written};
    }
    size = 0;
  };
  std::uint32_t bits = 0;
  unsigned have = missing * 6 % 8;
  for (std::size_t i = begin; i < end; ++i) {
    bits = (bits << 6) | static_cast<std::uint32_t>(kValues[byte(text[i])]);
    have += 6;
    if (have < 8) continue;
    have -= 8;
    const char c = static_cast<char>(bits >> have & 0xff);
    if (!is_alnum(c) && c != '_')
      close(i);
    else if (size < segment.size())
      segment[size++] = c;
  }
  close(end);
}

// The digits that "runtime" determines at each alignment. In a longer text it is a word; a value that is
// nothing but a piece of it is a probe for filters of class names.
constexpr std::array<std::string_view, 5> kRuntime = {"cnVudGltZ", "UnVudGltZ", "J1bnRpbW", "ydW50aW1l",
                                                      "SdW50aW1l"};

}  // namespace

bool is_base64_runtime(std::string_view text) noexcept {
  text = trim(text);
  while (text.ends_with('=')) text.remove_suffix(1);
  return std::any_of(kRuntime.begin(), kRuntime.end(), [text](std::string_view digits) {
    const std::size_t at = text.find(digits);
    return at <= 2 && text.size() - at - digits.size() <= 2;
  });
}

std::vector<std::string> base64_literals() {
  std::vector<std::string> out(kRuntime.begin(), kRuntime.end());
  for (const WordRow& row : kWords.rows()) {
    if (!hidden_word(row)) continue;
    for (std::size_t before = 0; before < 3; ++before) {
      out.push_back(determined_digits(row.written, before));
      out.push_back(determined_digits(row.text, before));
    }
  }
  for (std::string& literal : out) {
    for (char& c : literal) c = to_lower(c);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

HiddenName base64_name(std::string_view text) noexcept {
  HiddenName found;
  for (std::size_t at = 0; at < text.size() && found.name.empty();) {
    std::size_t end = at;
    while (end < text.size() && kValues[byte(text[end])] >= 0) ++end;
    if (end - at >= kLeastDigits) {
      count_steps(8 * (end - at));
      for (unsigned missing = 0; missing < 4; ++missing) read_run(text, at, end, missing, found);
    }
    at = std::max(end, at + 1);
  }
  return found;
}

}  // namespace wafd::detect::java
