#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "detect/analyze/base/matcher.h"
#include "detect/analyze/http/http_violation.h"
#include "detect/analyzers.h"
#include "detect/engine_impl.h"
#include "detect/prefilter/expression_states.h"
#include "detect/signatures/builtin_rules.h"

namespace wafd::detect {
void EngineImpl::set_masks() {
  for (std::size_t i = 0; i < analyzers_.size(); ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    const Analyzer& analyzer = *analyzers_[i];
    all_ |= bit;
    if (!use_prefilter_ || analyzer.matcher() == nullptr) always_ |= bit;
    if (analyzer.reads_binary()) binary_ |= bit;
    if (analyzer.reads_inside()) inside_ |= bit;
    for (std::size_t place = 0; place < kPlaces; ++place) {
      if ((analyzer.reads_places() >> place & 1u) != 0) places_[place] |= bit;
    }
    if (analyzer.reads_kept_plus()) plus_ |= bit;
    if (analyzer.reads_obfuscation() != ObfuscationLanguage::kNone)
      by_obfuscation_[static_cast<std::size_t>(analyzer.reads_obfuscation())] |= bit;
  }
  by_obfuscation_[0] = all_;
  for (std::uint64_t& place : places_) place |= kSignatureBit;
}

Result<void> EngineImpl::compile_all(std::vector<Signature> signatures, std::size_t builtin,
                                     bool use_prefilter, const SetSource& source) {
  if (analyzers_.size() > kMaxAnalyzers) return fail(ErrorCode::kTooLarge, "more than 63 analysers");
  use_prefilter_ = use_prefilter;
  set_masks();
  std::vector<Needs> needs(analyzers_.size());
  for (std::size_t i = 0; i < analyzers_.size(); ++i) {
    const Matcher* matcher = analyzers_[i]->matcher();
    if (matcher == nullptr) continue;
    needs[i] = matcher->needs();
    units_a_token_[i] = matcher->units_a_token();
  }
  auto set = SignatureSet::build(std::move(signatures), builtin, source);
  if (!set) return tl::unexpected<Error>(std::move(set.error()));
  signatures_ = std::move(*set);
  for (const Signature& signature : signatures_.all()) rules_.push_back(&signature.rule);
  auto prefilter = Prefilter::build(needs, signatures_.markers());
  if (!prefilter) {
    Error error = std::move(prefilter.error());
    if (error.offset < analyzers_.size())
      error.what = fmt::format("\"{}\": {}", analyzers_[error.offset]->name(), error.what);
    return tl::unexpected<Error>(std::move(error));
  }
  prefilter_ = std::move(*prefilter);

  for (const auto& analyzer : analyzers_) {
    for (const Rule& rule : analyzer->rules()) rules_.push_back(&rule);
  }
  for (const auto& analyzer : request_analyzers_) {
    for (const Rule& rule : analyzer->rules()) rules_.push_back(&rule);
  }
  std::sort(rules_.begin(), rules_.end(), [](const Rule* a, const Rule* b) { return a->number < b->number; });
  const auto twin = std::adjacent_find(rules_.begin(), rules_.end(),
                                       [](const Rule* a, const Rule* b) { return a->number == b->number; });
  if (twin != rules_.end()) {
    return fail(ErrorCode::kConflict, fmt::format("two rules have number {}: \"{}\" and \"{}\"",
                                                  (*twin)->number, (*twin)->name, (*(twin + 1))->name));
  }
  return {};
}

namespace {

Result<std::unique_ptr<Engine>> build_with(std::vector<std::unique_ptr<Analyzer>> analyzers,
                                           std::vector<std::unique_ptr<RequestAnalyzer>> request_analyzers,
                                           std::span<const RuleFile> rule_files,
                                           const Engine::Options& options) {
  auto engine = std::make_unique<EngineImpl>();
  engine->analyzers_ = std::move(analyzers);
  engine->request_analyzers_ = std::move(request_analyzers);
  engine->max_body_bytes_ = options.max_body_bytes;
  std::vector<Signature> signatures;
  const auto load_all = [&](std::span<const RuleFile> files) -> Result<void> {
    for (const RuleFile& file : files) {
      if (auto loaded = load_signatures(file.name, file.json, signatures); !loaded) return loaded;
    }
    return {};
  };
  if (options.builtin_rules) {
    if (auto loaded = load_all(builtin_rules()); !loaded) return tl::unexpected<Error>(loaded.error());
  }
  const std::size_t builtin = signatures.size();
  if (auto loaded = load_all(rule_files); !loaded) return tl::unexpected<Error>(loaded.error());
  std::uint64_t states = 0;
  for (std::size_t i = builtin; i < signatures.size(); ++i)
    for (const Condition& condition : signatures[i].conditions)
      if (const auto own = expression_states(condition.expression); own <= kMaxExpressionStates)
        states += own;  // of more the compiler says which it is
  if (states > kMaxStatesInAll)
    return fail(ErrorCode::kTooLarge,
                fmt::format("rules of your own: they have {} states in all, expected at most {}", states,
                            kMaxStatesInAll));
  if (auto compiled = engine->compile_all(std::move(signatures), builtin, options.prefilter, options.sets);
      !compiled) {
    if (compiled.error().code == ErrorCode::kUnknown) return tl::unexpected<Error>(compiled.error());
    // Expressions are compiled together; which file and line it was, only a second look tells.
    for (const RuleFile& file : rule_files) {
      std::vector<Signature> good;
      auto mistakes = check_signatures(file.name, file.json, good);
      if (!mistakes.empty()) return tl::unexpected<Error>(std::move(mistakes.front()));
    }
    return tl::unexpected<Error>(compiled.error());
  }
  return engine;
}

}  // namespace

Result<std::unique_ptr<Engine>> Engine::build(std::vector<std::unique_ptr<Analyzer>> analyzers,
                                              std::span<const RuleFile> rule_files, const Options& options) {
  return build_with(std::move(analyzers), {}, rule_files, options);
}

Result<std::unique_ptr<Engine>> Engine::build(std::span<const RuleFile> rule_files, const Options& options) {
  std::vector<std::unique_ptr<RequestAnalyzer>> request_analyzers;
  request_analyzers.push_back(make_http_violation_analyzer());
  return build_with(all_analyzers(), std::move(request_analyzers), rule_files, options);
}

Result<std::unique_ptr<Engine>> Engine::build(std::span<const RuleFile> rule_files) {
  return build(rule_files, Options{});
}

}  // namespace wafd::detect
