#include "detect/signatures/signature_set.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "detect/signatures/required_literals.h"

namespace wafd::detect {
namespace {

// Expressions of one set, and whose they are.
struct Part {
  std::vector<std::string_view> expressions;
  std::vector<std::uint32_t> owners;

  void add(std::string_view expression, std::size_t owner) {
    expressions.push_back(expression);
    owners.push_back(static_cast<std::uint32_t>(owner));
  }
};

Result<ExpressionSet> compile(const Part& part, std::span<const Signature> signatures) {
  auto set = ExpressionSet::build(part.expressions);
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

void on_further(void* context, std::uint32_t expression, std::size_t) {
  (*static_cast<std::vector<bool>*>(context))[expression] = true;
}

}  // namespace

Result<SignatureSet> SignatureSet::build(std::vector<Signature> signatures) {
  SignatureSet made;
  made.signatures_ = std::move(signatures);
  Part marked;
  Part unmarked;
  Part further;
  for (std::size_t i = 0; i < made.signatures_.size(); ++i) {
    const std::vector<Condition>& conditions = made.signatures_[i].conditions;
    made.literals_.push_back(required_literals(conditions.front().expression));
    (made.literals_.back().empty() ? unmarked : marked).add(conditions.front().expression, i);
    made.first_further_.push_back(static_cast<std::uint32_t>(further.owners.size()));
    for (std::size_t c = 1; c < conditions.size(); ++c) further.add(conditions[c].expression, i);
  }
  made.further_count_ = further.owners.size();
  for (auto [part, set] : {std::pair{&marked, &made.marked_}, std::pair{&unmarked, &made.unmarked_},
                           std::pair{&further, &made.further_}}) {
    auto compiled = compile(*part, made.signatures_);
    if (!compiled) return tl::unexpected<Error>(std::move(compiled.error()));
    *set = std::move(*compiled);
  }
  made.of_marked_ = std::move(marked.owners);
  made.of_unmarked_ = std::move(unmarked.owners);
  return made;
}

std::vector<Prefilter::Marker> SignatureSet::markers() const {
  std::vector<Prefilter::Marker> markers;
  for (std::uint32_t i = 0; i < literals_.size(); ++i) {
    for (const std::string& literal : literals_[i]) markers.push_back({literal, i});
  }
  return markers;
}

bool SignatureSet::allocate(SignatureScratch& scratch) const {
  scratch.conditions.resize(further_count_);
  return marked_.allocate(scratch.hs) && unmarked_.allocate(scratch.hs) && further_.allocate(scratch.hs);
}

void SignatureSet::match(std::string_view text, bool marked, SignatureScratch& scratch) const {
  std::vector<SignatureScratch::Match>& matches = scratch.matches;
  matches.clear();
  const auto run = [&](const ExpressionSet& set, std::span<const std::uint32_t> owners) {
    std::vector<SignatureScratch::Match> found;
    // Whatever stops a scan must not hide anything.
    if (!set.scan(text, scratch.hs.get(), on_match, &found)) {
      found.clear();
      for (std::uint32_t i = 0; i < owners.size(); ++i)
        found.push_back({0, static_cast<std::uint32_t>(text.size()), i});
    }
    for (SignatureScratch::Match& match : found) {
      match.signature = owners[match.expression];
      matches.push_back(match);
    }
  };
  if (marked) run(marked_, of_marked_);
  if (!unmarked_.empty()) run(unmarked_, of_unmarked_);
  std::sort(matches.begin(), matches.end(),
            [](const auto& a, const auto& b) { return a.signature < b.signature; });
}

std::uint32_t SignatureSet::begin_of(const SignatureScratch::Match& match, std::string_view text,
                                     SignatureScratch& scratch) const {
  const ExpressionSet& set = literals_[match.signature].empty() ? unmarked_ : marked_;
  return static_cast<std::uint32_t>(set.begin_of(match.expression, match.end, text, scratch.hs.get()));
}

void SignatureSet::match_further(std::string_view text, SignatureScratch& scratch) const {
  std::fill(scratch.conditions.begin(), scratch.conditions.end(), false);
  if (!further_.scan(text, scratch.hs.get(), on_further, &scratch.conditions))
    std::fill(scratch.conditions.begin(), scratch.conditions.end(), true);
}

std::size_t SignatureSet::table_bytes() const noexcept {
  return marked_.table_bytes() + unmarked_.table_bytes() + further_.table_bytes();
}

}  // namespace wafd::detect
