#include "detect/extract/sums.h"

#include <algorithm>
#include <array>

#include "detect/core/byte_finder.h"
#include "detect/core/bytes.h"
#include "detect/decode/base64.h"
#include "detect/extract/cut_near.h"
#include "detect/extract/delta_extractor.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kSpacesOfSentence = 3;  // plus signs between letters

using ByteTable = std::array<bool, 256>;

constexpr ByteTable table_of(std::string_view bytes) {
  ByteTable table{};
  for (const char c : bytes) table[byte(c)] = true;
  return table;
}

constexpr ByteTable kSigns = table_of("'\"`()[]{}<>$^/\\*=~|");
constexpr ByteTable kQuotes = table_of("'\"`");
// How an operand ends, and how one begins, comments around it included.
constexpr ByteTable kEnds = table_of("'\"`)]}/");
constexpr ByteTable kBegins = table_of("'\"`([{/$@!~");

// Who writes the spaces of a sentence so writes a plus as %2B: it would stand between two operands. What is
// nothing but digits of base64 is no sentence.
bool is_sentence(std::string_view text) noexcept {
  static constexpr ByteFinder kDigits(kBase64Digits);
  std::size_t spaces = 0;
  for (std::size_t i = text.find('+'); i != std::string_view::npos; i = text.find('+', i + 1)) {
    if (i != 0 && i + 1 < text.size() && is_alpha(text[i - 1]) && is_alpha(text[i + 1]) &&
        ++spaces == kSpacesOfSentence)
      return kDigits.find_other(text, 0) != text.size();
  }
  return false;
}

bool may_add(std::string_view text, std::size_t plus, bool sentence) noexcept {
  const unsigned char behind = plus != 0 ? byte(text[plus - 1]) : 0;
  const unsigned char before = plus + 1 < text.size() ? byte(text[plus + 1]) : 0;
  // see+/etc/hosts: behind a word a slash begins a path, not what is divided.
  const bool path = before == '/' && is_alpha(static_cast<char>(behind));
  if (!sentence) return kSigns[behind] || (kSigns[before] && !path) || before == '!';
  const bool ends = behind == ')' || behind == ']' || behind == '}';
  if (ends && (before == '(' || before == '[' || before == '!')) return true;
  return (kQuotes[behind] && kBegins[before]) || (kEnds[behind] && kQuotes[before]);
}

// Where the part around a sum at `plus` begins.
std::size_t begin_before(std::string_view text, std::size_t plus) noexcept {
  return plus > 2 * kAroundBytes ? cut_near(text, plus - kAroundBytes, kAroundBytes / 2) : 0;
}

}  // namespace

std::string_view parts_with_sums(std::string_view text, std::string& joined) {
  const bool sentence = is_sentence(text);
  std::size_t begin = 0;
  std::size_t end = 0;  // 0: there was no sum yet
  joined.clear();
  for (std::size_t i = text.find('+'); i != std::string_view::npos; i = text.find('+', i + 1)) {
    if (!may_add(text, i, sentence)) continue;
    if (text.size() <= kWholeBytes) return text;
    if (end == 0) {
      begin = begin_before(text, i);
    } else if (sentence && i > end + kAroundBytes) {
      if (const std::size_t from = begin_before(text, i); from > end) {
        joined.append(text, begin, end - begin).append(1, ' ');
        begin = from;
      }
    }
    end = std::min(text.size(), i + 1 + kAroundBytes);
  }
  if (joined.empty()) return text.substr(begin, end - begin);
  return joined.append(text, begin, end - begin);
}

}  // namespace wafd::detect
