#include "forward/query/text_pattern.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>

#include "detect/core/bytes.h"

namespace wafd::forward {

Needle::Needle(std::string_view text) : lower_(to_lower(text)) {
  const auto length = static_cast<std::uint16_t>(std::min<std::size_t>(lower_.size(), 0xffff));
  skip_.fill(std::max<std::uint16_t>(length, 1));
  for (std::size_t i = 0; i + 1 < length; ++i) {
    const auto distance = static_cast<std::uint16_t>(length - 1 - i);
    skip_[byte(lower_[i])] = distance;
    if (is_lower(lower_[i])) skip_[byte(lower_[i]) - 32u] = distance;
  }
}

std::size_t Needle::skip_through(std::string_view text, std::size_t from) const noexcept {
  const std::size_t length = lower_.size();
  for (std::size_t at = from; at + length <= text.size();) {
    const char last = text[at + length - 1];
    if (to_lower(last) == lower_[length - 1] && iequals(text.substr(at, length), lower_)) return at;
    at += skip_[byte(last)];
  }
  return std::string_view::npos;
}

std::size_t Needle::find_in(std::string_view text, std::size_t from) const noexcept {
  const std::size_t length = lower_.size();
  if (length == 0) return from <= text.size() ? from : std::string_view::npos;
#if defined(__SSE2__)
  constexpr std::size_t kShort = 64;  // beyond, steps of the needle's length are the longer ones
  if (length <= kShort) {
    // A letter's two cases differ in one bit alone, and no other byte becomes a small letter by it.
    const auto of = [](char c) { return _mm_set1_epi8(c); };
    const auto fold = [](char c) { return _mm_set1_epi8(is_lower(c) ? 0x20 : 0); };
    const __m128i first = of(lower_.front()), last = of(lower_.back());
    const __m128i fold_first = fold(lower_.front()), fold_last = fold(lower_.back());
    for (; from + length - 1 + 16 <= text.size(); from += 16) {
      const char* at = text.data() + from;
      const __m128i begin = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
      const __m128i end = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + length - 1));
      const __m128i both = _mm_and_si128(_mm_cmpeq_epi8(_mm_or_si128(begin, fold_first), first),
                                         _mm_cmpeq_epi8(_mm_or_si128(end, fold_last), last));
      for (auto places = static_cast<unsigned>(_mm_movemask_epi8(both)); places != 0; places &= places - 1) {
        const std::size_t place = from + static_cast<std::size_t>(__builtin_ctz(places));
        if (iequals(text.substr(place, length), lower_)) return place;
      }
    }
  }
#endif
  return skip_through(text, from);
}

TextPattern::TextPattern(std::string_view text, PatternKind kind, bool globs) : text_(text), kind_(kind) {
  if (globs) {
    for (std::size_t at = 0;;) {
      const std::size_t star = text.find('*', at);
      pieces_.emplace_back(text.substr(at, star - at));
      if (star == std::string_view::npos) break;
      has_star_ = true;
      at = star + 1;
    }
  }
  if (!has_star_) {
    pieces_.clear();
    pieces_.emplace_back(text);
  }
}

std::string_view TextPattern::sure_part() const noexcept {
  std::string_view best;
  const std::string_view text = text_;
  for (std::size_t begin = 0, at = 0; at <= text.size(); ++at) {
    const bool stays = at < text.size() && text[at] >= 0x20 && text[at] < 0x7f && text[at] != '"' &&
                       text[at] != '\\' && !(has_star_ && text[at] == '*');
    if (stays) continue;
    if (at - begin > best.size()) best = text.substr(begin, at - begin);
    begin = at + 1;
  }
  return best;
}

bool TextPattern::matches(std::string_view text) const noexcept {
  if (!has_star_) {
    return kind_ == PatternKind::kPart ? pieces_[0].find_in(text) != std::string_view::npos
                                       : iequals(text, text_);
  }
  const Needle& first = pieces_.front();
  const Needle& last = pieces_.back();
  if (text.size() < first.size() + last.size()) return false;
  if (first.find_in(text.substr(0, first.size())) != 0) return false;
  if (last.find_in(text.substr(text.size() - last.size())) != 0) return false;
  const std::string_view middle = text.substr(0, text.size() - last.size());
  std::size_t at = first.size();
  for (std::size_t i = 1; i + 1 < pieces_.size(); ++i) {
    at = pieces_[i].find_in(middle, at);
    if (at == std::string_view::npos) return false;
    at += pieces_[i].size();
  }
  return true;
}

}  // namespace wafd::forward
