#include "detect/prefilter/expression.h"

#include <algorithm>
#include <utility>

#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

using Kind = ExpressionNode::Kind;

constexpr bool is_word_octet(char c) noexcept { return is_alnum(c) || c == '_'; }

template <class Holds>
constexpr PlaceMask mask_of(Holds&& holds_for) noexcept {
  PlaceMask mask = 0;
  for (unsigned left = 0; left < kOctetKinds; ++left) {
    for (unsigned right = 0; right < kOctetKinds; ++right) {
      if (holds_for(static_cast<OctetKind>(left), static_cast<OctetKind>(right)))
        mask = static_cast<PlaceMask>(mask | 1u << (left * kOctetKinds + right));
    }
  }
  return mask;
}
constexpr PlaceMask kLineBegin =
    mask_of([](OctetKind left, OctetKind) { return left == OctetKind::kLineEnd; });
constexpr PlaceMask kLineEnd =
    mask_of([](OctetKind, OctetKind right) { return right == OctetKind::kLineEnd; });
constexpr PlaceMask kBoundary = mask_of([](OctetKind left, OctetKind right) {
  return (left == OctetKind::kWord) != (right == OctetKind::kWord);
});

std::size_t leaves_in(const ExpressionNode& node) noexcept {
  if (node.kind == Kind::kLeaf) return 1;
  std::size_t sum = 0;
  for (const ExpressionNode& child : node.children) sum += leaves_in(child);
  return sum;
}

ExpressionNode around(Kind kind, ExpressionNode inner) {
  ExpressionNode node;
  node.kind = kind;
  node.children.push_back(std::move(inner));
  return node;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::optional<Expression> parse() {
    std::optional<ExpressionNode> root = alternatives(0);
    if (!root || at_ != text_.size()) return std::nullopt;
    Expression out;
    out.root = std::move(*root);
    out.widened = widened_;
    number_leaves(out.root, out.leaves);
    if (out.leaves.size() > kMaxLeaves) return std::nullopt;
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

  static void number_leaves(ExpressionNode& node, std::vector<OctetSet>& leaves) {
    if (node.kind == Kind::kLeaf) {
      node.leaf = static_cast<std::uint16_t>(leaves.size());
      leaves.push_back(node.set);
    }
    for (ExpressionNode& child : node.children) number_leaves(child, leaves);
  }

  std::optional<ExpressionNode> alternatives(int depth) {
    if (depth > kMaxExpressionDepth) return std::nullopt;
    std::optional<ExpressionNode> first = sequence(depth);
    if (!first || !more() || peek() != '|') return first;
    ExpressionNode all = around(Kind::kAlternatives, std::move(*first));
    while (take('|')) {
      std::optional<ExpressionNode> other = sequence(depth);
      if (!other) return std::nullopt;
      all.children.push_back(std::move(*other));
    }
    return all;
  }

  std::optional<ExpressionNode> sequence(int depth) {
    ExpressionNode all;
    all.kind = Kind::kSequence;
    while (more() && peek() != '|' && peek() != ')') {
      std::optional<ExpressionNode> next = repeated(depth);
      if (!next) return std::nullopt;
      all.children.push_back(std::move(*next));
    }
    if (all.children.empty()) return ExpressionNode();
    if (all.children.size() == 1) return std::move(all.children.front());
    return all;
  }

  // False: not understood. `least` and `most` (0: without end) of {m,n} and its short forms.
  bool quantifier(unsigned& least, unsigned& most, bool& none) {
    least = most = 1;
    none = false;
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
      none = least == 0;
      if (take(',')) {
        most = 0;
        none = false;
        if (more() && is_digit(peek()) && (!number(most) || most == 0)) return false;
        if (most != 0 && most < least) return false;
      }
      if (!take('}')) return false;
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

  std::optional<ExpressionNode> repeated(int depth) {
    std::optional<ExpressionNode> node = atom(depth);
    unsigned least = 0;
    unsigned most = 0;
    bool none = false;
    if (!node || !quantifier(least, most, none)) return std::nullopt;
    if (none) return ExpressionNode();
    if (least == 1 && most == 1) return node;
    if (least == 0 && most == 1) return around(Kind::kOptional, std::move(*node));
    if (least > kMaxRepeat) {
      least = kMaxRepeat;
      most = 0;
      widened_ = true;
    }
    if (most > kMaxRepeat) {
      most = 0;
      widened_ = true;
    }
    // Copies are written out, so they count.
    const std::size_t one = leaves_in(*node);
    if (one * std::max({least, most, 1u}) > kMaxLeaves) return std::nullopt;
    return written_out(std::move(*node), least, most);
  }

  static ExpressionNode written_out(ExpressionNode node, unsigned least, unsigned most) {
    ExpressionNode all;
    all.kind = Kind::kSequence;
    for (unsigned i = 0; i + (most == 0 ? 1 : 0) < least; ++i) all.children.push_back(node);
    if (most == 0) {
      ExpressionNode plus = around(Kind::kPlus, std::move(node));
      if (least == 0) {
        plus = around(Kind::kOptional, std::move(plus));
        plus.counted = true;
      }
      all.children.push_back(std::move(plus));
    } else if (most > least) {
      ExpressionNode rest;
      for (unsigned i = least; i < most; ++i) {
        ExpressionNode one = node;
        if (rest.kind != Kind::kEmpty) {
          ExpressionNode both = around(Kind::kSequence, std::move(one));
          both.children.push_back(std::move(rest));
          one = std::move(both);
        }
        rest = around(Kind::kOptional, std::move(one));
        rest.counted = true;
      }
      all.children.push_back(std::move(rest));
    }
    if (all.children.size() == 1) return std::move(all.children.front());
    return all;
  }

  static ExpressionNode leaf(const OctetSet& set) {
    ExpressionNode node;
    node.kind = Kind::kLeaf;
    node.set = set;
    return node;
  }

  std::optional<ExpressionNode> atom(int depth) {
    OctetSet set;
    switch (const char c = text_[at_++]) {
      case '(': {
        if (take('?') && !take(':')) return std::nullopt;
        std::optional<ExpressionNode> inner = alternatives(depth + 1);
        if (!inner || !take(')')) return std::nullopt;
        return inner;
      }
      case '^':
      case '$': {
        ExpressionNode node;
        node.kind = Kind::kAssertion;
        node.set.edge = true;
        node.set.add('\n');
        node.mask = c == '^' ? kLineBegin : kLineEnd;
        (c == '^' ? node.ahead : node.behind) = true;
        return node;
      }
      case '.':
        for (auto& word : set.words) word = ~std::uint64_t{0};
        return leaf(set);
      case '[':
        if (!bracket(set)) return std::nullopt;
        return leaf(set);
      case '\\':
        if (!more()) return std::nullopt;
        if (peek() == 'b') {
          ++at_;
          ExpressionNode node;
          node.kind = Kind::kAssertion;
          node.mask = kBoundary;
          return node;
        }
        if (!escape(set)) return std::nullopt;
        with_both_cases(set);
        return leaf(set);
      case '*':
      case '+':
      case '?':
        return std::nullopt;
      default:
        set.add(octet(c));
        with_both_cases(set);
        return leaf(set);
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
  bool widened_ = false;
};

}  // namespace

OctetKind kind_of(unsigned char c) noexcept {
  if (c == '\n') return OctetKind::kLineEnd;
  return is_word_octet(static_cast<char>(c)) ? OctetKind::kWord : OctetKind::kOther;
}

std::optional<Expression> parse_expression(std::string_view text) { return Parser(text).parse(); }

}  // namespace wafd::detect
