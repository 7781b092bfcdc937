#include "detect/engine.h"

#include <algorithm>
#include <array>
#include <bit>
#include <memory_resource>
#include <utility>

#include <fmt/format.h>

#include "detect/analyze/all.h"
#include "detect/analyze/http_violation.h"
#include "detect/body.h"
#include "detect/builtin_rules.h"
#include "detect/clean_memo.h"
#include "detect/condition_set.h"
#include "detect/cut_near.h"
#include "detect/fields.h"
#include "detect/findings.h"
#include "detect/gate.h"
#include "detect/signatures.h"
#include "detect/variants.h"
#include "detect/work.h"

namespace wafd::detect {
namespace {

constexpr std::uint64_t kSignatureBit = std::uint64_t{1} << 63;
constexpr std::size_t kMaxAnalyzers = 63;
// What analysers need while they read an ordinary text; more comes from the heap and goes back there.
constexpr std::size_t kAnalyzerMemoryBytes = 256u << 10;
// Longer texts are judged in pieces, so that what an analyser may do with one text is bounded. They overlap,
// so that an attack across a cut is whole in one of them.
constexpr std::size_t kPieceBytes = 16u << 10;
constexpr std::size_t kPieceOverlapBytes = 2u << 10;
// A piece begins behind a line end or a space that is so near.
constexpr std::size_t kCutReachBytes = kPieceOverlapBytes / 8;

// A signature of several conditions whose first one holds.
struct Waiting {
  std::uint32_t signature = 0;
  std::uint32_t held = 1;  // a bit for each condition that holds somewhere in the request
  Finding finding;         // of the first
};

class ScratchImpl final : public Scratch {
 public:
  const RequestHead& head() const noexcept override { return parsed; }
  std::uint64_t work_units() const noexcept override { return work.used(); }

  RequestHead parsed;
  FieldList fields;
  BodyReader body;
  VariantMaker maker;
  Work work;
  CleanMemo memo;
  std::uint64_t matches = 0;  // of all requests; findings that were merged into others count
  std::vector<Variant> variants;
  std::vector<std::uint32_t> known;  // fields that the memo had; they have no variants
  GateScratch gate;
  std::vector<Hit> hits;
  std::vector<std::uint32_t> suspected;  // signatures' hints in the present text
  std::unique_ptr<std::byte[]> analyzer_octets =
      std::make_unique_for_overwrite<std::byte[]>(kAnalyzerMemoryBytes);
  std::pmr::monotonic_buffer_resource memory{analyzer_octets.get(), kAnalyzerMemoryBytes,
                                             std::pmr::new_delete_resource()};
  std::vector<RequestHit> request_hits;
  std::vector<Waiting> waiting;
  std::vector<unsigned char> conditions;  // which further conditions match the text at hand
  Asked asked = Asked::kNobody;           // about the present field
  std::uint64_t left_out_octets = 0;      // of values that were not judged at all
};

class EngineImpl final : public Engine {
 public:
  std::unique_ptr<Scratch> make_scratch() const override {
    auto scratch = std::make_unique<ScratchImpl>();
    if (!gate_.allocate(scratch->gate.hs) || !more_conditions_.allocate(scratch->gate.hs)) return nullptr;
    scratch->conditions.resize(more_count_);
    return scratch;
  }

  void inspect(const Request& request, Scratch& scratch, Verdict& out) const override;

  std::span<const Rule* const> rules() const noexcept override { return rules_; }
  std::size_t database_octets() const noexcept override { return gate_.octets() + more_conditions_.octets(); }

  Result<void> compile_all(bool use_gate);

  std::vector<std::unique_ptr<Analyzer>> analyzers_;
  std::vector<std::unique_ptr<RequestAnalyzer>> request_analyzers_;
  std::vector<Signature> signatures_;

 private:
  void set_masks();
  void judge_whole(const Request& request, ScratchImpl& scratch, Verdict& out) const;
  void judge_fields(const Request& request, std::uint32_t first, ScratchImpl& scratch, Verdict& out) const;
  void judge_field(const Request& request, std::uint32_t index, const CleanMemo::Key& key,
                   ScratchImpl& scratch, Verdict& out) const;
  void judge(const Request& request, const Variant& variant, ScratchImpl& scratch, Verdict& out) const;
  void run_analyzers(const Request& request, const Variant& variant, std::size_t begin, std::size_t end,
                     std::uint64_t which, ScratchImpl& scratch, Verdict& out) const;
  void run_signatures(const Request& request, const Variant& variant, ScratchImpl& scratch,
                      Verdict& out) const;
  void finish_signatures(ScratchImpl& scratch, Verdict& out) const;

  bool use_gate_ = true;
  Gate gate_;
  std::uint32_t first_signature_hint_ = 0;
  // Of each signature the conditions behind its first. They may be as loose as ".", so they stay out of the
  // gate and are asked only when the first one holds.
  ConditionSet more_conditions_;
  std::size_t more_count_ = 0;
  std::vector<std::uint32_t> first_more_;  // by signature: its second condition in more_conditions_
  std::uint64_t always_ = 0;               // analysers without hints, or all of them without a gate
  std::uint64_t all_ = kSignatureBit;
  std::uint64_t binary_ = kSignatureBit;                         // who reads octets that are no text
  std::uint64_t places_[kPlaces] = {};                           // by place: who reads it
  std::uint64_t tricks_[3] = {0, kSignatureBit, kSignatureBit};  // by Trick: who reads its texts
  std::vector<const Rule*> rules_;
};

void EngineImpl::set_masks() {
  for (std::size_t i = 0; i < analyzers_.size(); ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    const Analyzer& analyzer = *analyzers_[i];
    all_ |= bit;
    if (!use_gate_ || !has_hints(analyzer)) always_ |= bit;
    if (analyzer.reads_binary()) binary_ |= bit;
    for (std::size_t place = 0; place < kPlaces; ++place) {
      if ((analyzer.reads_places() >> place & 1u) != 0) places_[place] |= bit;
    }
    if (analyzer.reads_trick() != Trick::kNone)
      tricks_[static_cast<std::size_t>(analyzer.reads_trick())] |= bit;
  }
  tricks_[0] = all_;
  for (std::uint64_t& place : places_) place |= kSignatureBit;
}

Result<void> EngineImpl::compile_all(bool use_gate) {
  if (analyzers_.size() > kMaxAnalyzers) return fail(ErrorCode::kTooLarge, "more than 63 analysers");
  use_gate_ = use_gate;
  set_masks();
  std::vector<Hint> hints;
  std::vector<std::string_view> owners;
  std::vector<HintWord> words;
  for (std::size_t i = 0; i < analyzers_.size(); ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    if (use_gate) {
      for (const char* hint : analyzers_[i]->hints()) {
        hints.push_back({hint, bit});
        owners.push_back(analyzers_[i]->name());
      }
      append_words(*analyzers_[i], bit, words);
    }
    for (const Rule& rule : analyzers_[i]->rules()) rules_.push_back(&rule);
  }
  for (const auto& analyzer : request_analyzers_) {
    for (const Rule& rule : analyzer->rules()) rules_.push_back(&rule);
  }
  std::vector<std::string_view> more;
  std::vector<std::string_view> more_owners;
  first_signature_hint_ = static_cast<std::uint32_t>(hints.size());
  for (const Signature& signature : signatures_) {
    hints.push_back({signature.conditions.front().expression, kSignatureBit});
    owners.push_back(signature.rule.name);
    first_more_.push_back(static_cast<std::uint32_t>(more.size()));
    for (std::size_t c = 1; c < signature.conditions.size(); ++c) {
      more.push_back(signature.conditions[c].expression);
      more_owners.push_back(signature.rule.name);
    }
    rules_.push_back(&signature.rule);
  }

  more_count_ = more.size();
  auto conditions = ConditionSet::build(more);
  if (!conditions) {
    Error error = conditions.error();
    if (error.offset < more_owners.size())
      error.what = fmt::format("\"{}\": {}", more_owners[error.offset], error.what);
    return tl::unexpected<Error>(std::move(error));
  }
  more_conditions_ = std::move(*conditions);

  auto gate = Gate::build(hints, words, first_signature_hint_);
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
  scratch.known.clear();
  scratch.work.begin();
  scratch.left_out_octets = 0;
  judge_whole(request, scratch, out);
  // The head comes first: whatever a body costs, it hides nothing there.
  read_head_fields(scratch.parsed, scratch.fields);
  judge_fields(request, 0, scratch, out);
  const auto first = static_cast<std::uint32_t>(scratch.fields.size());
  const BodyReport body = scratch.body.read(request, scratch.parsed, scratch.fields);
  judge_fields(request, first, scratch, out);
  finish_signatures(scratch, out);

  out.total_octets = request.head.size() + request.body.size();
  out.inspected_octets = request.head.size() + body.inspected_octets;
  out.inspected_octets -= std::min(out.inspected_octets, scratch.left_out_octets);
  out.values_left_out = scratch.left_out_octets != 0;
  out.body_truncated = request.body_truncated || body.truncated;
  out.body_abandoned = request.body_abandoned;
  out.limit_reached = scratch.fields.limit_reached || (scratch.parsed.flags & kHeadTooManyFields) != 0;
}

void EngineImpl::judge_whole(const Request& request, ScratchImpl& scratch, Verdict& out) const {
  for (const auto& analyzer : request_analyzers_) {
    scratch.request_hits.clear();
    analyzer->analyze(request, scratch.parsed, scratch.request_hits);
    for (RequestHit& hit : scratch.request_hits) {
      const Rule& rule = analyzer->rules()[hit.rule];
      add_finding(make_finding(rule, request, std::move(hit)), out.findings);
    }
  }
}

// Containers make the list grow while it is read.
void EngineImpl::judge_fields(const Request& request, std::uint32_t first, ScratchImpl& scratch,
                              Verdict& out) const {
  // What the memo has of a field comes from far memory, while those before it are judged.
  constexpr std::uint32_t kAhead = 8;
  std::array<CleanMemo::Key, kAhead> keys;
  std::uint32_t keyed = first;
  for (std::uint32_t i = first; i < scratch.fields.size(); ++i) {
    const auto size = static_cast<std::uint32_t>(scratch.fields.size());
    for (; keyed < std::min(size, i + kAhead); ++keyed)
      keys[keyed % kAhead] = scratch.memo.key_of(scratch.fields[keyed]);
    if (const std::uint32_t soon = i + kAhead / 2; soon < size)
      scratch.memo.fetch_octets(scratch.fields[soon], keys[soon % kAhead]);
    judge_field(request, i, keys[i % kAhead], scratch, out);
  }
}

void EngineImpl::judge_field(const Request& request, std::uint32_t index, const CleanMemo::Key& key,
                             ScratchImpl& scratch, Verdict& out) const {
  const CleanMemo::Place place = scratch.memo.find(scratch.fields[index], key);
  // What the memo spares is counted all the same: a limit must not depend on the requests before.
  if (place.known && scratch.work.may_decode_after(place.work)) {
    scratch.work.add(place.work);
    scratch.known.push_back(index);
    return;
  }
  const std::size_t first = scratch.variants.size();
  const std::size_t fields = scratch.fields.size();
  const std::uint64_t matches = scratch.matches;
  const std::uint64_t work = scratch.work.used();
  const bool limit = std::exchange(scratch.fields.limit_reached, false);
  scratch.asked = Asked::kNobody;
  scratch.maker.expand(scratch.fields, index, scratch.body, scratch.work, scratch.variants);
  for (std::size_t i = first; i < scratch.variants.size(); ++i) {
    const Variant& variant = scratch.variants[i];
    if (variant.judged && !variant.container) judge(request, variant, scratch, out);
  }
  if (!scratch.fields.limit_reached && fields == scratch.fields.size() && matches == scratch.matches) {
    scratch.memo.keep(place, scratch.fields[index], static_cast<std::uint32_t>(scratch.work.used() - work),
                      scratch.asked);
  }
  scratch.fields.limit_reached |= limit;
}

void EngineImpl::judge(const Request& request, const Variant& variant, ScratchImpl& scratch,
                       Verdict& out) const {
  const std::string_view text = variant.text;
  std::uint64_t wanted = tricks_[static_cast<std::size_t>(variant.trick)];
  const Field& field = scratch.fields[variant.field];
  if (field.binary) wanted &= binary_;
  wanted &= places_[static_cast<std::size_t>(std::countr_zero(place_bit(field.location, field.in_name)))];
  scratch.suspected.clear();
  // From both ends in turn: where the work ends, padding before or behind an attack hides nothing.
  std::size_t front = 0;
  std::size_t back = text.size();
  bool from_front = true;
  for (bool more = !text.empty(); more; from_front = !from_front) {
    std::size_t begin = front;
    std::size_t end = back;
    const std::size_t left = back - front;
    more = left > kPieceBytes;
    if (more && from_front) {
      end = front + kPieceBytes;
      front = cut_near(text, end - kPieceOverlapBytes, kCutReachBytes);
    } else if (more) {
      begin = cut_near(text, back - kPieceBytes + kCutReachBytes, kCutReachBytes);
      back = begin + kPieceOverlapBytes;
    }
    const std::string_view piece = text.substr(begin, end - begin);
    scratch.work.add(piece.size() + Work::kTextUnits);
    if (!scratch.work.may(0)) {
      scratch.fields.limit_reached = true;
      if (variant.depth == 0) scratch.left_out_octets += left;
      break;
    }
    const std::uint64_t found = gate_.scan(piece, wanted, scratch.gate) | (always_ & wanted);
    scratch.work.add(scratch.gate.scanned_octets);
    if (!scratch.gate.suspected.empty()) {
      scratch.suspected.insert(scratch.suspected.end(), scratch.gate.suspected.begin(),
                               scratch.gate.suspected.end());
    }
    if (found != 0) run_analyzers(request, variant, begin, end, found, scratch, out);
  }
  run_signatures(request, variant, scratch, out);
}

// Of the variant's text the part from `begin` to `end`.
void EngineImpl::run_analyzers(const Request& request, const Variant& variant, std::size_t begin,
                               std::size_t end, std::uint64_t which, ScratchImpl& scratch,
                               Verdict& out) const {
  scratch.asked = Asked::kSomebody;
  const Field& field = scratch.fields[variant.field];
  const std::string_view text = variant.text.substr(begin, end - begin);
  FieldContext context;
  context.location = field.location;
  context.in_name = field.in_name;
  context.media = field.media;
  context.name = field.name;
  context.decode_flags = variant.decode_flags;
  context.decode_path = variant.decode_path;
  context.memory = &scratch.memory;
  for (; which != 0; which &= which - 1) {
    const Analyzer& analyzer = *analyzers_[static_cast<std::size_t>(std::countr_zero(which))];
    const std::uint64_t units = text.size() * Work::kAnalyzeUnits + Work::kCallUnits;
    if (!scratch.work.may(units)) {
      scratch.fields.limit_reached = true;
      if (variant.depth == 0) scratch.left_out_octets += text.size();
      return;
    }
    scratch.work.add(units);
    scratch.hits.clear();
    analyzer.analyze(text, context, scratch.hits);
    scratch.memory.release();
    scratch.matches += scratch.hits.size();
    for (Hit& hit : scratch.hits) {
      add_finding(make_finding(analyzer.rules()[hit.rule], request, scratch.fields, variant,
                               static_cast<std::uint32_t>(begin + hit.begin),
                               static_cast<std::uint32_t>(begin + hit.end), std::move(hit.reason)),
                  out.findings);
    }
  }
}

void EngineImpl::run_signatures(const Request& request, const Variant& variant, ScratchImpl& scratch,
                                Verdict& out) const {
  if (!use_gate_) {
    scratch.suspected.clear();
    for (std::uint32_t i = 0; i < signatures_.size(); ++i)
      scratch.suspected.push_back(first_signature_hint_ + i);
  }
  if (scratch.suspected.empty()) return;
  scratch.asked = Asked::kSomebody;
  std::sort(scratch.suspected.begin(), scratch.suspected.end());
  std::uint32_t last = Gate::kNone;
  for (const std::uint32_t hint : scratch.suspected) {
    if (std::exchange(last, hint) == hint) continue;  // suspected in several pieces
    const std::uint32_t index = hint - first_signature_hint_;
    const Signature& signature = signatures_[index];
    if (!signature.conditions.front().applies(scratch.fields[variant.field], variant.decode_path)) continue;
    // The whole text, so that `^` is no cut.
    scratch.work.add(variant.text.size());
    const std::uint32_t end = gate_.match(hint, variant.text, scratch.gate);
    if (end == Gate::kNone) continue;
    ++scratch.matches;
    const std::uint32_t begin = gate_.begin_of(hint, end, variant.text, scratch.gate);
    std::string reason =
        signature.rule.name + (signature.rule.cve.empty() ? "" : " (" + signature.rule.cve + ")");
    Finding finding =
        make_finding(signature.rule, request, scratch.fields, variant, begin, end, std::move(reason));
    if (signature.conditions.size() == 1) {
      add_finding(std::move(finding), out.findings);
    } else {
      scratch.waiting.push_back({index, 1, std::move(finding)});
    }
  }
}

void EngineImpl::finish_signatures(ScratchImpl& scratch, Verdict& out) const {
  if (scratch.waiting.empty()) return;
  // Fields that the memo knew hold nothing by themselves, but perhaps what another condition asks for.
  for (const std::uint32_t field : scratch.known) {
    scratch.maker.expand(scratch.fields, field, scratch.body, scratch.work, scratch.variants);
  }
  for (const Variant& variant : scratch.variants) {
    const auto each_open = [&](auto&& use) {
      for (Waiting& waiting : scratch.waiting) {
        const std::vector<Condition>& conditions = signatures_[waiting.signature].conditions;
        for (std::uint32_t c = 1; c < conditions.size(); ++c) {
          if ((waiting.held >> c & 1) == 0 &&
              conditions[c].applies(scratch.fields[variant.field], variant.decode_path))
            use(waiting, c, first_more_[waiting.signature] + c - 1);
        }
      }
    };
    std::uint64_t asked = 0;
    each_open([&](const Waiting&, std::uint32_t, std::size_t more) { asked |= ConditionSet::bit(more); });
    if (asked == 0) continue;
    scratch.work.add(variant.text.size());
    std::fill(scratch.conditions.begin(), scratch.conditions.end(), static_cast<unsigned char>(0));
    more_conditions_.match(variant.text, asked, scratch.gate, scratch.conditions);
    each_open([&](Waiting& waiting, std::uint32_t c, std::size_t more) {
      if (scratch.conditions[more] != 0) waiting.held |= 1u << c;
    });
  }
  for (Waiting& waiting : scratch.waiting) {
    const std::size_t conditions = signatures_[waiting.signature].conditions.size();
    if (waiting.held == (1u << conditions) - 1) add_finding(std::move(waiting.finding), out.findings);
  }
  scratch.waiting.clear();
}

}  // namespace

namespace {

Result<std::unique_ptr<Engine>> build_with(std::vector<std::unique_ptr<Analyzer>> analyzers,
                                           std::vector<std::unique_ptr<RequestAnalyzer>> request_analyzers,
                                           std::span<const Engine::RuleFile> rule_files,
                                           const Engine::Options& options) {
  auto engine = std::make_unique<EngineImpl>();
  engine->analyzers_ = std::move(analyzers);
  engine->request_analyzers_ = std::move(request_analyzers);
  const auto load_all = [&](std::span<const Engine::RuleFile> files) -> Result<void> {
    for (const Engine::RuleFile& file : files) {
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
    for (const Engine::RuleFile& file : rule_files) {
      std::vector<Signature> signatures;
      auto mistakes = check_signatures(file.name, file.json, signatures);
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
