#include "detect/prefilter/factors.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <span>
#include <string_view>

#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kMaxFactors = 2048;  // alternatives of one set
constexpr std::size_t kMaxProduct = 256;   // of two sets in a row
constexpr std::size_t kMaxFactorLength = 48;

using Kind = ExpressionNode::Kind;
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
  table['@'] = 2;
  table['%'] = 12;
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

// What stands in ordinary requests far more often than its octets say, and how often at a place.
struct Common {
  std::string_view text;
  double likely;
};
constexpr Common kCommon[] = {{"https:", 0.0005}, {"http:", 0.0005}, {"//", 0.003}};

// What is common and stands at these places, upper or lower case; null if nothing.
const Common* common_at(std::span<const FactorPlace> places) noexcept {
  const auto takes = [](char c, const FactorPlace& place) {
    int octets = 0;
    for (const std::uint64_t word : place.set.words) octets += std::popcount(word);
    return octets <= 2 && place.set.has(octet(c));
  };
  for (const Common& common : kCommon) {
    if (common.text.size() > places.size()) continue;
    if (std::equal(common.text.begin(), common.text.end(), places.begin(), takes)) return &common;
  }
  return nullptr;
}

// How likely an ordinary text is to hold the factor. Letters of words are not independent of each other.
double weight(const Factor& factor) noexcept {
  double product = 1;
  const std::span<const FactorPlace> places(factor.places);
  // Every text has ends.
  if (std::all_of(factor.places.begin(), factor.places.end(),
                  [](const FactorPlace& place) { return place.set.edge; }))
    return 1;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (const Common* common = common_at(places.subspan(i))) {
      product *= common->likely;
      i += common->text.size() - 1;
      continue;
    }
    const OctetSet& set = places[i].set;
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
         std::none_of(set.begin(), set.end(), [](const Factor& f) { return f.places.empty(); });
}

Part nothing_known() {
  Part part;
  part.exact = false;
  part.first.resize(1);
  part.last.resize(1);
  return part;
}

Part nothing_at_all() {
  Part part;
  part.first.resize(1);
  return part;
}

Part one_place(const FactorPlace& place) {
  Part part = nothing_at_all();
  part.first[0].places.push_back(place);
  return part;
}

class Finder {
 public:
  Part part_of(const ExpressionNode& node) {
    switch (node.kind) {
      case Kind::kEmpty:
        return nothing_at_all();
      case Kind::kLeaf:
        return one_place({node.set, node.leaf});
      case Kind::kAssertion: {
        if (!node.ahead && !node.behind) {  // between a word and something else: any place will do
          return nothing_at_all();
        }
        Part part = one_place({node.set, kNoLeaf});
        part.first[0].ahead = node.ahead;
        part.first[0].behind = node.behind;
        return part;
      }
      case Kind::kSequence:
        return sequence(node.children);
      case Kind::kAlternatives: {
        Part all = part_of(node.children.front());
        for (std::size_t i = 1; i < node.children.size(); ++i)
          all = either(std::move(all), part_of(node.children[i]));
        return all;
      }
      case Kind::kOptional: {
        if (node.counted) return nothing_known();
        Part part = part_of(node.children.front());
        if (!part.exact) return nothing_known();
        part.first.emplace_back();
        return part;
      }
      case Kind::kPlus: {
        Part part = part_of(node.children.front());
        if (part.exact) {
          part.exact = false;
          part.last = part.first;
          if (says_something(part.first)) part.best = part.first;
        }
        return part;
      }
    }
    return nothing_known();
  }

 private:
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
        if (left.places.size() + right.places.size() > kMaxFactorLength) return std::nullopt;
        Factor both = left;
        auto from = right.places.begin();
        // What `^` and `$` look at is an octet of its own only where nothing else describes it.
        if (left.behind && !right.places.empty()) both.places.pop_back();
        if (right.ahead && !left.places.empty()) ++from;
        both.places.insert(both.places.end(), from, right.places.end());
        if (left.places.empty()) both.ahead = right.ahead;
        both.behind = right.places.empty() ? left.behind : right.behind;
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

  Part sequence(const std::vector<ExpressionNode>& children) {
    Sequence state;
    for (const ExpressionNode& child : children) {
      Part next = part_of(child);
      std::optional<Set> both = joined(state.present, next.first);
      if (next.exact) {
        if (both) {
          state.present = std::move(*both);
        } else {
          state.consider(state.present);
          state.cut(state.present);
          state.present = std::move(next.first);
        }
        continue;
      }
      const Set& seen = both ? *both : state.present;
      state.consider(seen);
      if (!both) state.consider(next.first);
      state.consider(next.best);
      state.cut(seen);
      state.present = std::move(next.last);
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
};

// The least likely set of which every match of the node holds an octet, leaves of factors aside.
std::optional<OctetSet> needed_of(const ExpressionNode& node, const std::vector<bool>& in_factor) {
  switch (node.kind) {
    case Kind::kLeaf:
      if (in_factor[node.leaf]) return std::nullopt;
      return node.set;
    case Kind::kPlus:
      return needed_of(node.children.front(), in_factor);
    case Kind::kSequence: {
      std::optional<OctetSet> best;
      for (const ExpressionNode& child : node.children) {
        const std::optional<OctetSet> set = needed_of(child, in_factor);
        if (set && (!best || likelihood(*set) < likelihood(*best))) best = set;
      }
      return best;
    }
    case Kind::kAlternatives: {
      OctetSet any;
      for (const ExpressionNode& child : node.children) {
        const std::optional<OctetSet> set = needed_of(child, in_factor);
        if (!set) return std::nullopt;
        set->each([&](unsigned char octet) { any.add(octet); });
      }
      return any;
    }
    case Kind::kEmpty:
    case Kind::kAssertion:
    case Kind::kOptional:
      break;
  }
  return std::nullopt;
}

}  // namespace

NeededOctets needed_octets(const Expression& expression, std::span<const Factor> factors) {
  constexpr double kMaxNeeded = 0.02;  // likelier octets stand in too many texts
  std::vector<bool> in_factor(expression.leaves.size());
  for (const Factor& factor : factors) {
    for (const FactorPlace& place : factor.places) {
      if (place.leaf != kNoLeaf) in_factor[place.leaf] = true;
    }
  }
  NeededOctets out;
  const std::optional<OctetSet> set = needed_of(expression.root, in_factor);
  if (!set || likelihood(*set) > kMaxNeeded) return out;
  std::size_t octets = 0;
  for (const std::uint64_t word : set->words) octets += static_cast<std::size_t>(std::popcount(word));
  if (octets > out.octets.size()) return out;
  set->each([&](unsigned char octet) { out.octets[out.count++] = octet; });
  return out;
}

double likelihood(const OctetSet& set) noexcept {
  double sum = 0;
  for (std::size_t i = 0; i < set.words.size(); ++i) {
    for (std::uint64_t bits = set.words[i]; bits != 0; bits &= bits - 1)
      sum += kPerThousand[i * 64 + static_cast<std::size_t>(std::countr_zero(bits))];
  }
  return std::min(1.0, sum / 1000);
}

std::vector<Factor> required_factors(const Expression& expression) {
  Part part = Finder().part_of(expression.root);
  Set& set = part.exact ? part.first : part.best;
  if (!says_something(set)) return {};
  return std::move(set);
}

}  // namespace wafd::detect
