#include "detect/extract/delta_extractor.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "detect/core/byte_finder.h"
#include "detect/extract/cut_near.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kKeyBytes = 8;     // by which a word is looked up
constexpr std::size_t kWordsApart = 16;  // bytes between those that can be looked up
// Less than so much of the bytes around a part is not worth a cut.
constexpr std::size_t least_left_out(std::size_t around) noexcept {
  return around < kAroundBytes ? around / 2 : around;
}
// A text is compared with so many, and with fewer if so many of them have little of it.
constexpr std::size_t kMost = 6;
constexpr std::size_t kUseless = 3;
constexpr std::size_t kLittle = 16;  // less than this part of it

// Where one part may end and another begin. None of these is in base64 or in a word.
constexpr ByteFinder kBreaks(" \t\r\n,;&");

std::uint64_t key_at(std::string_view text, std::size_t at) noexcept {
  std::uint64_t key = 0;
  std::memcpy(&key, text.data() + at, kKeyBytes);
  return key;
}

std::size_t slot_of(std::uint64_t key, unsigned bits) noexcept {
  return static_cast<std::size_t>(key * 0x9e3779b97f4a7c15u >> (64 - bits));
}

std::size_t same_from(std::string_view a, std::string_view b) noexcept {
  const std::size_t shorter = std::min(a.size(), b.size());
  std::size_t at = 0;
  while (at + kKeyBytes <= shorter && key_at(a, at) == key_at(b, at)) at += kKeyBytes;
  while (at < shorter && a[at] == b[at]) ++at;
  return at;
}

// Bytes before the ends, at most `most`.
std::size_t same_before(std::string_view a, std::string_view b, std::size_t most) noexcept {
  most = std::min({most, a.size(), b.size()});
  std::size_t same = 0;
  while (same < most && a[a.size() - 1 - same] == b[b.size() - 1 - same]) ++same;
  return same;
}

}  // namespace

void DeltaExtractor::index(Text& text) {
  text.slot_bits = static_cast<unsigned>(std::bit_width(text.bytes.size() / (kWordsApart / 2)));
  text.first_slot = slots_.size();
  slots_.resize(slots_.size() + (std::size_t{1} << text.slot_bits));
  std::size_t at = 0;
  while (at + kKeyBytes <= text.bytes.size()) {
    slots_[text.first_slot + slot_of(key_at(text.bytes, at), text.slot_bits)] =
        static_cast<std::uint32_t>(at + 1);
    at = kBreaks.find(text.bytes, at + kWordsApart) + 1;
  }
}

std::size_t DeltaExtractor::look_up(const Text& text, std::string_view made, std::size_t at) const noexcept {
  const std::uint64_t key = key_at(made, at);
  const std::uint32_t slot = slots_[text.first_slot + slot_of(key, text.slot_bits)];
  return slot != 0 && key_at(text.bytes, slot - 1) == key ? slot - 1 : text.bytes.size();
}

std::size_t DeltaExtractor::compare(const Text& text, std::string_view made) {
  std::size_t gained = 0;
  std::size_t behind = 0;   // of what was compared last
  std::size_t text_at = 0;  // where it may go on in `text`
  for (std::size_t at = 0; at + kKeyBytes <= made.size(); at = kBreaks.find(made, at) + 1) {
    if (at != 0) text_at = look_up(text, made, at);
    if (text_at == text.bytes.size()) continue;
    const std::size_t before = same_before(text.bytes.substr(0, text_at), made.substr(0, at), at - behind);
    Range same{at - before, at + same_from(text.bytes.substr(text_at), made.substr(at))};
    text_at += same.end - at;
    at = behind = same.end;
    // The context of a part is compared with it, but for the ends of both texts.
    const bool begins = same.begin == 0 && text_at == same.end;
    const bool ends = same.end == made.size() && text_at == text.bytes.size();
    gained += take_known(known_, same, begins, ends, kAroundBytes);
    take_known(known_near_, same, begins, ends, near_bytes_);
  }
  return gained;
}

std::size_t DeltaExtractor::take_known(std::vector<Range>& all, Range same, bool begins, bool ends,
                                       std::size_t around) {
  if (!begins) same.begin += around;
  if (!ends) same.end -= std::min(same.end, around);
  if (same.end < same.begin + least_left_out(around)) return 0;
  all.push_back(same);
  return same.end - same.begin;
}

std::string_view DeltaExtractor::without_known(std::vector<Range>& all, std::string_view made,
                                               std::size_t around, std::string& joined) {
  std::sort(all.begin(), all.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  joined.clear();
  std::size_t kept = 0;  // from here on
  for (std::size_t i = 0; i < all.size();) {
    Range known = all[i];
    while (++i < all.size() && all[i].begin <= known.end) known.end = std::max(known.end, all[i].end);
    // Where nothing stands before or behind it, a part may begin and end in a word.
    if (known.begin == 0 && known.end != made.size()) {
      known.end = cut_near(made, known.end, around / 2);
    } else if (known.end != made.size()) {
      known.begin = kBreaks.find(made, known.begin) + 1;
      while (known.end > known.begin && !kBreaks.has(made[known.end - 1])) --known.end;
    }
    if (known.begin + least_left_out(around) > known.end) continue;
    joined.append(made, kept, known.begin - kept);
    kept = known.end;
  }
  if (kept == 0) return made;
  return joined.append(made, kept);
}

std::string_view DeltaExtractor::of(std::string_view from, std::string_view made, std::size_t near) {
  known_near_.clear();
  near_bytes_ = near;
  judged_ = made.size();
  if (made.size() <= kWholeBytes) return made;
  known_.clear();
  std::size_t compared = 0;
  std::size_t useless = 0;
  const auto ask = [&](Text& text) {
    if (text.bytes.size() < 2 * kAroundBytes) return;
    if (text.slot_bits == 0) index(text);
    ++compared;
    if (compare(text, made) < made.size() / kLittle) ++useless;
  };
  const auto parent = std::find_if(texts_.begin(), texts_.end(),
                                   [&](const Text& text) { return text.bytes.data() == from.data(); });
  if (parent != texts_.end()) ask(*parent);
  for (auto text = texts_.begin(); text != texts_.end() && compared < kMost && useless < kUseless; ++text) {
    if (text != parent) ask(*text);
  }
  const std::string_view left = without_known(known_, made, kAroundBytes, joined_);
  judged_ = left.size();
  return left;
}

std::optional<std::string_view> DeltaExtractor::near_of(std::string_view made) {
  if (known_near_.empty()) return std::nullopt;
  const std::string_view near = without_known(known_near_, made, near_bytes_, near_);
  if (near.size() >= judged_ - judged_ / 4) return std::nullopt;
  return near;
}

}  // namespace wafd::detect
