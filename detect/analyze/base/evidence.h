// Evidence of a matcher: what stands where in a text, and how sure the grammar of its language is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wafd::detect {

// How sure a grammar is that the text means what the evidence says.
enum class Certainty : std::uint8_t {
  kPossible,  // the words are there, and ordinary text may have them too
  kLikely,    // the text reads so in its language, with something that the language does not know around it
  kCertain,   // the text reads so from a boundary of the language to the next, and no ordinary text does
};

// One piece of evidence, in bytes of the text that the matcher was given.
struct Evidence {
  std::uint8_t kind = 0;  // index in Matcher::evidence()
  Certainty certainty = Certainty::kPossible;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::string detail;  // for the sentence: "UNION SELECT", "sleep"; made only when found
};

// The evidence of one text. Of each kind the most certain pieces are kept, at most kMaxOfKind; a less certain
// one is replaced. Used again from text to text. One thread.
class EvidenceList {
 public:
  static constexpr std::size_t kMaxOfKind = 4;

  void clear() noexcept { items_.clear(); }
  const std::vector<Evidence>& items() const noexcept { return items_; }

  // Whether add() would keep such a piece: to be asked before a costly detail is made.
  bool wants(std::uint8_t kind, Certainty certainty) const noexcept;
  void add(Evidence evidence);
  template <class EvidenceKind>
  void add(EvidenceKind kind, Certainty certainty, std::size_t begin, std::size_t end,
           std::string_view detail = {}) {
    if (!wants(static_cast<std::uint8_t>(kind), certainty)) return;
    add(Evidence{static_cast<std::uint8_t>(kind), certainty, static_cast<std::uint32_t>(begin),
                 static_cast<std::uint32_t>(end), std::string(detail.substr(0, kMaxDetailBytes))});
  }

 private:
  static constexpr std::size_t kMaxDetailBytes = 96;

  std::vector<Evidence> items_;
};

}  // namespace wafd::detect
