#include "detect/prefilter/prefilter.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "detect/core/byte_finder.h"
#include "detect/core/bytes.h"

namespace wafd::detect {
namespace {

constexpr ByteFinder kWordBytes("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
constexpr ByteFinder kDigits("0123456789");
constexpr std::size_t kBloomWords = 2048;
constexpr std::uint64_t kLowerCase = 0x2020202020202020u;

// Two of the bits of one word of the Bloom filter.
constexpr std::uint64_t bloom_bits(std::uint32_t hash) noexcept {
  return std::uint64_t{1} << (hash >> 11 & 63) | std::uint64_t{1} << (hash >> 17 & 63);
}

template <std::size_t kWords>
void set_bit(std::array<std::uint64_t, kWords>& bits, std::size_t bit) noexcept {
  bits[bit / 64] |= std::uint64_t{1} << (bit % 64);
}
template <std::size_t kWords>
bool has_bit(const std::array<std::uint64_t, kWords>& bits, std::size_t bit) noexcept {
  return (bits[bit / 64] >> (bit % 64) & 1) != 0;
}
template <std::size_t kWords>
bool has_all(const std::array<std::uint64_t, kWords>& bits,
             const std::array<std::uint64_t, kWords>& wanted) noexcept {
  std::uint64_t missing = 0;
  for (std::size_t i = 0; i < kWords; ++i) missing |= wanted[i] & ~bits[i];
  return missing == 0;
}

}  // namespace

Result<Prefilter> Prefilter::build(std::span<const Needs> needs, std::span<const Marker> markers) {
  Prefilter made;
  for (const Marker& marker : markers) {
    const auto id = static_cast<std::uint32_t>(kMaxSigns + made.markers_.size());
    if (marker.literal.size() == 2) {
      if (auto added = made.add_pairs({&marker.literal, 1}, id); !added)
        return fail(ErrorCode::kTooLarge, std::move(added.error().what), needs.size());
    } else {
      made.literals_.add(marker.literal, id);
    }
    made.markers_.push_back({std::uint64_t{1} << marker.group, marker.places});
  }
  for (std::size_t i = 0; i < needs.size(); ++i) {
    for (const Need& need : needs[i]) {
      if (need.empty()) return fail(ErrorCode::kInvalid, "a need without signs", i);
      Condition& compiled = made.conditions_.emplace_back();
      compiled.matcher = std::uint64_t{1} << i;
      made.matchers_ |= compiled.matcher;
      for (const Sign& sign : need) {
        if (auto added = made.add(sign, compiled); !added)
          return fail(ErrorCode::kInvalid, std::move(added.error().what), i);
      }
    }
  }
  made.index_words();
  made.literals_.finish();
  made.sort_conditions();
  return made;
}

Result<void> Prefilter::add_bytes(const Sign& sign, Condition& condition) {
  if (sign.kind == SignKind::kPair) {
    if (sign.parts.size() != 3 || sign.parts[0].empty() || sign.parts[1].empty())
      return fail(ErrorCode::kInvalid, "a pair of other sets than first, second, between");
    const std::size_t number = bytes_.add_pair(sign.parts[0], sign.parts[1], sign.parts[2]);
    if (number == ByteSigns::kFull) return fail(ErrorCode::kTooLarge, "more than 128 pairs of bytes");
    set_bit(condition.pairs, number);
    return {};
  }
  std::string bytes;
  for (const std::string& part : sign.parts) {
    if (part.size() != 1) return fail(ErrorCode::kInvalid, "a byte of another length than one");
    bytes += part;
  }
  const std::size_t number = sign.kind == SignKind::kFirst ? bytes_.add_first(bytes) : bytes_.add(bytes);
  if (number == ByteSigns::kFull) return fail(ErrorCode::kTooLarge, "more than 128 signs of bytes");
  set_bit(condition.byte_signs, number);
  return {};
}

Result<void> Prefilter::add_pairs(std::span<const std::string> literals, std::uint32_t id) {
  const auto both_cases = [](char c) {
    std::string out(1, c);
    if (is_alpha(c)) out += static_cast<char>(c ^ 0x20);
    return out;
  };
  std::map<char, std::string> seconds;  // by the first byte
  for (const std::string& literal : literals) seconds[literal[0]] += both_cases(literal[1]);
  std::map<std::string, std::string> firsts;  // by all second ones
  for (const auto& [first, second] : seconds) firsts[second] += both_cases(first);
  for (const auto& [second, first] : firsts) {
    const std::size_t number = bytes_.add_pair(first, second);
    if (number == ByteSigns::kFull) return fail(ErrorCode::kTooLarge, "more than 128 pairs of bytes");
    of_pair_[number].push_back(id);
  }
  return {};
}

Result<void> Prefilter::add(const Sign& sign, Condition& condition) {
  if (sign.parts.empty()) return fail(ErrorCode::kInvalid, "a sign without parts");
  if (sign.kind != SignKind::kWords && sign.kind != SignKind::kLiterals) return add_bytes(sign, condition);
  const auto there = std::find(signs_.begin(), signs_.end(), sign);
  const auto number = static_cast<std::uint16_t>(there - signs_.begin());
  if (number == kMaxSigns) return fail(ErrorCode::kTooLarge, "more than 256 signs of words and literals");
  set_bit(condition.signs, number);
  if (there != signs_.end()) return {};
  signs_.push_back(sign);
  std::vector<std::string> pairs;
  for (const std::string& part : sign.parts) {
    const bool word = sign.kind == SignKind::kWords && kWordBytes.find_other(part, 0) == part.size();
    if (part.empty() || (!word && part.size() < 2))
      return fail(ErrorCode::kInvalid, fmt::format("a part of {} bytes", part.size()));
    if (to_lower(part) != part)
      return fail(ErrorCode::kInvalid, fmt::format("\"{}\" is not in lower case", part));
    if (word && part.size() > kMaxVocabularyWordBytes)
      return fail(ErrorCode::kTooLarge, fmt::format("\"{}\" is longer than a word can be", part));
    // A name with other bytes than words have (v$version) is looked for as it stands.
    if (word) {
      add_word(part, number);
    } else if (part.size() == 2) {
      pairs.push_back(part);
    } else {
      literals_.add(part, number);
    }
  }
  return add_pairs(pairs, number);
}

void Prefilter::add_word(const std::string& word, std::uint16_t sign) {
  auto at = std::lower_bound(words_.begin(), words_.end(), word,
                             [](const auto& entry, const std::string& text) { return entry.first < text; });
  if (at == words_.end() || at->first != word) at = words_.insert(at, {word, SignSet{}});
  set_bit(at->second, sign);
}

Prefilter::Key Prefilter::key_of(std::string_view text, std::size_t begin, std::size_t size) noexcept {
  const char* word = text.data() + begin;
  Key key;
  key.size = size;
  if (size >= 8) {
    std::memcpy(&key.head, word, 8);
    std::memcpy(&key.tail, word + size - 8, 8);
  } else {
    if (text.size() - begin >= 8) {
      std::memcpy(&key.head, word, 8);
      key.head &= (std::uint64_t{1} << (8 * size)) - 1;
    } else if (begin + size >= 8) {
      std::memcpy(&key.head, word + size - 8, 8);
      key.head >>= 8 * (8 - size);
    } else {
      for (std::size_t i = 0; i < size; ++i) key.head |= std::uint64_t{byte(word[i])} << (8 * i);
    }
    key.tail = key.head;
  }
  // Letters in lower case, digits as they are; "_" becomes what no word has, in tables and texts alike.
  key.head |= size >= 8 ? kLowerCase : kLowerCase >> (8 * (8 - size));
  key.tail |= size >= 8 ? kLowerCase : kLowerCase >> (8 * (8 - size));
  return key;
}

std::uint32_t Prefilter::hash_of(const Key& key) noexcept {
  const std::uint64_t mixed =
      (key.head ^ std::rotl(key.tail, 29) ^ (std::uint64_t{key.size} << 56)) * 0x9e3779b97f4a7c15u;
  return static_cast<std::uint32_t>(mixed >> 32);
}

void Prefilter::index_words() {
  word_bloom_.assign(kBloomWords, 0);
  word_slots_.assign(std::bit_ceil(words_.size() * 2 + 1), {});
  for (const auto& [word, signs] : words_) {
    const std::uint32_t beginning = beginning_of((word + "    ").data(), word.size());
    word_beginnings_[beginning / 64] |= std::uint64_t{1} << (beginning % 64);
    const Key key = key_of(word, 0, word.size());
    const std::uint32_t hash = hash_of(key);
    word_bloom_[hash % kBloomWords] |= bloom_bits(hash);
    std::size_t slot = (hash >> 12) & (word_slots_.size() - 1);
    while (word_slots_[slot].size != 0) slot = (slot + 1) & (word_slots_.size() - 1);
    auto set = std::find(sign_sets_.begin(), sign_sets_.end(), signs);
    if (set == sign_sets_.end()) set = sign_sets_.insert(set, signs);
    word_slots_[slot] = {key.head, key.tail, static_cast<std::uint32_t>(word_text_.size()),
                         static_cast<std::uint16_t>(word.size()),
                         static_cast<std::uint16_t>(set - sign_sets_.begin())};
    word_text_ += word;
  }
  words_.clear();
  words_.shrink_to_fit();
}

// Of the word text[begin..end).
void Prefilter::look_up(std::string_view text, std::size_t begin, std::size_t end,
                        SignSet& signs) const noexcept {
  if (!may_be_word(text, begin, end)) return;
  const std::size_t size = end - begin;
  const Key key = key_of(text, begin, size);
  const std::uint32_t hash = hash_of(key);
  if ((bloom_bits(hash) & ~word_bloom_[hash % kBloomWords]) != 0) return;
  for (std::size_t slot = (hash >> 12) & (word_slots_.size() - 1); word_slots_[slot].size != 0;
       slot = (slot + 1) & (word_slots_.size() - 1)) {
    const WordEntry& entry = word_slots_[slot];
    if (entry.head != key.head || entry.tail != key.tail || entry.size != size) continue;
    if (size > 16 && !iequals({word_text_.data() + entry.begin, size}, text.substr(begin, size))) continue;
    for (std::size_t i = 0; i < signs.size(); ++i) signs[i] |= sign_sets_[entry.signs][i];
    return;
  }
}

// A run of letters, digits and "_": the whole.
void Prefilter::read_word(std::string_view text, std::size_t begin, std::size_t end,
                          SignSet& signs) const noexcept {
  if (may_be_word(text, begin, end)) look_up(text, begin, end, signs);
  // \Nunion: a letter behind a backslash may end something.
  if (begin != 0 && text[begin - 1] == '\\' && end - begin > 1) look_up(text, begin + 1, end, signs);
}

// The words that digits in a run begin and end: 1union, sleep5.
void Prefilter::read_parts(std::string_view text, std::size_t begin, std::size_t end,
                           SignSet& signs) const noexcept {
  std::size_t from = begin;  // of the part at hand
  for (std::size_t i = begin; i < end; ++i) {
    if (!is_digit(text[i])) continue;
    if (i > from && may_be_word(text, from, i)) look_up(text, from, i, signs);
    while (i + 1 < end && is_digit(text[i + 1])) ++i;
    from = i + 1;
    if (from < end && may_be_word(text, from, end)) look_up(text, from, end, signs);
  }
}

// The same of a run that has digits in its last block alone.
void Prefilter::read_parts(std::string_view text, const Run& run, SignSet& signs) const noexcept {
  // Where letters begin, and behind where they end.
  std::uint64_t turns = run.letters ^ (run.letters << 1);
  if (run.begin < run.block) turns ^= 1;  // they began before the block
  std::size_t from = run.begin;
  for (; turns != 0; turns &= turns - 1) {
    const std::size_t turn = run.block + static_cast<std::size_t>(std::countr_zero(turns));
    if (turn >= run.end) return;
    const bool begins = (run.letters & turns & -turns) != 0;
    if (begins) from = turn;
    if (begins && turn == run.begin) continue;
    const std::size_t end = begins ? run.end : turn;
    if (may_be_word(text, from, end)) look_up(text, from, end, signs);
  }
}

void Prefilter::read_words(std::string_view text, SignSet& signs) const noexcept {
  constexpr std::size_t kBlock = 64;
  std::size_t begin = 0;      // of the run at hand
  bool digits = false;        // in the part of it that stands in blocks before
  std::uint64_t carried = 0;  // 1: it began in a block before
  for (std::size_t first = 0; first < text.size(); first += kBlock) {
    std::array<char, kBlock> copy;
    const char* block = text.data() + first;
    const std::size_t left = text.size() - first;
    if (left < kBlock) {
      copy.fill(' ');
      std::memcpy(copy.data(), block, left);
      block = copy.data();
    }
    const std::uint64_t word_bytes = kWordBytes.among_sixty_four(block, std::min(left, kBlock));
    const std::uint64_t digit_bytes = kDigits.among_sixty_four(block, std::min(left, kBlock));
    std::uint64_t from = ~std::uint64_t{0};  // bits of the run's part in this block
    for (std::uint64_t edges = word_bytes ^ (word_bytes << 1 | carried); edges != 0; edges &= edges - 1) {
      const std::uint64_t behind = ~std::uint64_t{0} << std::countr_zero(edges);
      const std::size_t at = first + static_cast<std::size_t>(std::countr_zero(edges));
      if ((word_bytes & edges & -edges) != 0) {
        begin = at;
        digits = false;
        from = behind;
      } else {
        read_word(text, begin, at, signs);
        if (const std::uint64_t inside = from & ~behind; digits) {
          read_parts(text, begin, at, signs);
        } else if ((digit_bytes & inside) != 0) {
          read_parts(text, {begin, at, first, word_bytes & ~digit_bytes & inside}, signs);
        }
      }
    }
    carried = word_bytes >> (kBlock - 1);
    digits = digits || (digit_bytes & from) != 0;
  }
  if (carried != 0) {
    read_word(text, begin, text.size(), signs);
    if (digits) read_parts(text, begin, text.size(), signs);
  }
}

// The groups of the markers that stand in the text, too.
std::uint64_t Prefilter::read_literals(std::string_view text, std::uint32_t places,
                                       SignSet& signs) const noexcept {
  std::uint64_t marked = 0;
  literals_.scan(
      text,
      [&](std::uint32_t id) {
        if (id < kMaxSigns) return has_bit(signs, id);
        const MarkerUse& marker = markers_[id - kMaxSigns];
        return (marker.places & places) == 0 || (marked & marker.group) != 0;
      },
      [&](std::uint32_t id) {
        if (id < kMaxSigns) {
          set_bit(signs, id);
        } else {
          marked |= markers_[id - kMaxSigns].group;
        }
      });
  return marked;
}

// Each condition is asked about where one of its signs was found: a word or a literal, else a pair of bytes,
// else the fewest bytes.
void Prefilter::sort_conditions() {
  const auto first = [](const auto& set) {
    std::size_t bit = 0;
    while (bit < set.size() * 64 && !has_bit(set, bit)) ++bit;
    return bit;
  };
  const auto fewest = [this](const ByteSigns::Set& set) {
    std::size_t best = ByteSigns::kMax;
    for (std::size_t sign = 0; sign < ByteSigns::kMax; ++sign) {
      if (has_bit(set, sign) && (best == ByteSigns::kMax || bytes_.size_of(sign) < bytes_.size_of(best)))
        best = sign;
    }
    return best;
  };
  const auto place = [&](const Condition& condition) {
    if (const std::size_t sign = first(condition.signs); sign < kMaxSigns) return &of_sign_[sign];
    if (const std::size_t pair = first(condition.pairs); pair < ByteSigns::kMax) return &of_pairs_[pair];
    return &of_bytes_[fewest(condition.byte_signs)];
  };
  std::stable_sort(conditions_.begin(), conditions_.end(),
                   [&](const Condition& a, const Condition& b) { return std::less<>()(place(a), place(b)); });
  for (std::uint32_t i = 0; i < conditions_.size(); ++i) {
    Range& range = *place(conditions_[i]);
    if (range.end == 0) range.begin = i;
    range.end = i + 1;
  }
}

std::uint64_t Prefilter::take_pairs(const ByteSigns::Set& pairs, std::uint32_t places,
                                    SignSet& signs) const noexcept {
  std::uint64_t marked = 0;
  for (std::size_t word = 0; word < pairs.size(); ++word) {
    for (std::uint64_t left = pairs[word]; left != 0; left &= left - 1) {
      for (const std::uint32_t id : of_pair_[word * 64 + static_cast<std::size_t>(std::countr_zero(left))]) {
        if (id < kMaxSigns) {
          set_bit(signs, id);
        } else if ((markers_[id - kMaxSigns].places & places) != 0) {
          marked |= markers_[id - kMaxSigns].group;
        }
      }
    }
  }
  return marked;
}

void Prefilter::ask(Range range, const ByteSigns::Found& bytes, const SignSet& signs, std::uint64_t which,
                    std::uint64_t& matchers) const noexcept {
  for (std::uint32_t i = range.begin; i < range.end; ++i) {
    const Condition& condition = conditions_[i];
    if ((condition.matcher & which & ~matchers) != 0 && has_all(bytes.bytes, condition.byte_signs) &&
        has_all(bytes.pairs, condition.pairs) && has_all(signs, condition.signs))
      matchers |= condition.matcher;
  }
}

Prefilter::Outcome Prefilter::scan(std::string_view text, std::uint64_t which,
                                   std::uint32_t places) const noexcept {
  Outcome outcome;
  const ByteSigns::Found bytes = bytes_.read(text);
  SignSet signs{};
  outcome.marked = take_pairs(bytes.pairs, places, signs);
  outcome.marked |= read_literals(text, places, signs);
  if ((which & matchers_) == 0) return outcome;  // asked for the markers alone
  read_words(text, signs);
  const auto ask_all = [&](const auto& found, const auto& ranges) {
    for (std::size_t word = 0; word < found.size(); ++word) {
      for (std::uint64_t left = found[word]; left != 0; left &= left - 1)
        ask(ranges[word * 64 + static_cast<std::size_t>(std::countr_zero(left))], bytes, signs, which,
            outcome.matchers);
    }
  };
  ask_all(bytes.bytes, of_bytes_);
  ask_all(bytes.pairs, of_pairs_);
  ask_all(signs, of_sign_);
  return outcome;
}

std::size_t Prefilter::table_bytes() const noexcept {
  return word_text_.size() + word_slots_.size() * sizeof(WordEntry) + sign_sets_.size() * sizeof(SignSet) +
         word_bloom_.size() * 8 + literals_.table_bytes();
}

}  // namespace wafd::detect
