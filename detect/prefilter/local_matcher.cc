#include "detect/prefilter/local_matcher.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace wafd::detect {
namespace {

using Kind = ExpressionNode::Kind;

// A leaf and where the way to it or from it is open. In the automaton that reads on, a mask's left is the
// octet read last; the one that reads back has them turned.
struct Way {
  std::uint16_t leaf = 0;
  PlaceMask mask = 0;
};

PlaceMask turned(PlaceMask mask) noexcept {
  PlaceMask out = 0;
  for (unsigned left = 0; left < kOctetKinds; ++left) {
    for (unsigned right = 0; right < kOctetKinds; ++right) {
      if ((mask >> (left * kOctetKinds + right) & 1) != 0)
        out = static_cast<PlaceMask>(out | 1u << (right * kOctetKinds + left));
    }
  }
  return out;
}

// Glushkov's automaton (The abstract theory of automata, 1961): its states are the leaves.
struct Graph {
  std::vector<std::vector<Way>> ways;  // by leaf: what may come next
  std::vector<PlaceMask> ends;         // by leaf: where a match may end with it
};

class GraphMaker {
 public:
  explicit GraphMaker(const Expression& expression)
      : ahead_{std::vector<std::vector<Way>>(expression.leaves.size()),
               std::vector<PlaceMask>(expression.leaves.size())} {
    const Part whole = part_of(expression.root);
    for (const Way& way : whole.last) ahead_.ends[way.leaf] = way.mask;
    first_ = whole.first;
    for (auto& ways : ahead_.ways) unite(ways);
  }

  bool too_large() const noexcept { return edges_ > kMaxEdges; }
  const Graph& ahead() const noexcept { return ahead_; }
  Graph back() const {
    Graph out{std::vector<std::vector<Way>>(ahead_.ways.size()), std::vector<PlaceMask>(ahead_.ways.size())};
    for (std::size_t from = 0; from < ahead_.ways.size(); ++from) {
      for (const Way& way : ahead_.ways[from])
        out.ways[way.leaf].push_back({static_cast<std::uint16_t>(from), turned(way.mask)});
    }
    for (const Way& way : first_) out.ends[way.leaf] = turned(way.mask);
    return out;
  }

 private:
  static constexpr std::size_t kMaxEdges = 1u << 20;

  struct Part {
    PlaceMask nothing = 0;  // where it matches no octet at all
    std::vector<Way> first;
    std::vector<Way> last;
  };

  static void unite(std::vector<Way>& ways) {
    std::sort(ways.begin(), ways.end(), [](const Way& a, const Way& b) { return a.leaf < b.leaf; });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < ways.size(); ++i) {
      if (kept != 0 && ways[kept - 1].leaf == ways[i].leaf) {
        ways[kept - 1].mask = static_cast<PlaceMask>(ways[kept - 1].mask | ways[i].mask);
      } else {
        ways[kept++] = ways[i];
      }
    }
    ways.resize(kept);
  }

  static void add(std::vector<Way>& to, const std::vector<Way>& from, PlaceMask where) {
    for (Way way : from) {
      way.mask &= where;
      if (way.mask != 0) to.push_back(way);
    }
  }

  void follow(const std::vector<Way>& from, const std::vector<Way>& to) {
    if ((edges_ += from.size() * to.size()) > kMaxEdges) return;
    for (const Way& way : from) add(ahead_.ways[way.leaf], to, way.mask);
  }

  Part part_of(const ExpressionNode& node) {
    Part part;
    switch (node.kind) {
      case Kind::kEmpty:
        part.nothing = kEverywhere;
        break;
      case Kind::kLeaf:
        part.first.push_back({node.leaf, kEverywhere});
        part.last = part.first;
        break;
      case Kind::kAssertion:
        part.nothing = node.mask;
        break;
      case Kind::kSequence:
        part.nothing = kEverywhere;
        for (const ExpressionNode& child : node.children) {
          const Part next = part_of(child);
          follow(part.last, next.first);
          add(part.first, next.first, part.nothing);
          std::vector<Way> last = next.last;
          add(last, part.last, next.nothing);
          unite(last);
          part.last = std::move(last);
          part.nothing &= next.nothing;
        }
        unite(part.first);
        break;
      case Kind::kAlternatives:
        for (const ExpressionNode& child : node.children) {
          const Part other = part_of(child);
          add(part.first, other.first, kEverywhere);
          add(part.last, other.last, kEverywhere);
          part.nothing |= other.nothing;
        }
        break;
      case Kind::kOptional:
        part = part_of(node.children.front());
        part.nothing = kEverywhere;
        break;
      case Kind::kPlus:
        part = part_of(node.children.front());
        follow(part.last, part.first);
        break;
    }
    return part;
  }

  Graph ahead_;
  std::vector<Way> first_;
  std::size_t edges_ = 0;
};

}  // namespace

// Makes sets of leaves into states, the nearest to the starts first, until the table is full.
class AutomatonMaker {
 public:
  using State = LocalMatcher::State;
  using Automaton = LocalMatcher::Automaton;

  AutomatonMaker(const Expression& expression, const Graph& graph,
                 std::span<const unsigned char> octet_of_class)
      : expression_(expression), graph_(graph), octets_(octet_of_class) {}

  Automaton make(std::span<const std::uint16_t> starts) {
    reserve(kFirst);
    for (const std::uint16_t leaf : starts) out_.starts.push_back(start(leaf));
    while (done_ < sets_.size()) {
      const std::size_t at = done_++;
      for (std::size_t c = 0; c < octets_.size(); ++c) {
        const State to = after(at, octets_[c]);
        out_.next[(at + kFirst) * octets_.size() + c] = to;
      }
      out_.at_end[at + kFirst] = ends_at_edge(at) ? 1 : 0;
    }
    return std::move(out_);
  }

 private:
  static constexpr std::size_t kFirst = static_cast<std::size_t>(LocalMatcher::Answer::kPerhaps) + 1;
  static constexpr State kNo = static_cast<State>(LocalMatcher::Answer::kNo);
  static constexpr State kYes = static_cast<State>(LocalMatcher::Answer::kYes);
  static constexpr State kPerhaps = static_cast<State>(LocalMatcher::Answer::kPerhaps);

  // The leaves that may have taken the octet read last; `kind` is its kind.
  struct Set {
    std::vector<std::uint16_t> leaves;
    OctetKind kind = OctetKind::kOther;
    bool begins = false;  // nothing is read yet; `leaves` is what may take the first octet
    auto operator<=>(const Set&) const = default;
  };

  void reserve(std::size_t states) {
    out_.next.resize(states * octets_.size());
    out_.at_end.resize(states);
  }

  State start(std::uint16_t leaf) {
    Set set;
    set.leaves.push_back(leaf);
    set.begins = true;
    return state_of(std::move(set));
  }

  State state_of(Set set) {
    if (set.leaves.empty()) return kNo;
    if (!set.begins) {
      for (const std::uint16_t leaf : set.leaves) {
        const unsigned row =
            static_cast<unsigned>(graph_.ends[leaf]) >> (static_cast<unsigned>(set.kind) * kOctetKinds);
        if ((row & 7u) == 7u) return kYes;  // whatever comes next
      }
    }
    const auto [it, made] = known_.try_emplace(std::move(set), kPerhaps);
    if (!made) return it->second;
    if ((sets_.size() + kFirst + 1) * octets_.size() > LocalMatcher::kMaxTableEntries) return kPerhaps;
    it->second = static_cast<State>(sets_.size() + kFirst);
    sets_.push_back(&it->first);
    reserve(sets_.size() + kFirst);
    return it->second;
  }

  State after(std::size_t at, unsigned char octet) {
    const Set& from = *sets_[at];
    const OctetKind kind = kind_of(octet);
    Set to;
    to.kind = kind;
    for (const std::uint16_t leaf : from.leaves) {
      if (from.begins) {
        if (expression_.leaves[leaf].has(octet)) to.leaves.push_back(leaf);
        continue;
      }
      if (holds(graph_.ends[leaf], from.kind, kind)) return kYes;
      for (const Way& way : graph_.ways[leaf]) {
        if (holds(way.mask, from.kind, kind) && expression_.leaves[way.leaf].has(octet))
          to.leaves.push_back(way.leaf);
      }
    }
    std::sort(to.leaves.begin(), to.leaves.end());
    to.leaves.erase(std::unique(to.leaves.begin(), to.leaves.end()), to.leaves.end());
    return state_of(std::move(to));
  }

  bool ends_at_edge(std::size_t at) const {
    const Set& set = *sets_[at];
    if (set.begins) return false;
    return std::any_of(set.leaves.begin(), set.leaves.end(), [&](std::uint16_t leaf) {
      return holds(graph_.ends[leaf], set.kind, OctetKind::kLineEnd);
    });
  }

  const Expression& expression_;
  const Graph& graph_;
  std::span<const unsigned char> octets_;  // one of each class
  Automaton out_;
  std::map<Set, State> known_;
  std::vector<const Set*> sets_;  // by state
  std::size_t done_ = 0;
};

namespace {

// Octets that all leaves and all assertions treat alike are one class.
std::size_t make_classes(const Expression& expression, std::array<unsigned char, 256>& class_of) {
  std::array<std::uint32_t, 256> ids{};
  for (unsigned c = 0; c < 256; ++c)
    ids[c] = static_cast<std::uint32_t>(kind_of(static_cast<unsigned char>(c)));
  std::size_t classes = 0;
  std::vector<const OctetSet*> sets;
  for (const OctetSet& set : expression.leaves) {
    if (std::none_of(sets.begin(), sets.end(), [&](const OctetSet* other) { return *other == set; }))
      sets.push_back(&set);
  }
  const OctetSet none;
  sets.push_back(&none);  // numbers them from 0
  for (const OctetSet* set : sets) {
    std::map<std::uint32_t, std::uint32_t> numbers;
    for (unsigned c = 0; c < 256; ++c) {
      const std::uint32_t key = ids[c] * 2 + (set->has(static_cast<unsigned char>(c)) ? 1 : 0);
      ids[c] = numbers.try_emplace(key, static_cast<std::uint32_t>(numbers.size())).first->second;
    }
    classes = numbers.size();
  }
  for (unsigned c = 0; c < 256; ++c) class_of[c] = static_cast<unsigned char>(ids[c]);
  return classes;
}

}  // namespace

LocalMatcher LocalMatcher::build(const Expression& expression, std::span<const std::uint16_t> leaves) {
  LocalMatcher out;
  out.classes_ = make_classes(expression, out.class_of_);
  std::vector<unsigned char> octets(out.classes_);
  for (unsigned c = 256; c-- > 0;) octets[out.class_of_[c]] = static_cast<unsigned char>(c);
  const GraphMaker graph(expression);
  if (graph.too_large()) {
    const auto perhaps = static_cast<State>(Answer::kPerhaps);
    for (Automaton* automaton : {&out.ahead_, &out.back_}) {
      automaton->starts.assign(leaves.size(), perhaps + 1);
      automaton->next.assign((perhaps + 2u) * out.classes_, perhaps);
      automaton->at_end.assign(perhaps + 2u, 0);
    }
    return out;
  }
  out.ahead_ = AutomatonMaker(expression, graph.ahead(), octets).make(leaves);
  const Graph back = graph.back();
  out.back_ = AutomatonMaker(expression, back, octets).make(leaves);
  out.complete_ = out.is_complete(out.ahead_) && out.is_complete(out.back_);
  out.certain_ = out.complete_ && out.is_short(out.ahead_) && out.is_short(out.back_);
  return out;
}

bool LocalMatcher::is_complete(const Automaton& automaton) const noexcept {
  const auto perhaps = static_cast<State>(Answer::kPerhaps);
  const auto first = static_cast<std::ptrdiff_t>((perhaps + 1u) * classes_);
  return std::find(automaton.starts.begin(), automaton.starts.end(), perhaps) == automaton.starts.end() &&
         std::find(automaton.next.begin() + first, automaton.next.end(), perhaps) == automaton.next.end();
}

// Whether no way from a start is longer than kMaxSteps.
bool LocalMatcher::is_short(const Automaton& automaton) const {
  std::vector<State> states = automaton.starts;
  for (std::size_t step = 0; step < kMaxSteps && !states.empty(); ++step) {
    std::vector<State> next;
    std::vector<bool> known(automaton.at_end.size());
    for (const State state : states) {
      for (std::size_t c = 0; c < classes_; ++c) {
        const State to = automaton.next[state * classes_ + c];
        if (to <= static_cast<State>(Answer::kPerhaps) || known[to]) continue;
        known[to] = true;
        next.push_back(to);
      }
    }
    states = std::move(next);
  }
  return states.empty();
}

// The places from the leaf's own on.
bool LocalMatcher::narrow(const Automaton& automaton, std::size_t leaf, std::span<OctetSet> places) const {
  constexpr std::size_t kMaxStates = 256;  // that are followed; beyond, the places stay as they are
  std::vector<State> states{automaton.starts[leaf]};
  bool edge = false;  // behind an edge there is nothing but edges
  for (OctetSet& place : places) {
    if (states.size() > kMaxStates) return true;
    std::array<bool, 256> given{};
    place.each([&](unsigned char octet) { given[class_of_[octet]] = true; });
    std::array<bool, 256> allowed{};
    bool ended = false;
    std::vector<State> next;
    for (const State state : states) {
      edge = edge || automaton.at_end[state] != 0;
      for (std::size_t c = 0; c < classes_; ++c) {
        const State to = automaton.next[state * classes_ + c];
        if (!given[c] || to == static_cast<State>(Answer::kNo)) continue;
        allowed[c] = true;
        if (to <= static_cast<State>(Answer::kPerhaps)) {
          ended = true;
        } else {
          next.push_back(to);
        }
      }
    }
    OctetSet kept;
    place.each([&](unsigned char octet) {
      if (allowed[class_of_[octet]]) kept.add(octet);
    });
    edge = edge && place.edge;
    kept.edge = edge;
    place = kept;
    if (kept == OctetSet{}) return false;
    if (ended) return true;
    std::sort(next.begin(), next.end());
    next.erase(std::unique(next.begin(), next.end()), next.end());
    states = std::move(next);
  }
  return true;
}

bool LocalMatcher::narrow(std::size_t leaf, std::span<OctetSet> places, std::size_t at) const {
  if (!narrow(ahead_, leaf, places.subspan(at))) return false;
  std::vector<OctetSet> before(places.rend() - static_cast<std::ptrdiff_t>(at) - 1, places.rend());
  if (!narrow(back_, leaf, before)) return false;
  std::copy(before.rbegin(), before.rend(), places.begin());
  return true;
}

LocalMatcher::Surroundings LocalMatcher::surroundings(std::size_t leaf) const {
  std::array<OctetSet, 2 * kReach + 1> places;
  places.fill(OctetSet::everything());
  Surroundings out;
  if (!narrow(leaf, places, kReach)) return out;
  out.here = places[kReach];
  std::copy(places.begin() + kReach + 1, places.end(), out.behind.begin());
  std::reverse_copy(places.begin(), places.begin() + kReach, out.before.begin());
  return out;
}

std::size_t LocalMatcher::octets() const noexcept {
  std::size_t sum = sizeof *this;
  for (const Automaton* automaton : {&ahead_, &back_})
    sum += automaton->next.size() * sizeof(State) + automaton->at_end.size() +
           automaton->starts.size() * sizeof(State);
  return sum;
}

}  // namespace wafd::detect
