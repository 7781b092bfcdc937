#include "detect/judge/judge.h"

#include <algorithm>
#include <cassert>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "detect/core/rule_id.h"
#include "detect/judge/context.h"

namespace wafd::detect {
namespace {

std::optional<Sensitivity> sensitivity_of(Denial denial) noexcept {
  switch (denial) {
    case Denial::kLow:
      return Sensitivity::kLow;
    case Denial::kBalanced:
      return Sensitivity::kBalanced;
    case Denial::kStrict:
      return Sensitivity::kStrict;
    case Denial::kNever:
    case Denial::kIgnore:
      break;
  }
  return std::nullopt;
}

bool graver(std::optional<Sensitivity> a, std::optional<Sensitivity> b) noexcept {
  return a && (!b || *a < *b);
}

// The sentence with what was found in it, in one line.
std::string sentence_with(std::string_view sentence, std::string_view detail) {
  const std::size_t at = sentence.find("{}");
  if (at == std::string_view::npos) return std::string(sentence);
  std::string out(sentence.substr(0, at));
  for (const char c : detail) out += byte(c) < ' ' || c == '\x7f' ? ' ' : c;
  out += sentence.substr(at + 2);
  return out;
}

class JudgedAnalyzer final : public Analyzer {
 public:
  JudgedAnalyzer(std::unique_ptr<Matcher> matcher, EvidenceJudge judge)
      : matcher_(std::move(matcher)), judge_(std::move(judge)) {}

  std::string_view name() const noexcept override { return matcher_->name(); }
  std::span<const Rule> rules() const noexcept override { return judge_.rules(); }
  const Matcher* matcher() const noexcept override { return matcher_.get(); }
  std::uint32_t reads_places() const noexcept override { return matcher_->reads_places(); }
  bool reads_binary() const noexcept override { return matcher_->reads_binary(); }
  bool reads_inside() const noexcept override { return matcher_->reads_inside(); }
  bool reads_kept_plus() const noexcept override { return matcher_->reads_kept_plus(); }
  ObfuscationLanguage reads_obfuscation() const noexcept override { return matcher_->reads_obfuscation(); }

  void analyze(std::string_view text, const FieldContext& context, std::vector<Hit>& hits) const override {
    if ((reads_places() & place_bit(context.location, context.in_name)) == 0) return;
    EvidenceList evidence;
    matcher_->find(text, context, evidence);
    if (!evidence.items().empty()) judge_.judge(text, context, evidence, hits);
  }

 private:
  std::unique_ptr<Matcher> matcher_;
  EvidenceJudge judge_;
};

}  // namespace

Result<EvidenceJudge> EvidenceJudge::build(const Matcher& matcher, std::span<const Judgement> judgements,
                                           std::span<const JudgedRule> rules) {
  EvidenceJudge made;
  for (const JudgedRule& rule : rules) {
    Rule& out = made.rules_.emplace_back();
    out.number = rule.number;
    out.module = fmt::format("m_{}", matcher.name());
    out.id = rule_id(out.module, rule.key);
    out.name = rule.name;
    out.attack_type = rule.type;
    out.risk = rule.risk;
    out.denies_from.reset();
  }
  made.reads_files_ = (matcher.reads_places() & place_bit(Location::kFile, false)) != 0;
  const std::span<const std::string_view> kinds = matcher.evidence();
  made.rows_.resize(kinds.size());
  for (const Judgement& judgement : judgements) {
    const auto rule = std::find_if(rules.begin(), rules.end(),
                                   [&](const JudgedRule& one) { return one.key == judgement.rule; });
    const bool ignored = judgement.denial == Denial::kIgnore;
    if (rule == rules.end() && !ignored)
      return fail(ErrorCode::kUnknown, fmt::format("{}: no rule \"{}\"", matcher.name(), judgement.rule));
    Row row{judgement.certainty, judgement.where, judgement.denial,
            static_cast<std::uint16_t>(ignored ? 0 : rule - rules.begin()), judgement.sentence};
    if (!ignored) {
      std::optional<Sensitivity>& lowest = made.rules_[row.rule].denies_from;
      if (graver(sensitivity_of(row.denial), lowest)) lowest = sensitivity_of(row.denial);
    }
    bool known = judgement.evidence == "*";
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      if (judgement.evidence != "*" && judgement.evidence != kinds[kind]) continue;
      known = true;
      made.rows_[kind].push_back(row);
    }
    if (!known) {
      return fail(ErrorCode::kUnknown,
                  fmt::format("{}: no evidence \"{}\"", matcher.name(), judgement.evidence));
    }
  }
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    if (made.rows_[kind].empty())
      return fail(ErrorCode::kMissing,
                  fmt::format("{}: no judgement of \"{}\"", matcher.name(), kinds[kind]));
  }
  return made;
}

void EvidenceJudge::judge(std::string_view text, const FieldContext& context, const EvidenceList& evidence,
                          std::vector<Hit>& hits) const {
  const std::size_t first = hits.size();
  ContextReader reader(text, context);
  for (const Evidence& item : evidence.items()) {
    const Where where = reader.where(item.begin, item.end);
    const std::vector<Row>& rows = rows_[item.kind];
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& one) {
      return one.certainty <= item.certainty && (one.where == Where::kAnywhere || meets(one.where, where));
    });
    if (row == rows.end() || row->denial == Denial::kIgnore) continue;
    std::optional<Sensitivity> from = sensitivity_of(row->denial);
    // Programs are stored for what they say, as they are uploaded.
    if (context.stored && !reads_files_ && from) from = Sensitivity::kStrict;
    const auto same = std::find_if(hits.begin() + static_cast<std::ptrdiff_t>(first), hits.end(),
                                   [&](const Hit& hit) { return hit.rule == row->rule; });
    if (same != hits.end() && !graver(from, same->denies_from)) continue;
    Hit hit{row->rule, item.begin, item.end, sentence_with(row->sentence, item.detail), true, from};
    if (same == hits.end()) {
      hits.push_back(std::move(hit));
    } else {
      *same = std::move(hit);
    }
  }
  // It takes memory, and mostly there is one.
  if (hits.size() - first > 1)
    std::stable_sort(hits.begin() + static_cast<std::ptrdiff_t>(first), hits.end(),
                     [](const Hit& a, const Hit& b) { return a.rule < b.rule; });
}

std::unique_ptr<Analyzer> judged(std::unique_ptr<Matcher> matcher, std::span<const Judgement> judgements,
                                 std::span<const JudgedRule> rules) {
  Result<EvidenceJudge> judge = EvidenceJudge::build(*matcher, judgements, rules);
  assert(judge && "the judgement's tables fit the matcher");
  return std::make_unique<JudgedAnalyzer>(std::move(matcher), std::move(*judge));
}

}  // namespace wafd::detect
