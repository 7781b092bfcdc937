// The prefilter against its analysers: pieces of attacks, cut and spliced at random, must be announced
// wherever an analyser finds something in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/detect/analyze/analyze_support.h"
#include "tests/fuzz/analyzer_prefilter.h"

namespace wafd::detect {

// A number that a longer hunt sets: WAFD_HUNT_SEED for other texts, WAFD_HUNT_TIMES for more of them.
inline std::uint64_t hunt_setting(const char* name, std::uint64_t usual) {
  const char* set = std::getenv(name);
  return set == nullptr ? usual : std::strtoull(set, nullptr, 10);
}

// The pieces, and `count` texts of one or two of them with up to four edits. The same for the same seed.
inline std::vector<std::string> spliced(std::span<const char* const> pieces, std::size_t count,
                                        std::uint64_t seed) {
  using namespace std::string_view_literals;
  constexpr std::string_view kSigns = " \t\n\"'`/\\;()[]{}$<>=.+-%*#,|&!~^:@?\xa0x7\0"sv;
  std::vector<std::string> texts(pieces.begin(), pieces.end());
  count *= hunt_setting("WAFD_HUNT_TIMES", 1);
  Dice dice(seed + hunt_setting("WAFD_HUNT_SEED", 0));
  while (texts.size() < pieces.size() + count) {
    std::string text = pieces[dice.roll(pieces.size())];
    if (dice.roll(3) == 0) text += pieces[dice.roll(pieces.size())];
    for (std::uint64_t edits = dice.roll(5); edits > 0 && !text.empty(); --edits) {
      const std::size_t at = dice.roll(text.size());
      switch (dice.roll(5)) {
        case 0:
          text.erase(at, 1);
          break;
        case 1:
          text.insert(at, 1, kSigns[dice.roll(kSigns.size())]);
          break;
        case 2:
          text[at] = static_cast<char>(dice.roll(256));
          break;
        case 3:
          text.insert(at, dice.roll(2) == 0 ? "/**/" : "--\n");
          break;
        default:
          text = text.substr(at) + text.substr(0, at);
          break;
      }
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

// How much the analysers of these names find in the texts, as values and as names.
inline std::size_t found_and_announced(std::span<const std::string> texts,
                                       std::initializer_list<const char*> analyzers) {
  AnalyzerPrefilter prefilter;
  std::size_t found = 0;
  for (const std::string& text : texts) {
    for (const char* name : analyzers) {
      for (const bool in_name : {false, true}) {
        EXPECT_TRUE(prefilter.announced(name, text, in_name, found))
            << name << " finds what the prefilter does not announce: " << testing::PrintToString(text);
      }
    }
  }
  return found;
}

}  // namespace wafd::detect
