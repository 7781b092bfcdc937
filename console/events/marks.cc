#include "console/events/marks.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "detect/core/bytes.h"

namespace wafd::console {
namespace {

constexpr std::array<std::string_view, 5> kWords{"open", "closed", "true_positive", "false_positive",
                                                 "pinned"};

struct Word {
  std::size_t begin;
  std::size_t end;
  bool nested;
};

// Words outside quotes; parentheses end them.
std::vector<Word> words_of(std::string_view query, bool& has_or) {
  std::vector<Word> words;
  std::size_t depth = 0;
  for (std::size_t at = 0; at < query.size();) {
    const char c = query[at];
    if (c == '(' || c == ')') {
      depth = c == '(' ? depth + 1 : depth - std::min<std::size_t>(depth, 1);
      ++at;
    } else if (is_space(c)) {
      ++at;
    } else {
      const std::size_t begin = at;
      bool quoted = false;
      for (; at < query.size(); ++at) {
        if (quoted && query[at] == '\\') {
          ++at;
        } else if (query[at] == '"') {
          quoted = !quoted;
        } else if (!quoted && (is_space(query[at]) || query[at] == '(' || query[at] == ')')) {
          // "-(" belongs to the group behind it.
          break;
        }
      }
      at = std::min(at, query.size());
      words.push_back({begin, at, depth > 0});
      has_or = has_or || (depth == 0 && iequals(query.substr(begin, at - begin), "or"));
    }
  }
  return words;
}

}  // namespace

std::span<const std::string_view> mark_words() noexcept { return kWords; }

Result<MarkTerms> take_mark_terms(std::string& query) {
  MarkTerms terms;
  bool has_or = false;
  for (const Word& word : words_of(query, has_or)) {
    std::string_view text = std::string_view(query).substr(word.begin, word.end - word.begin);
    bool negated = false;
    while (text.starts_with('-')) {
      negated = !negated;
      text.remove_prefix(1);
    }
    if (text.size() < 3 || !iequals(text.substr(0, 3), "is:")) continue;
    const std::size_t value_at = word.end - (text.size() - 3);
    if (word.nested || has_or) {
      return fail(ErrorCode::kInvalid,
                  "expected is: beside the other terms, not under or and not in parentheses", word.begin);
    }
    const std::string value = to_lower(text.substr(3));
    const auto found = std::find(kWords.begin(), kWords.end(), value);
    if (found == kWords.end()) {
      return fail(ErrorCode::kInvalid, "expected one of open, closed, true_positive, false_positive, pinned",
                  value_at);
    }
    constexpr std::uint8_t kBits[] = {1, 1, 2, 4, 8};
    const auto index = static_cast<std::size_t>(found - kWords.begin());
    const bool needed = (index == 0) == negated;  // open is what is not closed
    std::uint8_t& side = needed ? terms.needed : terms.refused;
    side = static_cast<std::uint8_t>(side | kBits[index]);
    std::fill(query.begin() + static_cast<std::ptrdiff_t>(word.begin),
              query.begin() + static_cast<std::ptrdiff_t>(word.end), ' ');
  }
  return terms;
}

}  // namespace wafd::console
