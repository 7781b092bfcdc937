// Evidence -> hits: one place decides how much evidence weighs, by a table (judgement.h).
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "detect/analyze/base/analyzer.h"
#include "detect/analyze/base/evidence.h"
#include "detect/analyze/base/matcher.h"
#include "detect/core/error.h"
#include "detect/judge/judgement.h"

namespace wafd::detect {

// The tables of one matcher. Immutable after build(); any number of threads.
class EvidenceJudge {
 public:
  // An error names a kind of evidence or a rule that is not there, or one that no row uses.
  static Result<EvidenceJudge> build(const Matcher& matcher, std::span<const Judgement> judgements,
                                     std::span<const JudgedRule> rules);

  // In the order of their numbers. `denies_from` of a rule is the lowest of its rows.
  const std::vector<Rule>& rules() const noexcept { return rules_; }

  // Appends one hit for each rule, the gravest first found. `text` is what the matcher was given.
  void judge(std::string_view text, const FieldContext& context, const EvidenceList& evidence,
             std::vector<Hit>& hits) const;

 private:
  struct Row {
    Certainty certainty = Certainty::kPossible;
    Where where = Where::kAnywhere;
    Denial denial = Denial::kBalanced;
    std::uint16_t rule = 0;
    std::string_view sentence;
  };

  std::vector<Rule> rules_;
  std::vector<std::vector<Row>> rows_;  // by kind of evidence
  bool reads_files_ = false;            // the matcher reads the content of uploads
};

// A matcher with its judge, as the engine asks them. `matcher` must not be null; the tables live as long as
// the program. A table that does not fit the matcher is our own mistake: asserted, and tested for each.
std::unique_ptr<Analyzer> judged(std::unique_ptr<Matcher> matcher, std::span<const Judgement> judgements,
                                 std::span<const JudgedRule> rules);

}  // namespace wafd::detect
