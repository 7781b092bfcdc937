// Hints written from the tables that an analyser reads, so that what it knows is said in one place.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "detect/core/octets.h"

namespace wafd::detect {

// `(a|b|c)` of everything that has a member `word` or is a word; signs but `_`, `-` and spaces are escaped.
template <class Words>
std::string any_of_words(const Words& words) {
  std::string out;
  for (const auto& entry : words) {
    out += out.empty() ? '(' : '|';
    std::string_view word;
    if constexpr (requires { entry.word; }) {
      word = entry.word;
    } else {
      word = entry;
    }
    for (const char c : word) {
      if (!is_alnum(c) && c != '_' && c != '-' && c != ' ') out += '\\';
      out += c;
    }
  }
  return out + ')';
}

// Owns what Analyzer::hints() shows.
class HintTexts {
 public:
  explicit HintTexts(std::vector<std::string> texts) : texts_(std::move(texts)) {
    for (const std::string& text : texts_) pointers_.push_back(text.c_str());
  }
  HintTexts(const HintTexts&) = delete;
  HintTexts& operator=(const HintTexts&) = delete;

  const std::vector<const char*>& all() const noexcept { return pointers_; }

 private:
  const std::vector<std::string> texts_;
  std::vector<const char*> pointers_;
};

}  // namespace wafd::detect
