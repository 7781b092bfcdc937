#include "detect/prefilter/expression_states.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

namespace wafd::detect {
namespace {

using Count = std::uint64_t;
constexpr Count kMost = std::numeric_limits<std::uint32_t>::max();

bool digit(char c) noexcept { return c >= '0' && c <= '9'; }

// The largest number of repeats that `{n}`, `{n,}` or `{n,m}` at the front writes out; nothing: no repeat
// stands there. `used` gets its length.
std::optional<Count> bounded_repeat(std::string_view text, std::size_t& used) {
  std::size_t at = 1;
  const auto number = [&](Count& out) {
    const std::size_t begin = at;
    for (; at < text.size() && digit(text[at]); ++at)
      out = std::min(kMost, out * 10 + static_cast<Count>(text[at] - '0'));
    return at > begin;
  };
  Count least = 0, given = 0;
  if (text.empty() || text[0] != '{' || !number(least)) return std::nullopt;
  if (at < text.size() && text[at] == ',') {
    ++at;
    (void)number(given);  // {n,}: the last one repeats itself
  }
  if (at >= text.size() || text[at] != '}') return std::nullopt;
  used = at + 1;
  return std::max({least, given, Count{1}});
}

// Behind an escape that begins at `at`.
std::size_t behind_escape(std::string_view text, std::size_t at) {
  if (at + 1 >= text.size()) return text.size();
  const char kind = text[at + 1];
  if ((kind == 'x' || kind == 'p' || kind == 'P' || kind == 'o') && at + 2 < text.size() &&
      text[at + 2] == '{') {
    const std::size_t end = text.find('}', at);
    return end == std::string_view::npos ? text.size() : end + 1;
  }
  return std::min(text.size(), at + (kind == 'x' ? 4 : 2));
}

// Behind a class that begins at `at`.
std::size_t behind_class(std::string_view text, std::size_t at) {
  ++at;
  if (at < text.size() && text[at] == '^') ++at;
  if (at < text.size() && text[at] == ']') ++at;
  while (at < text.size() && text[at] != ']') {
    if (text[at] == '\\') {
      at = behind_escape(text, at);
    } else if (text.substr(at).starts_with("[:")) {
      const std::size_t end = text.find(":]", at);
      at = end == std::string_view::npos ? text.size() : end + 2;
    } else {
      ++at;
    }
  }
  return std::min(text.size(), at + 1);
}

// Counts what has been read so far; one group for each bracket that is open.
class StateCounter {
 public:
  void piece(Count states) {
    Group& group = open_.back();
    group.sum = std::min(kMost, group.sum + group.last);
    group.last = states;
  }
  void repeat(Count times) { open_.back().last = std::min(kMost, open_.back().last * times); }
  void open() { open_.emplace_back(); }
  void close() {
    if (open_.size() == 1) return;
    const Count inside = std::min(kMost, open_.back().sum + open_.back().last);
    open_.pop_back();
    piece(inside);
  }
  void close_flags() { open_.pop_back(); }
  Count all() const {
    Count all = 0;
    for (const Group& group : open_) all = std::min(kMost, all + group.sum + group.last);
    return all;
  }

 private:
  struct Group {
    Count sum = 0;   // of what stands before the last piece
    Count last = 0;  // of the last piece, which a repeat behind it multiplies
  };
  std::vector<Group> open_ = std::vector<Group>(1);
};

// Opens the group whose bracket stands at `at`; gives what is behind the bracket and its `?:`, `?i` or name.
std::size_t open_group(std::string_view text, std::size_t at, StateCounter& counter) {
  counter.open();
  ++at;
  if (at >= text.size() || text[at] != '?') return at;
  const std::size_t end = text.find_first_of(":=!>)", at);
  at = end == std::string_view::npos ? text.size() : end + 1;
  if (text[at - 1] == ')') counter.close_flags();
  return at;
}

}  // namespace

std::uint32_t expression_states(std::string_view text) {
  StateCounter counter;
  std::size_t at = 0;
  while (at < text.size()) {
    switch (text[at]) {
      case '\\':
        at = behind_escape(text, at);
        counter.piece(1);
        break;
      case '[':
        at = behind_class(text, at);
        counter.piece(1);
        break;
      case '(':
        at = open_group(text, at, counter);
        break;
      case ')':
        ++at;
        counter.close();
        break;
      case '{': {
        std::size_t used = 1;
        if (const auto times = bounded_repeat(text.substr(at), used))
          counter.repeat(*times);
        else
          counter.piece(1);
        at += used;
        break;
      }
      case '*':
      case '+':
      case '?':
      case '|':
      case '^':
      case '$':
        ++at;
        break;
      default:
        counter.piece(1);
        ++at;
    }
  }
  return static_cast<std::uint32_t>(counter.all());
}

}  // namespace wafd::detect
