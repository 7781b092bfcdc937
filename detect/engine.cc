#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "detect/analyze/base/token_count.h"
#include "detect/core/work_counter.h"
#include "detect/decode/squeeze.h"
#include "detect/engine_impl.h"
#include "detect/extract/body_cut.h"
#include "detect/extract/cut_near.h"
#include "detect/findings.h"
#include "detect/open_context.h"

namespace wafd::detect {
namespace {

// Longer texts are judged in pieces, so that the memory of an analyser is bounded. They overlap, so that an
// attack across a cut is whole in one of them.
constexpr std::size_t kPieceBytes = kLongTextBytes;
constexpr std::size_t kPieceOverlapBytes = 2u << 10;
// A piece begins behind a line end or a space that is so near.
constexpr std::size_t kCutReachBytes = kPieceOverlapBytes / 8;
// Work between two looks at whether it is enough: about a millisecond.
constexpr std::uint64_t kUnitsBetweenLooks = 1'000'000;

}  // namespace

void EngineImpl::inspect(const Request& request, const Effort& effort, Scratch& base, Verdict& out) const {
  auto& scratch = static_cast<ScratchImpl&>(base);
  out.clear();
  scratch.effort = &effort;
  scratch.asked_at = 0;
  scratch.interrupted = false;
  scratch.parsed.parse(request.head);
  scratch.fields.clear();
  scratch.variants.clear();
  scratch.open_fields.clear();
  scratch.budget.begin_request();
  scratch.documents.begin_request();
  judge_whole(request, scratch, out);
  scratch.head_fields.read(scratch.parsed, scratch.fields);
  const bool by_head = effort.head_only && !request.body.empty();
  BodyReport body;
  if (!by_head) body = scratch.body.read(request, scratch.parsed, scratch.fields);
  scratch.budget.add((request.head.size() + body.read_bytes + scratch.fields.arena.used()) *
                     CostBudget::kDecodeUnits);
  // The decoded size counts where entities and escapes made the text longer than it came.
  scratch.budget.allow(request.head.size() +
                       std::max<std::size_t>(body.read_bytes, scratch.fields.arena.used()));
  scratch.asked_at = scratch.budget.used();  // what the head means by itself comes before the first look
  // Values that hold values make the list grow: those are judged in the next round.
  for (std::uint32_t first = 0; first < scratch.fields.size();) {
    const auto end = static_cast<std::uint32_t>(scratch.fields.size());
    judge_roots(request, first, end, scratch, out);
    judge_further(request, first, end, scratch, out);
    first = end;
  }
  finish_signatures(scratch, out);

  out.total_bytes = request.head.size() + request.body.size();
  out.inspected_bytes = request.head.size() + body.inspected_bytes;
  out.body_truncated = request.body_truncated || body.truncated;
  if (request.body_truncated && !body.truncated) out.cut_in = cut_in(request, scratch.parsed, scratch.fields);
  out.body_abandoned = request.body_abandoned;
  out.limit_reached = scratch.fields.limit_reached || (scratch.parsed.flags & kHeadTooManyFields) != 0;
  out.unknown_coding = scratch.fields.uninspected;
  out.interrupted = scratch.interrupted;
  out.by_head = by_head;
  scratch.effort = nullptr;
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

void EngineImpl::judge_roots(const Request& request, std::uint32_t first, std::uint32_t end,
                             ScratchImpl& scratch, Verdict& out) const {
  scratch.open_fields.resize(end);
  scratch.twins.assign(std::bit_ceil(std::size_t{end} - first), OpenField::kNoTwin);
  const CleanFieldCache& cache = scratch.cache;
  // Cache entries are far away in memory, so those of several fields are prefetched together.
  constexpr std::uint32_t kFetched = 16;
  while (first < end) {
    const std::uint32_t last = std::min(first + kFetched, end);
    for (std::uint32_t i = first; i < last; ++i) scratch.open_fields[i].key = cache.key_of(scratch.fields[i]);
    for (std::uint32_t i = first; i < last; ++i)
      cache.fetch_bytes(scratch.fields[i], scratch.open_fields[i].key);
    for (; first < last; ++first) judge_root(request, first, scratch, out);
  }
}

void EngineImpl::judge_root(const Request& request, std::uint32_t index, ScratchImpl& scratch,
                            Verdict& out) const {
  if (!reads_on(scratch)) return;
  OpenField open = scratch.open_fields[index];
  const Field field = scratch.fields[index];  // a copy: containers make the list grow
  // Cost that the cache saves is charged all the same: a limit must not depend on earlier requests.
  const CleanFieldCache::Answer answer = scratch.cache.find(field, open.key);
  if (answer.known) {
    open.known = true;
    open.clean = false;  // it is kept already
    open.units = answer.cost.roots * CleanFieldCache::kBlockUnits;
    open.deep_units = answer.cost.deep * CleanFieldCache::kBlockUnits;
    add_root(open.units, scratch);
    scratch.open_fields[index] = open;
    return;
  }
  if (take_twin(index, scratch)) return;
  const std::uint64_t matches = scratch.matches;
  const std::uint64_t used = scratch.budget.used();
  scratch.asked = PrefilterOutcome::kNoMatcher;
  scratch.budget.add(CostBudget::kFieldUnits);
  open.first_root = static_cast<std::uint32_t>(scratch.variants.size());
  const std::size_t fields = scratch.fields.size();
  scratch.maker.roots(scratch.fields, index, scratch.body, scratch.budget, scratch.variants);
  open.roots = static_cast<std::uint8_t>(scratch.variants.size() - open.first_root);
  for (std::size_t i = open.first_root; i < open.first_root + open.roots; ++i) {
    const Variant variant = scratch.variants[i];
    if (variant.judged && !variant.container) judge(request, variant, scratch, out);
  }
  open.asked = scratch.asked;
  open.clean = matches == scratch.matches && fields == scratch.fields.size() && !scratch.budget.exhausted();
  // Whole blocks are spent, so that the cache's answer costs the same.
  add_root(CleanFieldCache::to_whole_block(scratch.budget.used() - used), scratch);
  open.units = scratch.budget.used() - used;
  scratch.open_fields[index] = open;
  if (open.clean) scratch.twins[open.key.hash & (scratch.twins.size() - 1)] = index;
}

void EngineImpl::add_root(std::uint64_t units, ScratchImpl& scratch) {
  scratch.budget.add(units);
  if (scratch.budget.exhausted()) scratch.fields.limit_reached = true;
}

bool EngineImpl::take_twin(std::uint32_t index, ScratchImpl& scratch) {
  OpenField& open = scratch.open_fields[index];
  const std::uint32_t twin = scratch.twins[open.key.hash & (scratch.twins.size() - 1)];
  if (twin == OpenField::kNoTwin ||
      !CleanFieldCache::alike(scratch.fields[twin], scratch.open_fields[twin].key, scratch.fields[index],
                              open.key))
    return false;
  open.twin = twin;
  open.units = scratch.open_fields[twin].units;
  open.asked = scratch.open_fields[twin].asked;
  add_root(open.units, scratch);
  return true;
}

bool EngineImpl::finish_twin(std::uint32_t index, ScratchImpl& scratch) {
  OpenField& open = scratch.open_fields[index];
  if (!open.known) {
    const OpenField& twin = scratch.open_fields[open.twin];
    open.kept = twin.kept;
    open.deep_units = twin.deep_units;
  }
  return (open.known || open.kept) && scratch.budget.take(open.deep_units);
}

void EngineImpl::judge_further(const Request& request, std::uint32_t first, std::uint32_t end,
                               ScratchImpl& scratch, Verdict& out) const {
  std::size_t bytes = 0;
  for (std::uint32_t i = first; i < end; ++i) bytes += scratch.fields[i].raw.size();
  scratch.budget.begin_fields(bytes);
  for (; first < end; ++first) {
    if (!go_on(scratch)) return;
    OpenField& open = scratch.open_fields[first];
    scratch.budget.begin_field(scratch.fields[first].raw.size());
    if ((open.known || open.twin != OpenField::kNoTwin) && !finish_twin(first, scratch)) {
      open.first_root = static_cast<std::uint32_t>(scratch.variants.size());
      CostBudget paid;  // in `open.units`
      scratch.maker.roots(scratch.fields, first, scratch.body, paid, scratch.variants);
      open.roots = static_cast<std::uint8_t>(scratch.variants.size() - open.first_root);
    }
    if (open.roots != 0) judge_further(request, first, scratch, out);
  }
}

void EngineImpl::judge_further(const Request& request, std::uint32_t index, ScratchImpl& scratch,
                               Verdict& out) const {
  OpenField& open = scratch.open_fields[index];
  const Field field = scratch.fields[index];
  const std::size_t fields = scratch.fields.size();
  const std::uint64_t matches = scratch.matches;
  const std::uint64_t used = scratch.budget.used();
  const bool limit = std::exchange(scratch.fields.limit_reached, false);
  scratch.asked = open.asked;
  if (!field.binary) {
    const std::size_t first = scratch.variants.size();
    scratch.maker.deepen(scratch.fields, open.first_root, open.roots, scratch.body, scratch.budget,
                         scratch.variants);
    for (std::size_t i = first; i < scratch.variants.size(); ++i) {
      const Variant variant = scratch.variants[i];
      if (variant.judged && !variant.container) judge(request, variant, scratch, out);
    }
  }
  // Whole blocks are spent, so that the cache's answer costs the same.
  constexpr std::uint64_t kBlock = CleanFieldCache::kBlockUnits;
  const std::uint64_t deep = scratch.budget.used() - used;
  if (!scratch.budget.take(CleanFieldCache::to_whole_block(deep))) scratch.fields.limit_reached = true;
  constexpr std::uint64_t kMostKept = CleanFieldCache::kMaxBlocks * kBlock;
  if (open.clean && !scratch.fields.limit_reached && fields == scratch.fields.size() &&
      matches == scratch.matches && open.units <= kMostKept && deep <= kMostKept) {
    const CleanFieldCache::Cost cost{static_cast<std::uint16_t>(open.units / kBlock),
                                     static_cast<std::uint16_t>((deep + kBlock - 1) / kBlock)};
    scratch.cache.keep(open.key, field, cost, scratch.asked);
    open.kept = true;
    open.deep_units = cost.deep * kBlock;
  }
  scratch.fields.limit_reached |= limit;
}

bool EngineImpl::go_on(ScratchImpl& scratch) {
  if (scratch.interrupted) return false;
  if (!scratch.effort->enough || scratch.budget.used() - scratch.asked_at < kUnitsBetweenLooks) return true;
  scratch.asked_at = scratch.budget.used();
  scratch.interrupted = scratch.effort->enough();
  scratch.fields.limit_reached |= scratch.interrupted;
  return !scratch.interrupted;
}

bool EngineImpl::reads_on(ScratchImpl& scratch) {
  if (!go_on(scratch)) return false;
  if (scratch.budget.exhausted()) scratch.fields.limit_reached = true;
  return !scratch.budget.exhausted();
}

bool EngineImpl::spend(const Variant& variant, std::uint64_t units, ScratchImpl& scratch) {
  if (!go_on(scratch)) return false;
  if (variant.root && !scratch.budget.exhausted()) {
    scratch.budget.add(units);
  } else if (variant.root || !scratch.budget.take(units)) {
    scratch.fields.limit_reached = true;
    return false;
  }
  return true;
}

void EngineImpl::judge(const Request& request, const Variant& variant, ScratchImpl& scratch,
                       Verdict& out) const {
  const std::string_view text = variant.text;
  std::uint64_t wanted = by_obfuscation_[static_cast<std::size_t>(variant.obfuscation)];
  const Field& field = scratch.fields[variant.field];
  if (variant.binary) wanted &= binary_;
  const std::uint32_t place = place_bit(field.location, field.in_name);
  wanted &= places_[static_cast<std::size_t>(std::countr_zero(place))];
  if (variant.kept_plus) wanted &= plus_;
  if (!variant.near.empty()) wanted = found_near(variant, wanted, place, scratch, out);
  if (wanted == 0) return;
  std::uint64_t marked = use_prefilter_ ? 0 : SignatureSet::kAllGroups;
  OpenContext context;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.size() - begin > kPieceBytes ? begin + kPieceBytes : text.size();
    Piece piece{begin, end, {}, text.substr(begin, end - begin)};
    if (begin != 0) {
      context.read(text, begin);
      piece.opening = context.opening(text);
      if (!piece.opening.empty())
        piece.opened = scratch.opened.assign(piece.opening).append(text, begin, end - begin);
    }
    if (!spend(variant, piece.opened.size() * CostBudget::kScanUnits + CostBudget::kTextUnits, scratch))
      return;
    const Prefilter::Outcome outcome = prefilter_.scan(piece.opened, wanted & ~always_, place);
    const std::uint64_t found = outcome.matchers | (always_ & wanted);
    marked |= outcome.marked;
    if (found != 0 && !run_analyzers(request, variant, piece, found, scratch, out)) return;
    if (end == text.size()) break;
    begin = cut_near(text, end - kPieceOverlapBytes, kCutReachBytes);
  }
  if ((wanted & kSignatureBit) != 0) run_signatures(request, variant, marked, scratch, out);
}

std::uint64_t EngineImpl::found_near(const Variant& variant, std::uint64_t wanted, std::uint32_t place,
                                     ScratchImpl& scratch, const Verdict& out) const {
  Variant near = variant;
  near.text = variant.near;
  near.front_cut = variant.near_front_cut;
  const bool everywhere = signatures_.looks_everywhere(scratch.fields[variant.field], variant.decode_path);
  std::uint64_t found = use_prefilter_ && !everywhere ? 0 : wanted & kSignatureBit;
  for (std::size_t begin = 0; begin < near.text.size();) {
    const std::size_t end = near.text.size() - begin > kPieceBytes ? begin + kPieceBytes : near.text.size();
    const Piece piece{begin, end, {}, near.text.substr(begin, end - begin)};
    if (!spend(near, piece.opened.size() * CostBudget::kScanUnits + CostBudget::kTextUnits, scratch))
      return 0;
    const Prefilter::Outcome outcome = prefilter_.scan(piece.opened, wanted & ~always_, place);
    if (outcome.marked != 0) found |= wanted & kSignatureBit;
    const auto take = [&](std::size_t number) {
      const std::span<const Rule> rules = analyzers_[number]->rules();
      for (const Hit& hit : scratch.hits) {
        const Rule& rule = rules[hit.rule];
        if (may_add(rule, hit.judged ? hit.denies_from : rule.denies_from, out.findings))
          found |= std::uint64_t{1} << number;
      }
    };
    const std::uint64_t which = (outcome.matchers | (always_ & wanted)) & ~found;
    if (which != 0 && !ask_analyzers(near, piece, which, scratch, take)) return 0;
    if (end == near.text.size()) break;
    begin = cut_near(near.text, end - kPieceOverlapBytes, kCutReachBytes);
  }
  return found;
}

template <class Take>
bool EngineImpl::ask_analyzers(const Variant& variant, const Piece& piece, std::uint64_t which,
                               ScratchImpl& scratch, const Take& take) const {
  scratch.asked = PrefilterOutcome::kSomeMatcher;
  const Field& field = scratch.fields[variant.field];
  const std::string_view part = variant.text.substr(piece.begin, piece.end - piece.begin);
  FieldContext context;
  context.location = field.location;
  context.in_name = field.in_name;
  context.media = field.media;
  context.code = field.code;
  context.prose = field.prose;
  context.stored = field.stored;
  context.name = field.name;
  context.parent = field.parent;
  context.outermost = field.outermost;
  context.decode_flags = variant.decode_flags;
  context.decode_path = variant.decode_path;
  context.whole = variant.text;
  context.uncut = variant.uncut;
  context.front_cut = variant.front_cut;
  context.documents = &scratch.documents;
  context.scripts = &scratch.scripts;
  scratch.scripts.begin();
  context.memory = &scratch.memory;
  FieldContext opened = context;
  if (!piece.opening.empty()) {
    opened.whole = piece.opened;
    if (opened.uncut.empty()) opened.uncut = variant.text;
    opened.front_cut = true;
  }
  const std::size_t tokens = token_count(part);
  const std::uint64_t units = part.size() * CostBudget::kAnalyzeUnits + CostBudget::kCallUnits;
  for (; which != 0; which &= which - 1) {
    const auto number = static_cast<std::size_t>(std::countr_zero(which));
    const Analyzer& analyzer = *analyzers_[number];
    if (!spend(variant, units + tokens * units_a_token_[number], scratch)) return false;
    scratch.hits.clear();
    const std::uint64_t steps = steps_of_thread;
    const bool inside = is_told(piece, number);
    analyzer.analyze(inside ? piece.opened : part, inside ? opened : context, scratch.hits);
    scratch.memory.release();
    settle(variant, steps_of_thread - steps + scratch.hits.size() * CostBudget::kHitUnits, scratch);
    take(number);
  }
  return true;
}

bool EngineImpl::run_analyzers(const Request& request, const Variant& variant, const Piece& piece,
                               std::uint64_t which, ScratchImpl& scratch, Verdict& out) const {
  return ask_analyzers(variant, piece, which, scratch, [&](std::size_t number) {
    const Analyzer& analyzer = *analyzers_[number];
    const std::size_t before = is_told(piece, number) ? piece.opening.size() : 0;
    const auto place = [&](std::size_t at) {
      return static_cast<std::uint32_t>(piece.begin + std::max(at, before) - before);
    };
    scratch.matches += scratch.hits.size();
    for (Hit& hit : scratch.hits) {
      const Rule& rule = analyzer.rules()[hit.rule];
      if (!may_add(rule, hit.judged ? hit.denies_from : rule.denies_from, out.findings)) continue;
      Finding finding = make_finding(rule, request, scratch.fields, variant, place(hit.begin), place(hit.end),
                                     std::move(hit.reason));
      if (hit.judged) finding.denies_from = hit.denies_from;
      add_finding(std::move(finding), out.findings);
    }
  });
}

std::vector<Finding>& EngineImpl::findings_of_waiting(std::uint32_t signature, ScratchImpl& scratch) {
  for (Waiting& waiting : scratch.waiting) {
    if (waiting.signature == signature) return waiting.findings;
  }
  return scratch.waiting.emplace_back(Waiting{signature, 1, {}}).findings;
}

void EngineImpl::run_signatures(const Request& request, const Variant& variant, std::uint64_t marked,
                                ScratchImpl& scratch, Verdict& out) const {
  const Field& field = scratch.fields[variant.field];
  if (signatures_.looks_everywhere(field, variant.decode_path)) marked |= SignatureSet::kUnmarkedGroups;
  if (marked == 0) return;
  if ((marked & ~SignatureSet::kUnmarkedGroups) != 0) scratch.asked = PrefilterOutcome::kSomeMatcher;
  const auto groups = static_cast<std::uint64_t>(std::popcount(marked));
  if (!spend(variant, variant.text.size() + groups * CostBudget::kTextUnits, scratch)) return;
  // The whole text, so that `^` is no cut.
  signatures_.match(variant.text, marked, scratch.signatures);
  for (const SignatureScratch::Match& match : scratch.signatures.matches) {
    const Signature& signature = signatures_.all()[match.signature];
    if (!signature.conditions.front().applies(field, variant.decode_path)) continue;
    scratch.asked = PrefilterOutcome::kSomeMatcher;
    ++scratch.matches;
    std::vector<Finding>& findings =
        signature.conditions.size() == 1 ? out.findings : findings_of_waiting(match.signature, scratch);
    if (!may_add(signature.rule, signature.rule.denies_from, findings)) continue;
    std::string reason =
        signature.rule.name + (signature.rule.cve.empty() ? "" : " (" + signature.rule.cve + ")");
    Finding finding = make_finding(signature.rule, request, scratch.fields, variant,
                                   signatures_.begin_of(match, variant.text, scratch.signatures), match.end,
                                   std::move(reason));
    add_finding(std::move(finding), findings);
  }
}

void EngineImpl::finish_signatures(ScratchImpl& scratch, Verdict& out) const {
  if (scratch.waiting.empty()) return;
  // Fields that the cache knew have no variants: they hold nothing by themselves, but perhaps what another
  // condition asks for.
  for (std::uint32_t field = 0; field < scratch.open_fields.size(); ++field) {
    if (scratch.open_fields[field].roots != 0) continue;
    if (!reads_on(scratch)) break;
    const std::size_t first = scratch.variants.size();
    scratch.maker.roots(scratch.fields, field, scratch.body, scratch.budget, scratch.variants);
    if (scratch.fields[field].binary) continue;
    scratch.budget.begin_field(scratch.fields[field].raw.size());
    scratch.maker.deepen(scratch.fields, first, scratch.variants.size() - first, scratch.body, scratch.budget,
                         scratch.variants);
  }
  for (const Variant& variant : scratch.variants) {
    if (!reads_on(scratch)) break;
    signatures_.begin_text(scratch.signatures);
    for (Waiting& waiting : scratch.waiting) {
      const std::vector<Condition>& conditions = signatures_.all()[waiting.signature].conditions;
      for (std::uint32_t c = 1; c < conditions.size(); ++c) {
        if ((waiting.held >> c & 1) != 0 ||
            !conditions[c].applies(scratch.fields[variant.field], variant.decode_path))
          continue;
        scratch.budget.add(variant.text.size());
        if (signatures_.holds(waiting.signature, c, variant.text, scratch.signatures))
          waiting.held |= 1u << c;
      }
    }
  }
  for (Waiting& waiting : scratch.waiting) {
    const std::size_t conditions = signatures_.all()[waiting.signature].conditions.size();
    if (waiting.held != (1u << conditions) - 1) continue;
    for (Finding& finding : waiting.findings) out.findings.push_back(std::move(finding));
  }
  scratch.waiting.clear();
}

}  // namespace wafd::detect
