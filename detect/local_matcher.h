// Answers whether an expression matches around one octet of a text that one of its leaves has taken.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "detect/expression.h"

namespace wafd::detect {

// Two automata that start at the octet: one reads on behind it, one reads back before it. Where no match
// passes, they mostly know after an octet or two, so a hint is looked for where it can be and not in the
// whole text. Immutable after build().
class LocalMatcher {
 public:
  // No match passes there; one does; or reading further was too long.
  enum class Answer : std::uint8_t { kNo, kYes, kPerhaps };

  static constexpr std::size_t kMaxSteps = 32;            // of reading in one direction
  static constexpr std::size_t kMaxTableEntries = 65536;  // of one automaton

  // match() and surroundings() will be asked about these leaves, by their index in `leaves`.
  static LocalMatcher build(const Expression& expression, std::span<const std::uint16_t> leaves);

  // Whether a match passes text[at] with the leaf. `at` must lie in `text`.
  Answer match(std::size_t leaf, std::string_view text, std::size_t at) const noexcept {
    const Answer behind = run<1>(ahead_, leaf, text, at);
    if (behind == Answer::kNo) return behind;
    const Answer before = run<-1>(back_, leaf, text, at);
    return before == Answer::kYes ? behind : before;
  }

  // What may stand around an octet that the leaf takes, in places one behind the other. A place outside of
  // the text is an edge.
  static constexpr std::size_t kReach = 3;
  struct Surroundings {
    std::array<OctetSet, kReach> before;  // the nearest first
    OctetSet here;
    std::array<OctetSet, kReach> behind;
  };
  Surroundings surroundings(std::size_t leaf) const;

  std::size_t octets() const noexcept;

 private:
  using State = std::uint16_t;  // kNo, kYes, kPerhaps end a run
  struct Automaton {
    std::vector<State> next;            // by state and class of octets
    std::vector<unsigned char> at_end;  // by state: whether the end of the text makes it a match
    std::vector<State> starts;          // by leaf
  };
  friend class AutomatonMaker;
  void surround(const Automaton& automaton, std::size_t leaf, std::span<OctetSet> out) const;

  template <int Step>
  Answer run(const Automaton& automaton, std::size_t leaf, std::string_view text,
             std::size_t at) const noexcept {
    std::size_t state = automaton.starts[leaf];
    std::size_t left = Step > 0 ? text.size() - at : at + 1;
    std::size_t steps = left < kMaxSteps ? left : kMaxSteps;
    left -= steps;
    const char* from = text.data() + at;
    for (; steps != 0; --steps, from += Step) {
      state = automaton.next[state * classes_ + class_of_[static_cast<unsigned char>(*from)]];
      if (state <= static_cast<State>(Answer::kPerhaps)) return static_cast<Answer>(state);
    }
    if (left != 0) return Answer::kPerhaps;
    return automaton.at_end[state] != 0 ? Answer::kYes : Answer::kNo;
  }

  std::array<unsigned char, 256> class_of_{};
  std::size_t classes_ = 0;
  Automaton ahead_;
  Automaton back_;
};

}  // namespace wafd::detect
