#include "detect/engine.h"

#include <algorithm>
#include <limits>
#include <memory_resource>

#include <fmt/format.h>

#include "detect/analyze/all.h"
#include "detect/body.h"
#include "detect/builtin_rules.h"
#include "detect/fields.h"
#include "detect/findings.h"
#include "detect/gate.h"
#include "detect/signatures.h"
#include "detect/variants.h"

namespace wafd::detect {
namespace {

constexpr std::uint64_t kSignatureBit = std::uint64_t{1} << 63;
constexpr std::size_t kMaxAnalyzers = 63;
// What analysers need while they read an ordinary text; more comes from the heap and goes back there.
constexpr std::size_t kAnalyzerMemoryBytes = 256u << 10;

class ScratchImpl final : public Scratch {
 public:
  const RequestHead& head() const noexcept override { return parsed; }

  RequestHead parsed;
  FieldList fields;
  BodyReader body;
  VariantMaker maker;
  std::vector<Variant> variants;
  GateScratch gate;
  std::vector<Hit> hits;
  std::unique_ptr<std::byte[]> analyzer_octets =
      std::make_unique_for_overwrite<std::byte[]>(kAnalyzerMemoryBytes);
  std::pmr::monotonic_buffer_resource memory{analyzer_octets.get(), kAnalyzerMemoryBytes,
                                             std::pmr::new_delete_resource()};
  std::vector<Gate::Match> matched;  // of signatures
  // Per signature with several conditions: which of them hold in this request, and the finding of the first
  // one.
  std::vector<std::uint32_t> held;
  std::vector<std::uint32_t> touched;
  std::vector<std::pair<std::uint32_t, Finding>> waiting;
};

class EngineImpl final : public Engine {
 public:
  std::unique_ptr<Scratch> make_scratch() const override {
    auto scratch = std::make_unique<ScratchImpl>();
    if (!gate_.allocate(scratch->gate.hs)) return nullptr;
    for (const std::vector<Gate>& more : more_conditions_) {
      for (const Gate& condition : more) {
        if (!condition.allocate(scratch->gate.hs)) return nullptr;
      }
    }
    return scratch;
  }

  void inspect(const Request& request, Scratch& scratch, Verdict& out) const override;

  std::span<const Rule* const> rules() const noexcept override { return rules_; }
  std::size_t database_octets() const noexcept override { return gate_.octets(); }

  Result<void> compile_all(bool use_gate);

  std::vector<std::unique_ptr<Analyzer>> analyzers_;
  std::vector<Signature> signatures_;

 private:
  void run_analyzers(const Request& request, const Variant& variant, ScratchImpl& scratch,
                     Verdict& out) const;
  void run_signatures(const Request& request, const Variant& variant, ScratchImpl& scratch,
                      Verdict& out) const;
  void finish_signatures(ScratchImpl& scratch, Verdict& out) const;

  Gate gate_;
  std::uint32_t first_signature_hint_ = 0;
  // Of each signature the conditions behind its first. They may be as loose as ".", so they stay out of the
  // gate and are asked only when the first one holds.
  std::vector<std::vector<Gate>> more_conditions_;
  std::uint64_t always_ = 0;  // analysers without hints, or all of them without a gate
  std::vector<const Rule*> rules_;
};

Result<void> EngineImpl::compile_all(bool use_gate) {
  if (analyzers_.size() > kMaxAnalyzers) return fail(ErrorCode::kTooLarge, "more than 63 analysers");
  std::vector<Hint> hints;
  std::vector<std::string_view> owners;
  WordGate words;
  for (std::size_t i = 0; i < analyzers_.size(); ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    const auto own = analyzers_[i]->hints();
    if (!use_gate || (own.empty() && analyzers_[i]->hint_words().empty())) always_ |= bit;
    for (const char* hint : own) {
      if (!use_gate) break;
      hints.push_back({hint, bit});
      owners.push_back(analyzers_[i]->name());
    }
    for (const std::string_view word : analyzers_[i]->hint_words()) {
      if (!use_gate) break;
      if (auto added = words.add(word, bit); !added) return added;
    }
    for (const Rule& rule : analyzers_[i]->rules()) rules_.push_back(&rule);
  }
  first_signature_hint_ = static_cast<std::uint32_t>(hints.size());
  for (const Signature& signature : signatures_) {
    hints.push_back({signature.conditions.front().expression, kSignatureBit});
    owners.push_back(signature.rule.name);
    std::vector<Gate>& more = more_conditions_.emplace_back();
    for (std::size_t c = 1; c < signature.conditions.size(); ++c) {
      const Hint hint{signature.conditions[c].expression, kSignatureBit};
      auto gate = Gate::build(std::span(&hint, 1));
      if (!gate) {
        Error error = gate.error();
        error.what = fmt::format("\"{}\": {}", signature.rule.name, error.what);
        return tl::unexpected<Error>(std::move(error));
      }
      more.push_back(std::move(*gate));
    }
    rules_.push_back(&signature.rule);
  }
  if (!use_gate && !signatures_.empty()) always_ |= kSignatureBit;

  auto gate = Gate::build(hints, std::move(words));
  if (!gate) {
    Error error = gate.error();
    if (error.offset < owners.size())
      error.what = fmt::format("\"{}\": {}", owners[error.offset], error.what);
    return tl::unexpected<Error>(std::move(error));
  }
  gate_ = std::move(*gate);
  std::sort(rules_.begin(), rules_.end(), [](const Rule* a, const Rule* b) { return a->number < b->number; });
  const auto twin = std::adjacent_find(rules_.begin(), rules_.end(),
                                       [](const Rule* a, const Rule* b) { return a->number == b->number; });
  if (twin != rules_.end()) {
    return fail(ErrorCode::kConflict, fmt::format("two rules have number {}: \"{}\" and \"{}\"",
                                                  (*twin)->number, (*twin)->name, (*(twin + 1))->name));
  }
  return {};
}

void EngineImpl::inspect(const Request& request, Scratch& base, Verdict& out) const {
  auto& scratch = static_cast<ScratchImpl&>(base);
  out.clear();
  scratch.parsed.parse(request.head);
  scratch.fields.clear();
  scratch.variants.clear();
  scratch.maker.begin_request(request.head.size() + request.body.size());
  read_head_fields(scratch.parsed, scratch.fields);
  const BodyReport body = scratch.body.read(request, scratch.parsed, scratch.fields);

  // Containers make the list grow while it is read.
  for (std::uint32_t i = 0; i < scratch.fields.size(); ++i) {
    scratch.maker.expand(scratch.fields, i, scratch.body, scratch.variants);
  }
  gate_.scan(scratch.variants, scratch.gate);
  for (Variant& variant : scratch.variants) {
    if (variant.container) continue;
    variant.analyzers |= always_;
    if ((variant.analyzers & ~kSignatureBit) != 0) run_analyzers(request, variant, scratch, out);
    if ((variant.analyzers & kSignatureBit) != 0) run_signatures(request, variant, scratch, out);
  }
  finish_signatures(scratch, out);

  out.total_octets = request.head.size() + request.body.size();
  out.inspected_octets = request.head.size() + body.inspected_octets;
  out.body_truncated = request.body_truncated || body.truncated;
  out.body_abandoned = request.body_abandoned;
  out.limit_reached = scratch.fields.limit_reached || (scratch.parsed.flags & kHeadTooManyFields) != 0;
}

void EngineImpl::run_analyzers(const Request& request, const Variant& variant, ScratchImpl& scratch,
                               Verdict& out) const {
  const Field& field = scratch.fields[variant.field];
  FieldContext context;
  context.location = field.location;
  context.in_name = field.in_name;
  context.name = field.name;
  context.decode_flags = variant.decode_flags;
  context.decode_path = variant.decode_path;
  context.memory = &scratch.memory;
  for (std::size_t i = 0; i < analyzers_.size(); ++i) {
    if ((variant.analyzers >> i & 1u) == 0) continue;
    const Analyzer& analyzer = *analyzers_[i];
    if (field.binary && !analyzer.reads_binary()) continue;
    scratch.hits.clear();
    scratch.memory.release();
    analyzer.analyze(variant.text, context, scratch.hits);
    for (Hit& hit : scratch.hits) {
      add_finding(make_finding(analyzer.rules()[hit.rule], request, scratch.fields, variant, hit.begin,
                               hit.end, std::move(hit.reason)),
                  out.findings);
    }
  }
}

void EngineImpl::run_signatures(const Request& request, const Variant& variant, ScratchImpl& scratch,
                                Verdict& out) const {
  // The gate has seen the text among others; what counts is what matches in it alone.
  gate_.find(variant.text, first_signature_hint_, scratch.gate, scratch.matched);
  for (const Gate::Match& match : scratch.matched) {
    const std::uint32_t index = match.hint - first_signature_hint_;
    const Signature& signature = signatures_[index];
    if (!signature.conditions.front().applies(scratch.fields[variant.field], variant.decode_path)) continue;
    const std::uint32_t begin = gate_.begin_of(match, variant.text, scratch.gate);
    std::string reason =
        signature.rule.name + (signature.rule.cve.empty() ? "" : " (" + signature.rule.cve + ")");
    Finding finding =
        make_finding(signature.rule, request, scratch.fields, variant, begin, match.end, std::move(reason));
    if (signature.conditions.size() == 1) {
      add_finding(std::move(finding), out.findings);
    } else {
      scratch.waiting.emplace_back(index, std::move(finding));
    }
  }
}

void EngineImpl::finish_signatures(ScratchImpl& scratch, Verdict& out) const {
  for (auto& [index, finding] : scratch.waiting) {
    const Signature& signature = signatures_[index];
    bool all = true;
    for (std::size_t c = 1; all && c < signature.conditions.size(); ++c) {
      const Gate& gate = more_conditions_[index][c - 1];
      all = std::any_of(scratch.variants.begin(), scratch.variants.end(), [&](const Variant& variant) {
        return signature.conditions[c].applies(scratch.fields[variant.field], variant.decode_path) &&
               gate.matches(variant.text, scratch.gate);
      });
    }
    if (all) add_finding(std::move(finding), out.findings);
  }
  scratch.waiting.clear();
}

}  // namespace

Result<std::unique_ptr<Engine>> Engine::build(std::vector<std::unique_ptr<Analyzer>> analyzers,
                                              std::span<const RuleFile> rule_files, const Options& options) {
  auto engine = std::make_unique<EngineImpl>();
  engine->analyzers_ = std::move(analyzers);
  const auto load_all = [&](std::span<const RuleFile> files) -> Result<void> {
    for (const RuleFile& file : files) {
      if (auto loaded = load_signatures(file.name, file.json, engine->signatures_); !loaded) return loaded;
    }
    return {};
  };
  if (options.builtin_rules) {
    if (auto loaded = load_all(builtin_rules()); !loaded) return tl::unexpected<Error>(loaded.error());
  }
  if (auto loaded = load_all(rule_files); !loaded) return tl::unexpected<Error>(loaded.error());
  if (auto compiled = engine->compile_all(options.gate); !compiled) {
    // Expressions are compiled together; which file and line it was, only a second look tells.
    for (const RuleFile& file : rule_files) {
      if (auto checked = check_signatures(file.name, file.json); !checked)
        return tl::unexpected<Error>(checked.error());
    }
    return tl::unexpected<Error>(compiled.error());
  }
  return engine;
}

Result<std::unique_ptr<Engine>> Engine::build(std::span<const RuleFile> rule_files, const Options& options) {
  return build(all_analyzers(), rule_files, options);
}

Result<std::unique_ptr<Engine>> Engine::build(std::span<const RuleFile> rule_files) {
  return build(rule_files, Options{});
}

}  // namespace wafd::detect
