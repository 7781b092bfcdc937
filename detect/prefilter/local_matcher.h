// Answers whether an expression matches around one octet of a text that one of its leaves has taken.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "detect/prefilter/expression.h"

namespace wafd::detect {

// What matchers read of one text beyond their first steps. Runs that come to one place in one state end
// alike, so what a run came to is kept for those that follow. One worker's, for one text at a time.
class FurtherReading {
 public:
  enum class Answer : std::uint8_t { kNo, kYes, kPerhaps };

  // `octets`: how many may be read in all.
  void begin(std::size_t octets);
  std::size_t left() const noexcept { return left_; }
  // Whether a run ended for want of octets: its matcher said perhaps without a reason in the text.
  bool ran_out() const noexcept { return ran_out_; }

  // The runs of one matcher follow; a number of its own for each, below 2^21.
  void of(std::uint32_t matcher) noexcept { matcher_ = matcher; }

 private:
  friend class LocalMatcher;
  static constexpr std::size_t kStride = 16;  // between places that are kept
  static constexpr unsigned kPlaceBits = 9;
  struct Place {
    std::uint64_t key = 0;
    std::uint32_t text = 0;
    std::uint32_t run = 0;
  };

  bool take(std::size_t octets) noexcept;
  // What the runs before came to from this place, if any came to it; else it is kept for the present run.
  const Answer* known(bool back, std::uint32_t state, std::size_t at);
  void end_run(Answer answer) { runs_.push_back(answer); }

  std::size_t left_ = 0;
  bool ran_out_ = false;
  std::uint32_t matcher_ = 0;
  std::uint32_t text_ = 0;
  std::vector<Answer> runs_;
  std::array<Place, std::size_t{1} << kPlaceBits> places_{};
};

// Two automata that start at the octet: one reads on behind it, one reads back before it. Where no match
// passes, they mostly know after an octet or two, so a hint is looked for where it can be and not in the
// whole text. Immutable after build().
class LocalMatcher {
 public:
  // No match passes there; one does; or reading further was too long.
  using Answer = FurtherReading::Answer;

  static constexpr std::size_t kMaxSteps = 16;            // of reading in one direction, and then `further`
  static constexpr std::size_t kMaxTableEntries = 65536;  // of one automaton

  // match() and surroundings() will be asked about these leaves, by their index in `leaves`.
  static LocalMatcher build(const Expression& expression, std::span<const std::uint16_t> leaves);

  // Whether a match passes text[at] with the leaf. `at` must lie in `text`. Beyond kMaxSteps reading is
  // `further`'s matter.
  Answer match(std::size_t leaf, std::string_view text, std::size_t at, FurtherReading& further) const {
    return match_from(starts(leaf), text, at, further);
  }
  // The same with the states that both automata start in, for those who keep them at hand.
  std::uint32_t starts(std::size_t leaf) const noexcept {
    return ahead_.starts[leaf] | static_cast<std::uint32_t>(back_.starts[leaf]) << 16;
  }
  Answer match_from(std::uint32_t starts, std::string_view text, std::size_t at,
                    FurtherReading& further) const {
    const Answer behind = run<1>(ahead_, starts & 0xffff, text, at, further);
    if (behind == Answer::kNo) return behind;
    const Answer before = run<-1>(back_, starts >> 16, text, at, further);
    return before == Answer::kYes ? behind : before;
  }

  // Whether the tables hold all there is: match() says perhaps only where `further` did not suffice.
  bool complete() const noexcept { return complete_; }
  // And no match reads on or back for more than kMaxSteps: match() never says perhaps.
  bool certain() const noexcept { return certain_; }

  // What may stand around an octet that the leaf takes, in places one behind the other. A place outside of
  // the text is an edge.
  static constexpr std::size_t kReach = 3;
  struct Surroundings {
    std::array<OctetSet, kReach> before;  // the nearest first
    OctetSet here;
    std::array<OctetSet, kReach> behind;
  };
  Surroundings surroundings(std::size_t leaf) const;

  // Takes from `places`, one behind the other, what can stand there in no match that passes places[at] with
  // the leaf and has one of each set at its place. False: there is no such match.
  bool narrow(std::size_t leaf, std::span<OctetSet> places, std::size_t at) const;

  // Octets of one class are alike to the expression.
  std::size_t classes() const noexcept { return classes_; }
  std::size_t class_of(unsigned char octet) const noexcept { return class_of_[octet]; }

  std::size_t octets() const noexcept;

 private:
  using State = std::uint16_t;  // kNo, kYes, kPerhaps end a run
  struct Automaton {
    std::vector<State> next;            // by state and class of octets
    std::vector<unsigned char> at_end;  // by state: whether the end of the text makes it a match
    std::vector<State> starts;          // by leaf
  };
  friend class AutomatonMaker;
  bool narrow(const Automaton& automaton, std::size_t leaf, std::span<OctetSet> places) const;

  bool is_complete(const Automaton& automaton) const noexcept;
  bool is_short(const Automaton& automaton) const;

  template <int Step>
  Answer run(const Automaton& automaton, std::size_t state, std::string_view text, std::size_t at,
             FurtherReading& further) const {
    std::size_t left = Step > 0 ? text.size() - at : at + 1;
    std::size_t steps = left < kMaxSteps ? left : kMaxSteps;
    left -= steps;
    const char* from = text.data() + at;
    for (; steps != 0; --steps, from += Step) {
      state = automaton.next[state * classes_ + class_of_[static_cast<unsigned char>(*from)]];
      if (state <= static_cast<State>(Answer::kPerhaps)) return static_cast<Answer>(state);
    }
    if (left != 0) return run_on<Step>(automaton, state, text, from, left, further);
    return automaton.at_end[state] != 0 ? Answer::kYes : Answer::kNo;
  }
  template <int Step>
  Answer run_on(const Automaton& automaton, std::size_t state, std::string_view text, const char* from,
                std::size_t left, FurtherReading& further) const;

  std::array<unsigned char, 256> class_of_{};
  std::size_t classes_ = 0;
  Automaton ahead_;
  Automaton back_;
  bool complete_ = false;
  bool certain_ = false;
};

}  // namespace wafd::detect
