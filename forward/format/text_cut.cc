#include "forward/format/text_cut.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <utility>
#include <vector>

#include <fmt/format.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "detect/core/bytes.h"
#include "detect/core/record_json.h"
#include "forward/ring/record_reader.h"

namespace wafd::forward {
namespace {

constexpr std::string_view kCutMark = "\u2026[cut ";

// A piece of an object: what stands between string values, or the inside of one.
struct Piece {
  std::string text;  // as written
  bool value = false;
};

struct Pieces {
  std::vector<Piece> all;
  // Where the value of the last member of the object begins: which piece, and where in it.
  std::size_t last_piece = 0, last_at = 0;
  bool sound = false;
};

// End of the string whose opening quote is at `at`: its closing quote, or npos.
std::size_t closing_quote(std::string_view json, std::size_t at) noexcept {
  for (++at; at < json.size(); ++at) {
    if (json[at] == '"') return at;
    if (json[at] == '\\') ++at;
  }
  return std::string_view::npos;
}

Pieces split(std::string_view json) {
  Pieces pieces;
  std::string between;
  std::size_t depth = 0;
  for (std::size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && depth-- == 0) return pieces;
    if (c != '"') {
      between += c;
      continue;
    }
    const std::size_t end = closing_quote(json, at);
    if (end == std::string_view::npos) return pieces;
    std::string inside;
    append_json_text(unescape_json(json.substr(at + 1, end - at - 1)), inside);
    at = end;
    between += '"';
    if (end + 1 < json.size() && json[end + 1] == ':') {  // a name
      between += inside + "\":";
      ++at;
      if (depth == 1) pieces.last_piece = pieces.all.size(), pieces.last_at = between.size();
      continue;
    }
    pieces.all.push_back({std::exchange(between, "\""), false});
    pieces.all.push_back({std::move(inside), true});
  }
  pieces.all.push_back({std::move(between), false});
  pieces.sound = depth == 0 && json.starts_with('{') && json.ends_with('}');
  return pieces;
}

std::string joined(const Pieces& pieces) {
  std::string out;
  for (const Piece& piece : pieces.all) out += piece.text;
  return out;
}

std::size_t size_of(const Pieces& pieces, std::size_t from) noexcept {
  std::size_t size = 0;
  for (std::size_t i = from; i < pieces.all.size(); ++i) size += pieces.all[i].text.size();
  return size;
}

// Shortens string values among the pieces from `begin` to `end`, the longest first, to save `over` bytes;
// returns how many were saved.
std::size_t shorten_values(Pieces& pieces, std::size_t begin, std::size_t end, std::size_t over) {
  std::vector<Piece*> values;
  for (std::size_t i = begin; i < end; ++i)
    if (pieces.all[i].value) values.push_back(&pieces.all[i]);
  std::stable_sort(values.begin(), values.end(),
                   [](const Piece* a, const Piece* b) { return a->text.size() > b->text.size(); });
  std::size_t saved = 0;
  std::string scratch, shorter;
  for (Piece* piece : values) {
    if (saved >= over) break;
    const std::string text = unescape_json(piece->text);
    const std::size_t before = piece->text.size(), more = over - saved;
    const ShortText s =
        shorten_text({text, 0}, before > more ? before - more : 0, 0, append_json_text, scratch);
    shorter.clear();
    append_json_text(s.text, shorter);
    shorter += cut_mark(s.cut_bytes);
    if (shorter.size() >= before) continue;
    saved += before - shorter.size();
    piece->text = shorter;
  }
  return saved;
}

std::string_view whole_beginning(std::string_view text, std::size_t max) noexcept {
  std::size_t kept = 0;
  while (kept < text.size() && kept + whole_at(text, kept) <= max) kept += whole_at(text, kept);
  return text.substr(0, kept);
}

}  // namespace

Unit unit_at(std::string_view text, std::size_t at) noexcept {
  constexpr char kHex[] = "0123456789abcdef";
  Unit unit;
  const char c = text[at];
  if (c >= 0x20 && c < 0x7f) return unit;
  std::uint32_t code = 0;
  unit.length = utf8_sequence(text, at, code);
  if (unit.length == 0) {
    unit = {1, {'\\', 'x', kHex[byte(c) >> 4], kHex[byte(c) & 15]}, 4};
  } else if (code < 0xa0 || code == 0x2028 || code == 0x2029) {
    unit = {unit.length,
            {'\\', 'u', kHex[code >> 12 & 15], kHex[code >> 8 & 15], kHex[code >> 4 & 15], kHex[code & 15]},
            6};
  }
  return unit;
}

std::size_t whole_at(std::string_view text, std::size_t at) noexcept {
  if (text[at] == '\\' && at + 4 <= text.size() && text[at + 1] == 'x' && hex_value(text[at + 2]) >= 0 &&
      hex_value(text[at + 3]) >= 0)
    return 4;
  return unit_at(text, at).length;
}

std::size_t plain_end(std::string_view text, std::size_t at, char a, char b) noexcept {
#if defined(__SSE2__)
  const __m128i low = _mm_set1_epi8(0x1f), del = _mm_set1_epi8(0x7f), first = _mm_set1_epi8(a),
                second = _mm_set1_epi8(b);
  for (; at + 16 <= text.size(); at += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
    // Signed: bytes of more than 0x7f are below 0x1f too.
    const __m128i inside = _mm_and_si128(_mm_cmpgt_epi8(bytes, low), _mm_cmplt_epi8(bytes, del));
    const __m128i marks = _mm_or_si128(_mm_cmpeq_epi8(bytes, first), _mm_cmpeq_epi8(bytes, second));
    const auto plain = static_cast<unsigned>(_mm_movemask_epi8(_mm_andnot_si128(marks, inside)));
    if (plain != 0xffff) return at + static_cast<std::size_t>(std::countr_one(plain));
  }
#endif
  while (at < text.size() && byte(text[at]) - 0x20u < 0x5fu && text[at] != a && text[at] != b) ++at;
  return at;
}

std::string cut_mark(std::size_t bytes) { return fmt::format("{}{}]", kCutMark, bytes); }

std::size_t take_cut_mark(std::string_view& text) noexcept {
  const std::size_t at = text.rfind(kCutMark);
  if (at == std::string_view::npos || text.back() != ']') return 0;
  const std::string_view digits = text.substr(at + kCutMark.size(), text.size() - at - kCutMark.size() - 1);
  if (digits.empty() || digits.size() > 9 || digits[0] == '0') return 0;
  std::size_t count = 0;
  const char* end = digits.data() + digits.size();
  if (const auto read = std::from_chars(digits.data(), end, count); read.ec != std::errc{} || read.ptr != end)
    return 0;
  text = text.substr(0, at);
  return count;
}

bool cut_json_object(std::string_view json, std::size_t max, std::string& out) {
  Pieces pieces = split(json);
  if (!pieces.sound) {
    const std::string_view kept = whole_beginning(json, max);
    out += kept;
    return kept.size() < json.size();
  }
  std::size_t size = size_of(pieces, 0);
  if (size > max) {
    const std::size_t last = size_of(pieces, pieces.last_piece) - pieces.last_at - 1;
    const std::size_t inside = pieces.last_piece + 1;
    size -= shorten_values(pieces, inside, pieces.all.size(), size - max);
    const std::string mark = '"' + cut_mark(last) + '"';
    if (const std::size_t now = size_of(pieces, pieces.last_piece) - pieces.last_at - 1;
        size > max && mark.size() < now) {
      pieces.all.resize(inside);
      pieces.all.back().text.replace(pieces.last_at, std::string::npos, mark + '}');
      size -= now - mark.size();
    }
    if (size > max) shorten_values(pieces, 0, inside, size - max);
    out += joined(pieces);
    return true;
  }
  out += joined(pieces);
  return false;
}

}  // namespace wafd::forward
