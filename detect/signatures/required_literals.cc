#include "detect/signatures/required_literals.h"

#include <algorithm>
#include <bit>
#include <bitset>
#include <optional>
#include <set>
#include <utility>

#include "detect/core/bytes.h"
#include "detect/prefilter/literal_index.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kMaxStrings = 128;  // of what a part can match
constexpr std::size_t kMaxStringBytes = 40;
constexpr std::size_t kShortest = 6;  // to which literals are cut, so that they are fewer
constexpr std::size_t kMaxClass = 8;  // members of a class that are told apart
constexpr unsigned kMaxCopies = 4;    // of x in x{n}
constexpr int kMaxDepth = 60;         // of groups

using Strings = std::set<std::string>;
using Bytes = std::bitset<256>;

// The strings that a part of an expression matches.
struct Part {
  std::optional<Strings> exact;  // all that it can match
  Strings required;              // else: one of these stands in every match; empty: nothing is known
  Strings begins;                // and every match begins with one of these; empty: nothing is known
};

Part anything() { return {}; }
Part exactly(std::string text) { return {Strings{std::move(text)}, {}, {}}; }

// At most kMaxStrings that stand wherever one of `strings` does, or nothing: without those of which another
// is a part (`begins`: with which another begins), and if that is not enough, cut to what they begin with.
Strings fewer(const Strings& strings, bool begins) {
  for (const std::size_t longest : {kMaxStringBytes, kMaxStringBytes / 2, kMaxStringBytes / 4, kShortest}) {
    Strings kept;
    for (const std::string& text : strings) kept.insert(text.substr(0, longest));
    std::erase_if(kept, [&](const std::string& text) {
      return std::any_of(kept.begin(), kept.end(), [&](const std::string& other) {
        const std::size_t at = other.size() < text.size() ? text.find(other) : std::string::npos;
        return begins ? at == 0 : at != std::string::npos;
      });
    });
    if (kept.size() <= kMaxStrings) return kept;
  }
  return {};
}

// Bits that a set of literals tells: those of its weakest, less what having a choice takes away. 0: useless.
int worth(const Strings& strings) {
  if (strings.empty() || strings.size() > kMaxStrings) return 0;
  int least = 64;
  for (const std::string& text : strings) least = std::min(least, text.size() < 2 ? 0 : rarity(text));
  return least == 0 ? 0 : std::max(1, least - 2 * static_cast<int>(std::bit_width(strings.size())));
}

// Parts one behind the other.
class Sequence {
 public:
  void add(const Part& part) {
    if (part.exact) {
      if (joined(*part.exact)) return;
      end_run();
      run_ = *part.exact;
      return;
    }
    keep(run_);
    keep(part.required);
    if (!part.begins.empty()) joined(part.begins);
    end_run();
    run_ = {""};
  }
  Part finish() && {
    if (whole_) return {std::move(run_), {}, {}};
    keep(run_);
    return {std::nullopt, std::move(best_), std::move(begins_)};
  }

 private:
  bool joined(const Strings& next) {
    if (run_.size() * next.size() > kMaxStrings) return false;
    Strings both;
    for (const std::string& head : run_) {
      for (const std::string& tail : next) {
        if (head.size() + tail.size() > kMaxStringBytes) return false;
        both.insert(head + tail);
      }
    }
    run_ = std::move(both);
    return true;
  }
  void keep(const Strings& strings) {
    if (worth(strings) > worth(best_)) best_ = strings;
  }
  void end_run() {
    keep(run_);
    if (whole_ && !run_.contains("")) begins_ = run_;
    whole_ = false;
  }

  Strings run_{""};  // what the parts since the last unknown one match together
  Strings best_;
  Strings begins_;  // what the first of them begin with
  bool whole_ = true;
};

class RegexReader {
 public:
  explicit RegexReader(std::string_view text) : text_(text) {}

  // Nothing if the expression is not understood.
  std::optional<Part> read() {
    Part part = alternatives(0);
    if (!good_ || at_ != text_.size()) return std::nullopt;
    return part;
  }

 private:
  bool more() const noexcept { return at_ < text_.size(); }
  bool take(std::string_view sign) noexcept {
    if (!text_.substr(at_).starts_with(sign)) return false;
    at_ += sign.size();
    return true;
  }

  Part alternatives(int depth) {
    Part all = sequence(depth);
    while (good_ && take("|")) {
      Part next = sequence(depth);
      if (all.exact && next.exact && all.exact->size() + next.exact->size() <= kMaxStrings) {
        all.exact->merge(*next.exact);
        continue;
      }
      const Strings one = all.exact ? *all.exact : all.required;
      const Strings& other = next.exact ? *next.exact : next.required;
      const bool known = worth(one) > 0 && worth(other) > 0;
      all = {std::nullopt, known ? either(one, other, false) : Strings{},
             either(all.exact ? *all.exact : all.begins, next.exact ? *next.exact : next.begins, true)};
    }
    return all;
  }

  static Strings either(Strings one, const Strings& other, bool begins) {
    if (one.empty() || other.empty()) return {};
    one.insert(other.begin(), other.end());
    if (begins && one.contains("")) return {};
    return fewer(one, begins);
  }

  Part sequence(int depth) {
    Sequence all;
    while (good_ && more() && text_[at_] != '|' && text_[at_] != ')') repeated(depth, all);
    return std::move(all).finish();
  }

  // An atom and how often it stands there.
  void repeated(int depth, Sequence& all) {
    const Part part = atom(depth);
    unsigned least = 1;
    bool often = false;  // more than `least`, without a known number
    bool optional = false;
    if (take("?")) {
      least = 0;
      optional = true;
    } else if (take("*")) {
      least = 0;
      often = true;
    } else if (take("+")) {
      often = true;
    } else if (more() && text_[at_] == '{') {
      count(least, often);
    }
    if (least != 1 || often || optional) static_cast<void>(take("?") || take("+"));  // lazy, possessive
    if (optional && part.exact && part.exact->size() < kMaxStrings) {
      Part perhaps = part;
      perhaps.exact->insert("");
      return all.add(perhaps);
    }
    for (unsigned i = 0; i < std::min(least, kMaxCopies); ++i) all.add(part);
    if (least == 0 || least > kMaxCopies || often) all.add(anything());
  }

  // {n} {n,} {n,m}; anything else is text.
  void count(unsigned& least, bool& often) {
    const std::size_t close = text_.find('}', at_);
    const std::string_view inside =
        close == std::string_view::npos ? std::string_view() : text_.substr(at_ + 1, close - at_ - 1);
    if (inside.empty() || !is_digit(inside[0]) ||
        inside.find_first_not_of("0123456789,") != std::string_view::npos) {
      good_ = false;  // a brace that is no count: not worth a rule of its own
      return;
    }
    least = 0;
    for (const char c : inside.substr(0, inside.find(','))) {
      least = std::min(least * 10 + static_cast<unsigned>(c - '0'), 1000u);
    }
    often = inside.find(',') != std::string_view::npos;
    at_ = close + 1;
  }

  Part atom(int depth) {
    const char c = text_[at_++];
    switch (c) {
      case '(':
        return group(depth);
      case '[':
        return of_class();
      case '\\':
        return escape();
      case '.':
        return anything();
      case '^':
      case '$':
        return exactly("");
      case '*':
      case '+':
      case '?':
      case ')':
        good_ = false;
        return anything();
      default:
        return exactly(std::string(1, to_lower(c)));
    }
  }

  Part group(int depth) {
    if (depth >= kMaxDepth) {
      good_ = false;
      return anything();
    }
    if (take("?")) {
      // (?:…) and flags that change nothing here; others are not understood.
      while (more() && std::string_view("ims").find(text_[at_]) != std::string_view::npos) ++at_;
      if (take(")")) return exactly("");
      if (!take(":")) {
        good_ = false;
        return anything();
      }
    }
    Part part = alternatives(depth + 1);
    if (!take(")")) good_ = false;
    return part;
  }

  Part of_bytes(const Bytes& bytes) const {
    Strings strings;
    for (unsigned c = 0; c < 256; ++c) {
      if (bytes[c]) strings.insert(std::string(1, to_lower(static_cast<char>(c))));
      if (strings.size() > kMaxClass) return anything();
    }
    return {std::move(strings), {}, {}};
  }

  // The byte that an escape stands for; nothing for classes and assertions.
  std::optional<unsigned char> escaped_byte(char c) noexcept {
    switch (c) {
      case 'n':
        return '\n';
      case 'r':
        return '\r';
      case 't':
        return '\t';
      case 'f':
        return '\f';
      case 'a':
        return '\a';
      case 'e':
        return '\x1b';
      case '0':
        return '\0';
      case 'x': {
        const int value = hex_number(text_, at_, 2);
        if (value < 0) return std::nullopt;
        at_ += 2;
        return static_cast<unsigned char>(value);
      }
      default:
        if (is_alnum(c)) return std::nullopt;
        return byte(c);
    }
  }

  Part escape() {
    if (!more()) {
      good_ = false;
      return anything();
    }
    const char c = text_[at_++];
    if (c == 'b' || c == 'B') return exactly("");
    if (const auto byte = escaped_byte(c)) return exactly(std::string(1, to_lower(static_cast<char>(*byte))));
    if (std::string_view("dDwWsShHvV").find(c) == std::string_view::npos) good_ = false;
    return anything();
  }

  // [...]: behind its "[".
  Part of_class() {
    Bytes bytes;
    const bool negated = take("^");
    bool wide = negated;
    bool first = true;
    while (more() && (text_[at_] != ']' || first)) {
      first = false;
      std::optional<unsigned char> low = class_member(wide);
      if (!good_) return anything();
      if (!low) continue;
      if (at_ + 1 < text_.size() && text_[at_] == '-' && text_[at_ + 1] != ']') {
        ++at_;
        const std::optional<unsigned char> high = class_member(wide);
        if (!high || *high < *low) {
          good_ = false;
          return anything();
        }
        for (unsigned byte = *low; byte <= *high; ++byte) bytes.set(byte);
      } else {
        bytes.set(*low);
      }
    }
    if (!take("]")) good_ = false;
    return wide ? anything() : of_bytes(bytes);
  }

  // Nothing for a class inside of the class, which makes it `wide`.
  std::optional<unsigned char> class_member(bool& wide) {
    const char c = text_[at_++];
    if (c == '[' && more() && text_[at_] == ':') {
      const std::size_t end = text_.find(":]", at_);
      if (end == std::string_view::npos) good_ = false;
      at_ = end == std::string_view::npos ? text_.size() : end + 2;
      wide = true;
      return std::nullopt;
    }
    if (c != '\\') return byte(c);
    if (!more()) {
      good_ = false;
      return std::nullopt;
    }
    const char escaped = text_[at_++];
    if (escaped == 'b') return '\b';
    const auto byte = escaped_byte(escaped);
    if (!byte) wide = true;
    return byte;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool good_ = true;
};

}  // namespace

std::vector<std::string> required_literals(std::string_view expression) {
  const std::optional<Part> part = RegexReader(expression).read();
  if (!part) return {};
  const Strings strings = fewer(part->exact ? *part->exact : part->required, false);
  if (worth(strings) == 0) return {};
  return {strings.begin(), strings.end()};
}

}  // namespace wafd::detect
