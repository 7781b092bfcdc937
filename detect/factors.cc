#include "detect/factors.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kMaxFactors = 2048;  // alternatives of one set
constexpr std::size_t kMaxProduct = 256;   // of two sets in a row
constexpr std::size_t kMaxFactorLength = 48;
constexpr int kMaxDepth = 60;        // of groups
constexpr unsigned kMaxRepeat = 16;  // of a fixed number of repetitions that are written out

using Set = std::vector<Factor>;

// Octets of ordinary requests per thousand: letters as in English, then what URLs, forms and JSON are made
// of.
constexpr std::array<double, 256> kPerThousand = [] {
  std::array<double, 256> table{};
  for (unsigned c = 0; c < 256; ++c) table[c] = c < 0x20 || c == 0x7f ? 0.05 : c >= 0x80 ? 0.3 : 0.5;
  constexpr double kLetters[] = {49, 9,  20, 26, 76, 13, 12, 24, 42, 2,  6, 25, 15,
                                 41, 45, 14, 1,  37, 39, 55, 17, 7,  13, 3, 13, 2};
  for (unsigned i = 0; i < 26; ++i) {
    table['a' + i] = kLetters[i] * 0.9;
    table['A' + i] = kLetters[i] * 0.1;
  }
  for (unsigned c = '0'; c <= '9'; ++c) table[c] = 16;
  table[' '] = 15;
  table['/'] = 14;
  table['.'] = 14;
  table['-'] = 12;
  table['_'] = 12;
  table['"'] = 10;
  table[','] = 10;
  table[':'] = 10;
  table['%'] = 6;
  table['='] = 6;
  table['&'] = 5;
  table[';'] = 3;
  table['('] = table[')'] = table['{'] = table['}'] = 2;
  table['\n'] = 1;
  return table;
}();

constexpr std::uint64_t kLetters = 0x07fffffe07fffffe;  // in the second word of an OctetSet

// What a match of a part of the expression looks like.
struct Part {
  bool exact = true;  // `first` is all that it can match, and `last` the same
  Set first;          // every match begins with one of these
  Set last;           // and ends with one of these
  Set best;           // one of these stands in every match; empty: nothing is known
};

// How likely an ordinary text is to hold the factor. Letters of words are not independent of each other.
double weight(const Factor& factor) noexcept {
  double product = 1;
  // Every text has ends.
  if (std::all_of(factor.octets.begin(), factor.octets.end(), [](const OctetSet& set) { return set.edge; }))
    return 1;
  for (const OctetSet& set : factor.octets) {
    double one = likelihood(set);
    if ((set.words[1] & kLetters) != 0) one = std::max(one, 0.15);
    if (set.edge) one = std::min(1.0, one + 0.03);
    product *= one;
  }
  return product;
}

double weight(const Set& set) noexcept {
  double sum = 0;
  for (const Factor& factor : set) sum += weight(factor);
  return sum;
}

bool says_something(const Set& set) noexcept {
  return !set.empty() &&
         std::none_of(set.begin(), set.end(), [](const Factor& f) { return f.octets.empty(); });
}

Part nothing_known() {
  Part part;
  part.exact = false;
  part.first.resize(1);
  part.last.resize(1);
  return part;
}

Part one_place(const OctetSet& set) {
  Part part;
  part.first.resize(1);
  part.first[0].octets.push_back(set);
  return part;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Factors parse() {
    std::optional<Part> part = alternatives(0);
    Factors out;
    if (!part || at_ != text_.size()) return out;
    Set& set = part->exact ? part->first : part->best;
    if (!says_something(set)) return out;
    out.exact = part->exact && !loose_;
    out.any = std::move(set);
    return out;
  }

 private:
  bool more() const noexcept { return at_ < text_.size(); }
  char peek() const noexcept { return text_[at_]; }
  bool take(char c) noexcept {
    if (!more() || peek() != c) return false;
    ++at_;
    return true;
  }

  std::optional<Part> alternatives(int depth) {
    if (depth > kMaxDepth) return std::nullopt;
    std::optional<Part> all = sequence(depth);
    while (all && take('|')) {
      std::optional<Part> other = sequence(depth);
      if (!other) return std::nullopt;
      all = either(std::move(*all), std::move(*other));
    }
    return all;
  }

  static void append(Set& to, const Set& from) { to.insert(to.end(), from.begin(), from.end()); }

  static Part either(Part a, Part b) {
    if (a.exact && b.exact && a.first.size() + b.first.size() <= kMaxFactors) {
      append(a.first, b.first);
      return a;
    }
    for (Part* part : {&a, &b}) {
      if (!part->exact) continue;
      part->exact = false;
      part->last = part->first;
      if (says_something(part->first)) part->best = part->first;
    }
    if (a.best.empty() || b.best.empty() || a.best.size() + b.best.size() > kMaxFactors) {
      a.best.clear();
    } else {
      append(a.best, b.best);
    }
    if (a.first.size() + b.first.size() > kMaxFactors) {
      a.first.assign(1, Factor());
    } else {
      append(a.first, b.first);
    }
    if (a.last.size() + b.last.size() > kMaxFactors) {
      a.last.assign(1, Factor());
    } else {
      append(a.last, b.last);
    }
    return a;
  }

  // Every one of `a` with every one of `b` behind it; nothing if that would be too much.
  std::optional<Set> joined(const Set& a, const Set& b) {
    if (a.size() * b.size() > kMaxProduct && a.size() != 1 && b.size() != 1) return std::nullopt;
    if (a.size() * b.size() > kMaxFactors) return std::nullopt;
    Set out;
    for (const Factor& left : a) {
      for (const Factor& right : b) {
        if (left.octets.size() + right.octets.size() > kMaxFactorLength) return std::nullopt;
        Factor both = left;
        auto from = right.octets.begin();
        // What `^` and `$` look at is an octet of its own only where nothing else describes it.
        if (left.behind && !right.octets.empty()) {
          both.octets.pop_back();
          loose_ = true;
        }
        if (right.ahead && !left.octets.empty()) {
          ++from;
          loose_ = true;
        }
        both.octets.insert(both.octets.end(), from, right.octets.end());
        if (left.octets.empty()) both.ahead = right.ahead;
        both.behind = right.octets.empty() ? left.behind : right.behind;
        out.push_back(std::move(both));
      }
    }
    return out;
  }

  struct Sequence {
    bool exact = true;
    Set first;
    Set present{Factor()};  // what the latest octets were
    Set best;

    void consider(const Set& set) {
      if (says_something(set) && (best.empty() || weight(set) < weight(best))) best = set;
    }
    void cut(const Set& began_with) {
      if (exact) first = began_with;
      exact = false;
    }
  };

  std::optional<Part> sequence(int depth) {
    Sequence state;
    while (more() && peek() != '|' && peek() != ')') {
      std::optional<Part> next = repeated(depth);
      if (!next) return std::nullopt;
      std::optional<Set> both = joined(state.present, next->first);
      if (next->exact) {
        if (both) {
          state.present = std::move(*both);
        } else {
          state.consider(state.present);
          state.cut(state.present);
          state.present = std::move(next->first);
        }
        continue;
      }
      const Set& seen = both ? *both : state.present;
      state.consider(seen);
      if (!both) state.consider(next->first);
      state.consider(next->best);
      state.cut(seen);
      state.present = std::move(next->last);
    }
    Part part;
    part.exact = state.exact;
    if (state.exact) {
      part.first = std::move(state.present);
    } else {
      state.consider(state.present);
      part.first = std::move(state.first);
      part.last = std::move(state.present);
      part.best = std::move(state.best);
    }
    return part;
  }

  // False: not understood. `least` and `most` (0: without end) of {m,n} and its short forms.
  bool quantifier(unsigned& least, unsigned& most) {
    least = most = 1;
    if (!more()) return true;
    if (take('*')) {
      least = most = 0;
    } else if (take('+')) {
      most = 0;
    } else if (take('?')) {
      least = 0;
    } else if (peek() == '{' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1])) {
      ++at_;
      if (!number(least)) return false;
      most = least;
      if (take(',')) {
        most = 0;
        if (more() && is_digit(peek()) && (!number(most) || most == 0)) return false;
      }
      if (!take('}')) return false;
      if (most == 0 && least == 0) return !(more() && (take('?') || peek() == '+'));
    } else {
      return true;
    }
    take('?');  // as few as possible: the same texts match
    return !more() || (peek() != '+' && peek() != '*');
  }

  bool number(unsigned& value) {
    value = 0;
    while (more() && is_digit(peek())) {
      value = value * 10 + static_cast<unsigned>(text_[at_++] - '0');
      if (value > 100000) return false;
    }
    return true;
  }

  std::optional<Part> repeated(int depth) {
    std::optional<Part> part = atom(depth);
    unsigned least = 0;
    unsigned most = 0;
    if (!part || !quantifier(least, most)) return std::nullopt;
    if (least == 1 && most == 1) return part;
    if (least == 0 && most == 1 && part->exact) {
      part->first.emplace_back();
      return part;
    }
    if (least == 0) return nothing_known();
    if (part->exact && most == least && least <= kMaxRepeat) {
      std::optional<Set> all = part->first;
      for (unsigned i = 1; all && i < least; ++i) all = joined(*all, part->first);
      if (all) {
        part->first = std::move(*all);
        return part;
      }
    }
    if (part->exact) {
      // As many as there must be, then perhaps more.
      std::optional<Set> all = part->first;
      for (unsigned i = 1; all && i < std::min(least, kMaxRepeat); ++i) all = joined(*all, part->first);
      if (all) part->first = std::move(*all);
      part->exact = false;
      part->last = part->first;
      if (says_something(part->first)) part->best = part->first;
    }
    return part;
  }

  std::optional<Part> atom(int depth) {
    OctetSet set;
    switch (const char c = text_[at_++]) {
      case '(':
        if (take('?') && !take(':')) return std::nullopt;
        {
          std::optional<Part> inner = alternatives(depth + 1);
          if (!inner || !take(')')) return std::nullopt;
          return inner;
        }
      case '^':
      case '$': {
        set.edge = true;
        set.add('\n');
        Part part = one_place(set);
        (c == '^' ? part.first[0].ahead : part.first[0].behind) = true;
        return part;
      }
      case '.':
        for (auto& word : set.words) word = ~std::uint64_t{0};
        return one_place(set);
      case '[':
        if (!bracket(set)) return std::nullopt;
        return one_place(set);
      case '\\': {
        if (!more()) return std::nullopt;
        if (peek() == 'b') {  // between a word and something else: any place will do
          ++at_;
          loose_ = true;
          Part part;
          part.first.resize(1);
          return part;
        }
        if (!escape(set)) return std::nullopt;
        with_both_cases(set);
        return one_place(set);
      }
      case '*':
      case '+':
      case '?':
        return std::nullopt;
      default:
        set.add(octet(c));
        with_both_cases(set);
        return one_place(set);
    }
  }

  static void with_both_cases(OctetSet& set) noexcept {
    for (unsigned char c = 'a'; c <= 'z'; ++c) {
      const auto upper = static_cast<unsigned char>(c - 32);
      if (set.has(c)) set.add(upper);
      if (set.has(upper)) set.add(c);
    }
  }
  static void invert(OctetSet& set) noexcept {
    for (auto& word : set.words) word = ~word;
  }
  static void add_class(OctetSet& set, char name) noexcept {
    OctetSet found;
    for (unsigned i = 0; i < 256; ++i) {
      const char c = static_cast<char>(i);
      const char kind = to_lower(name);
      if (kind == 'd' ? is_digit(c) : kind == 'w' ? is_alnum(c) || c == '_' : is_space(c))
        found.add(static_cast<unsigned char>(i));
    }
    if (is_upper(name)) {
      found.words[0] &= ~(std::uint64_t{1} << '\v');  // a space to some readers, none to others
      invert(found);
    }
    for (std::size_t i = 0; i < set.words.size(); ++i) set.words[i] |= found.words[i];
  }

  // Behind the backslash. False: not understood.
  bool escape(OctetSet& set) {
    const char c = text_[at_++];
    switch (c) {
      case 'd':
      case 'D':
      case 'w':
      case 'W':
      case 's':
      case 'S':
        add_class(set, c);
        return true;
      case 'n':
        set.add('\n');
        return true;
      case 'r':
        set.add('\r');
        return true;
      case 't':
        set.add('\t');
        return true;
      case 'f':
        set.add('\f');
        return true;
      case 'v':  // any vertical space
        for (const char space : {'\n', '\v', '\f', '\r'}) set.add(octet(space));
        set.add(0x85);
        return true;
      case 'h':  // any horizontal space
        for (const char space : {'\t', ' '}) set.add(octet(space));
        set.add(0xa0);
        return true;
      case 'a':
        set.add('\a');
        return true;
      case 'e':
        set.add(0x1b);
        return true;
      case 'x': {
        int value = 0;
        int digits = 0;
        while (digits < 2 && more() && hex_value(peek()) >= 0) {
          value = value * 16 + hex_value(text_[at_++]);
          ++digits;
        }
        if (digits == 0) return false;
        set.add(static_cast<unsigned char>(value));
        return true;
      }
      default:
        if (is_alnum(c)) return false;
        set.add(octet(c));
        return true;
    }
  }

  bool bracket(OctetSet& set) {
    const bool negated = take('^');
    bool first = true;
    while (true) {
      if (!more()) return false;
      if (peek() == ']' && !first) {
        ++at_;
        break;
      }
      first = false;
      if (peek() == '[' && at_ + 1 < text_.size() &&
          std::string_view(":.=").find(text_[at_ + 1]) != std::string_view::npos)
        return false;
      OctetSet low;
      const bool is_class = peek() == '\\' && at_ + 1 < text_.size() &&
                            std::string_view("dDwWsSvh").find(text_[at_ + 1]) != std::string_view::npos;
      if (!member(low)) return false;
      if (!is_class && more() && peek() == '-' && at_ + 1 < text_.size() && text_[at_ + 1] != ']') {
        ++at_;
        if (peek() == '\\' && at_ + 1 < text_.size() && is_alpha(text_[at_ + 1]) && text_[at_ + 1] != 'x' &&
            std::string_view("nrtfae").find(text_[at_ + 1]) == std::string_view::npos)
          return false;
        OctetSet high;
        if (!member(high)) return false;
        const int from = single(low);
        const int to = single(high);
        if (from < 0 || to < from) return false;
        for (int c = from; c <= to; ++c) set.add(static_cast<unsigned char>(c));
      } else {
        for (std::size_t i = 0; i < set.words.size(); ++i) set.words[i] |= low.words[i];
      }
    }
    with_both_cases(set);
    if (negated) invert(set);
    return true;
  }

  bool member(OctetSet& set) {
    if (take('\\')) {
      if (!more()) return false;
      if (take('b')) {
        set.add('\b');
        return true;
      }
      return escape(set);
    }
    set.add(octet(text_[at_++]));
    return true;
  }

  static int single(const OctetSet& set) noexcept {
    int found = -1;
    for (int c = 0; c < 256; ++c) {
      if (!set.has(static_cast<unsigned char>(c))) continue;
      if (found >= 0) return -1;
      found = c;
    }
    return found;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool loose_ = false;  // an assertion was left out
};

}  // namespace

double likelihood(const OctetSet& set) noexcept {
  double sum = 0;
  for (std::size_t i = 0; i < set.words.size(); ++i) {
    for (std::uint64_t bits = set.words[i]; bits != 0; bits &= bits - 1)
      sum += kPerThousand[i * 64 + static_cast<std::size_t>(std::countr_zero(bits))];
  }
  return std::min(1.0, sum / 1000);
}

Factors required_factors(std::string_view expression) { return Parser(expression).parse(); }

}  // namespace wafd::detect
