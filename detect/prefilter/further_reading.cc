// How local matchers read on and back beyond their first steps.
#include <algorithm>

#include "detect/prefilter/local_matcher.h"

namespace wafd::detect {

void FurtherReading::begin(std::size_t octets) {
  left_ = octets;
  ran_out_ = false;
  runs_.clear();
  if (++text_ == 0) {
    places_.fill({});
    text_ = 1;
  }
}

bool FurtherReading::take(std::size_t octets) noexcept {
  if (octets > left_) {
    ran_out_ = true;
    return false;
  }
  left_ -= octets;
  return true;
}

const FurtherReading::Answer* FurtherReading::known(bool back, std::uint32_t state, std::size_t at) {
  // A text has fewer than 2^32 octets, and a state 16 bits.
  const std::uint64_t key = std::uint64_t{matcher_} << 43 | std::uint64_t{state} << 27 |
                            std::uint64_t{at / kStride} << 1 | (back ? 1u : 0u);
  Place& place = places_[(key * 0x9e3779b97f4a7c15u) >> (64 - kPlaceBits)];
  if (place.text == text_ && place.key == key) return &runs_[place.run];
  place = {key, text_, static_cast<std::uint32_t>(runs_.size())};
  return nullptr;
}

template <int Step>
LocalMatcher::Answer LocalMatcher::run_on(const Automaton& automaton, std::size_t state,
                                          std::string_view text, const char* from, std::size_t left,
                                          FurtherReading& further) const {
  constexpr std::size_t kStride = FurtherReading::kStride;
  auto answer = Answer::kPerhaps;
  while (true) {
    const std::size_t in = static_cast<std::size_t>(from - text.data()) % kStride;
    const std::size_t steps = std::min(left, Step > 0 ? kStride - in : in + 1);
    if (!further.take(steps)) break;
    for (std::size_t i = 0; i < steps; ++i, from += Step) {
      state = automaton.next[state * classes_ + class_of_[static_cast<unsigned char>(*from)]];
      if (state > static_cast<State>(Answer::kPerhaps)) continue;
      answer = static_cast<Answer>(state);
      further.end_run(answer);
      return answer;
    }
    left -= steps;
    if (left == 0) {
      answer = automaton.at_end[state] != 0 ? Answer::kYes : Answer::kNo;
      break;
    }
    const auto at = static_cast<std::size_t>(from - text.data());
    if (const Answer* known = further.known(Step < 0, static_cast<std::uint32_t>(state), at)) {
      answer = *known;
      break;
    }
  }
  further.end_run(answer);
  return answer;
}

template LocalMatcher::Answer LocalMatcher::run_on<1>(const Automaton&, std::size_t, std::string_view,
                                                      const char*, std::size_t, FurtherReading&) const;
template LocalMatcher::Answer LocalMatcher::run_on<-1>(const Automaton&, std::size_t, std::string_view,
                                                       const char*, std::size_t, FurtherReading&) const;

}  // namespace wafd::detect
