#include "detect/word_gate.h"

#include <fmt/format.h>

#include "detect/core/octets.h"

namespace wafd::detect {

const unsigned char WordGate::kLower[256] = {
    0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,
    0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,
    0,   0,   0,   0,   0,   0,   '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 0,   0,   0,   0,   0,
    0,   0,   'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p', 'q', 'r', 's',
    't', 'u', 'v', 'w', 'x', 'y', 'z', 0,   0,   0,   0,   '_', 0,   'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h',
    'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p', 'q', 'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z'};

Result<void> WordGate::add(std::string_view word, std::uint64_t analyzers) {
  for (const char c : word) {
    if (kLower[octet(c)] == octet(c)) continue;
    return fail(ErrorCode::kInvalid,
                fmt::format("\"{}\": a word to look for is made of a-z, 0-9 and _", word));
  }
  if (word.empty()) return fail(ErrorCode::kInvalid, "a word to look for is empty");
  if (words_.size() >= 0xffff) return fail(ErrorCode::kTooLarge, "more than 65535 words to look for");
  for (Word& known : words_) {
    if (known.text != word) continue;
    known.analyzers |= analyzers;
    return {};
  }
  Word made{std::string(word), 0, analyzers};
  for (const char c : word) made.hash = step(made.hash, octet(c));
  words_.push_back(std::move(made));
  return {};
}

void WordGate::build() {
  std::size_t size = 1024;
  while (size < words_.size() * 4) size *= 2;
  table_.assign(size, 0);
  mask_ = static_cast<std::uint32_t>(size - 1);
  for (std::size_t i = 0; i < words_.size(); ++i) {
    std::uint32_t slot = slot_of(words_[i].hash, words_[i].text.size()) & mask_;
    while (table_[slot] != 0) slot = (slot + 1) & mask_;
    table_[slot] = static_cast<std::uint16_t>(i + 1);
  }
}

std::uint64_t WordGate::look_up(std::string_view word, std::uint32_t hash) const noexcept {
  for (std::uint32_t slot = slot_of(hash, word.size()) & mask_; table_[slot] != 0;
       slot = (slot + 1) & mask_) {
    const Word& known = words_[table_[slot] - 1u];
    if (known.hash == hash && iequals(known.text, word)) return known.analyzers;
  }
  return 0;
}

}  // namespace wafd::detect
