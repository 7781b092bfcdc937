// The slow twin of the gate: what hints say of a text, all expressions by Vectorscan in one database and
// every word looked up in the text's words. It shares nothing with the gate's walk over octets.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <hs/hs.h>

#include "detect/core/octets.h"
#include "detect/prefilter/gate.h"

namespace wafd::detect {

class PlainGate {
 public:
  // False if Vectorscan refuses an expression or memory.
  bool build(std::span<const Hint> hints, std::span<const HintWord> words) {
    constexpr unsigned kFlags = HS_FLAG_CASELESS | HS_FLAG_DOTALL | HS_FLAG_MULTILINE | HS_FLAG_SINGLEMATCH;
    for (const HintWord& word : words) words_[std::string(word.word)].push_back(word);
    hs_scratch* raw = nullptr;
    bool ok = true;
    while (ok && !hints.empty()) {
      const std::size_t count = std::min(hints.size(), kAtOnce);
      std::vector<Pattern> patterns;
      for (const Hint& hint : hints.first(count)) {
        patterns.push_back({hint.expression, kFlags, static_cast<std::uint32_t>(bits_.size())});
        bits_.push_back(hint.analyzers);
      }
      hints = hints.subspan(count);
      auto database = compile(patterns);
      ok = database && hs_alloc_scratch(database->get(), &raw) == HS_SUCCESS;
      if (ok) databases_.push_back(std::move(*database));
    }
    scratch_.reset(raw);
    return ok;
  }

  // The analysers of which a hint matches.
  std::uint64_t scan(std::string_view text) {
    found_ = 0;
    const auto on_match = [](unsigned id, unsigned long long, unsigned long long, unsigned, void* context) {
      PlainGate& self = *static_cast<PlainGate*>(context);
      self.found_ |= self.bits_[id];
      return 0;
    };
    // A scan that fails says that everything matched, so that a gate which says less is noticed.
    for (const HsDatabase& database : databases_) {
      if (scan_block(database.get(), text, scratch_.get(), on_match, this) != HS_SUCCESS)
        return ~std::uint64_t{0};
    }
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = at;
      while (end < text.size() && is_word_octet(text[end])) ++end;
      if (end > at) read_word(text, at, end);
      at = end + 1;
    }
    return found_;
  }

 private:
  static bool is_word_octet(char c) noexcept { return is_alnum(c) || c == '_'; }

  // The word between `begin` and `end`, with digits at its end and without.
  void read_word(std::string_view text, std::size_t begin, std::size_t end) {
    std::string word(text.substr(begin, end - begin));
    for (char& c : word) c = to_lower(c);
    for (;;) {
      if (const auto known = words_.find(word); known != words_.end()) {
        for (const HintWord& hint : known->second) {
          if (counts(hint.place, text, begin, end)) found_ |= hint.analyzers;
        }
      }
      if (word.empty() || !is_digit(word.back())) return;
      word.pop_back();
    }
  }

  static bool counts(WordPlace place, std::string_view text, std::size_t begin, std::size_t end) {
    if (place == WordPlace::kAnywhere) return true;
    if (!command_can_stand(text.substr(0, begin)) || names_another(text.substr(end))) return false;
    if (place == WordPlace::kCommand) return true;
    constexpr std::string_view kBlank = " \t\v\f";
    return text.substr(0, begin).find_first_not_of(kBlank) != std::string_view::npos ||
           text.substr(end).find_first_not_of(kBlank) != std::string_view::npos;
  }

  // WordPlace::kCommand behind `before`.
  static bool command_can_stand(std::string_view before) {
    constexpr std::string_view kSpaces = " \t\n\v\f\r";
    const std::size_t last = before.find_last_not_of(kSpaces);
    const std::size_t kept = last == std::string_view::npos ? 0 : last + 1;
    const std::string_view spaces = before.substr(kept);
    before = before.substr(0, kept);
    const bool line_begins = spaces.find_first_of("\n\r") != std::string_view::npos;
    if (before.empty() || line_begins || spaces.size() >= kCommandSpaces) return true;
    const char sign = before.back();
    if (sign == ',') return spaces.empty();
    const bool ends_something = octet(sign) >= 0x80 || is_word_octet(sign) ||
                                std::string_view(".:)]%-").find(sign) != std::string_view::npos;
    if (!ends_something) return true;
    if (spaces.empty()) return false;
    // A=b command
    if (before.size() > kCommandAssignment) before = before.substr(before.size() - kCommandAssignment);
    const std::size_t word = before.find_last_of(" \t\n\v\f\r;&|=");
    return word != std::string_view::npos && before[word] == '=';
  }

  // Whether `behind` a word makes it a longer name, or gives it a value.
  static bool names_another(std::string_view behind) {
    constexpr std::string_view kInNames = "-./:~+";
    const auto in_names = [&](std::size_t i) {
      return i < behind.size() &&
             (is_word_octet(behind[i]) || kInNames.find(behind[i]) != std::string_view::npos);
    };
    if (behind.empty()) return false;
    if (std::string_view(":~+=").find(behind[0]) != std::string_view::npos) return true;
    const char next = behind.size() > 1 ? to_lower(behind[1]) : '\0';
    if (behind[0] == '-') return in_names(1) && !is_digit(next);
    if (behind[0] == '.') return in_names(1) && !is_digit(next) && next != 'e' && next != 'c';
    return behind[0] == '/' && (behind.size() == 1 || (in_names(2) && behind[2] != '/'));
  }

  // Expressions in a database: all in one take much longer to compile.
  static constexpr std::size_t kAtOnce = 16;

  // How far the gate looks back from a word.
  static constexpr std::size_t kCommandSpaces = 16;
  static constexpr std::size_t kCommandAssignment = 96;

  std::vector<std::uint64_t> bits_;  // by expression
  std::unordered_map<std::string, std::vector<HintWord>> words_;
  std::vector<HsDatabase> databases_;
  HsScratch scratch_;
  std::uint64_t found_ = 0;
};

}  // namespace wafd::detect
