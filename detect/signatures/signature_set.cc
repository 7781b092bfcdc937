#include "detect/signatures/signature_set.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "detect/signatures/required_literals.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kLeastOfGroup = 64;

// Expressions of one set, and whose they are.
struct Part {
  std::vector<std::string_view> expressions;
  std::vector<std::uint32_t> owners;

  void add(std::string_view expression, std::size_t owner) {
    expressions.push_back(expression);
    owners.push_back(static_cast<std::uint32_t>(owner));
  }
};

// The groups from `first` on, `count` of them, over which `signatures` with markers are spread. Neighbours in
// a file are alike: they share a group. Small groups are compiled longer in all.
struct GroupsOfMarked {
  std::size_t first, count, signatures;
  std::size_t of(std::size_t number) const noexcept {
    return first + number / std::max(kLeastOfGroup, signatures / count + 1);
  }
};

Result<ExpressionSet> compile(const Part& part, std::span<const Signature> signatures,
                              const SetSource& source) {
  auto set = ExpressionSet::build(part.expressions, source);
  if (set) return set;
  Error error = std::move(set.error());
  if (error.offset < part.owners.size())
    error.what = fmt::format("\"{}\": {}", signatures[part.owners[error.offset]].rule.name, error.what);
  return tl::unexpected<Error>(std::move(error));
}

void on_match(void* context, std::uint32_t expression, std::size_t end) {
  auto& matches = *static_cast<std::vector<SignatureScratch::Match>*>(context);
  const bool known = std::any_of(
      matches.begin(), matches.end(),
      [expression](const SignatureScratch::Match& match) { return match.expression == expression; });
  if (!known) matches.push_back({0, static_cast<std::uint32_t>(end), expression});
}

void on_further(void* context, std::uint32_t, std::size_t) { *static_cast<bool*>(context) = true; }

}  // namespace

Result<SignatureSet> SignatureSet::build(std::vector<Signature> signatures, std::size_t builtin,
                                         const SetSource& source) {
  SignatureSet made;
  made.signatures_ = std::move(signatures);
  std::array<Part, kGroups> groups;
  std::map<std::string_view, std::uint32_t> numbers;  // of further expressions
  const GroupsOfMarked of_builtin{0, kMarkedGroups / 2, builtin};
  const GroupsOfMarked of_own{kMarkedGroups / 2, kMarkedGroups / 2, made.signatures_.size() - builtin};
  for (std::size_t i = 0; i < made.signatures_.size(); ++i) {
    const std::vector<Condition>& conditions = made.signatures_[i].conditions;
    made.literals_.push_back(required_literals(conditions.front().expression));
    const bool marked = !made.literals_.back().empty();
    const std::size_t group = i < builtin ? (marked ? of_builtin.of(i) : kUnmarkedBuiltin)
                                          : (marked ? of_own.of(i - builtin) : kUnmarkedOwn);
    made.group_of_.push_back(static_cast<std::uint8_t>(group));
    groups[group].add(conditions.front().expression, i);
    std::vector<std::uint32_t>& further = made.further_of_.emplace_back();
    for (std::size_t c = 1; c < conditions.size(); ++c) {
      const auto [known, added] =
          numbers.emplace(conditions[c].expression, static_cast<std::uint32_t>(made.further_.size()));
      further.push_back(known->second);
      if (!added) continue;
      Part part;
      part.add(conditions[c].expression, i);
      auto compiled = compile(part, made.signatures_, source);
      if (!compiled) return tl::unexpected<Error>(std::move(compiled.error()));
      made.further_.push_back(std::move(*compiled));
    }
  }
  for (std::size_t group = 0; group < kGroups; ++group) {
    if (groups[group].owners.empty()) continue;
    auto compiled = compile(groups[group], made.signatures_, source);
    if (!compiled) return tl::unexpected<Error>(std::move(compiled.error()));
    made.groups_[group] = {std::move(*compiled), std::move(groups[group].owners)};
  }
  return made;
}

std::vector<Prefilter::Marker> SignatureSet::markers() const {
  std::vector<Prefilter::Marker> markers;
  for (std::uint32_t i = 0; i < literals_.size(); ++i) {
    const std::uint32_t places = signatures_[i].conditions.front().locations;
    for (const std::string& literal : literals_[i]) markers.push_back({literal, group_of_[i], places});
  }
  return markers;
}

bool SignatureSet::looks_everywhere(const Field& field, std::string_view decode_path) const noexcept {
  const auto applies = [&](std::uint32_t signature) {
    return signatures_[signature].conditions.front().applies(field, decode_path);
  };
  return std::any_of(groups_.begin() + kMarkedGroups, groups_.end(), [&](const Group& unmarked) {
    return std::any_of(unmarked.signatures.begin(), unmarked.signatures.end(), applies);
  });
}

bool SignatureSet::allocate(SignatureScratch& scratch) const {
  return std::all_of(groups_.begin(), groups_.end(),
                     [&](const Group& group) { return group.set.allocate(scratch.hs); }) &&
         std::all_of(further_.begin(), further_.end(),
                     [&](const ExpressionSet& set) { return set.allocate(scratch.hs); });
}

void SignatureSet::match(std::string_view text, std::uint64_t groups, SignatureScratch& scratch) const {
  std::vector<SignatureScratch::Match>& matches = scratch.matches;
  matches.clear();
  for (; groups != 0; groups &= groups - 1) {
    const Group& group = groups_[static_cast<std::size_t>(std::countr_zero(groups))];
    if (group.set.empty()) continue;
    std::vector<SignatureScratch::Match> found;
    // Whatever stops a scan must not hide anything.
    if (!group.set.scan(text, scratch.hs.get(), on_match, &found)) {
      found.clear();
      for (std::uint32_t i = 0; i < group.signatures.size(); ++i)
        found.push_back({0, static_cast<std::uint32_t>(text.size()), i});
    }
    for (SignatureScratch::Match& match : found) {
      match.signature = group.signatures[match.expression];
      matches.push_back(match);
    }
  }
  std::sort(matches.begin(), matches.end(),
            [](const auto& a, const auto& b) { return a.signature < b.signature; });
}

std::uint32_t SignatureSet::begin_of(const SignatureScratch::Match& match, std::string_view text,
                                     SignatureScratch& scratch) const {
  const ExpressionSet& set = groups_[group_of_[match.signature]].set;
  return static_cast<std::uint32_t>(set.begin_of(match.expression, match.end, text, scratch.hs.get()));
}

void SignatureSet::begin_text(SignatureScratch& scratch) const {
  scratch.answers.assign(further_.size(), SignatureScratch::Answer::kUnknown);
}

bool SignatureSet::holds(std::uint32_t signature, std::uint32_t condition, std::string_view text,
                         SignatureScratch& scratch) const {
  const std::uint32_t number = further_of_[signature][condition - 1];
  SignatureScratch::Answer& answer = scratch.answers[number];
  if (answer == SignatureScratch::Answer::kUnknown) {
    bool found = false;
    // Whatever stops a scan must not hide anything.
    if (!further_[number].scan(text, scratch.hs.get(), on_further, &found)) found = true;
    answer = found ? SignatureScratch::Answer::kYes : SignatureScratch::Answer::kNo;
  }
  return answer == SignatureScratch::Answer::kYes;
}

std::size_t SignatureSet::table_bytes() const noexcept {
  std::size_t bytes = 0;
  for (const ExpressionSet& set : further_) bytes += set.table_bytes();
  for (const Group& group : groups_) bytes += group.set.table_bytes();
  return bytes;
}

}  // namespace wafd::detect
