#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "detect/engine_impl.h"
#include "detect/extract/cut_near.h"
#include "detect/findings.h"

namespace wafd::detect {
namespace {

// Longer texts are judged in pieces, so that what an analyser may do with one text is bounded. They overlap,
// so that an attack across a cut is whole in one of them.
constexpr std::size_t kPieceBytes = 16u << 10;
constexpr std::size_t kPieceOverlapBytes = 2u << 10;
// A piece begins behind a line end or a space that is so near.
constexpr std::size_t kCutReachBytes = kPieceOverlapBytes / 8;

}  // namespace

void EngineImpl::inspect(const Request& request, Scratch& base, Verdict& out) const {
  auto& scratch = static_cast<ScratchImpl&>(base);
  out.clear();
  scratch.parsed.parse(request.head);
  scratch.fields.clear();
  scratch.variants.clear();
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
  // What the memo has of a field comes from far memory: it is fetched for some at once.
  auto& keys = scratch.keys;
  while (first < scratch.fields.size()) {
    const std::uint32_t count =
        static_cast<std::uint32_t>(std::min(keys.size(), scratch.fields.size() - first));
    for (std::uint32_t i = 0; i < count; ++i) keys[i] = scratch.memo.key_of(scratch.fields[first + i]);
    for (std::uint32_t i = 0; i < count; ++i) scratch.memo.fetch_octets(scratch.fields[first + i], keys[i]);
    for (std::uint32_t i = 0; i < count; ++i) {
      const CleanMemo::Answer answer = scratch.memo.find(scratch.fields[first + i], keys[i]);
      // What the memo spares is counted all the same: a limit must not depend on the requests before.
      if (answer.known && scratch.work.may_decode_after(answer.work)) {
        scratch.work.add(answer.work);
      } else {
        judge_field(request, first + i, keys[i], scratch, out);
      }
    }
    first += count;
  }
}

void EngineImpl::judge_field(const Request& request, std::uint32_t index, const CleanMemo::Key& key,
                             ScratchImpl& scratch, Verdict& out) const {
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
    scratch.memo.keep(key, scratch.fields[index], static_cast<std::uint32_t>(scratch.work.used() - work),
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
  // Fields that the memo knew have no variants: they hold nothing by themselves, but perhaps what another
  // condition asks for.
  const std::size_t judged = scratch.variants.size();
  std::size_t at = 0;  // variants stand in the order of their fields
  for (std::uint32_t field = 0; field < scratch.fields.size(); ++field) {
    if (at == judged || scratch.variants[at].field != field)
      scratch.maker.expand(scratch.fields, field, scratch.body, scratch.work, scratch.variants);
    while (at < judged && scratch.variants[at].field == field) ++at;
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

}  // namespace wafd::detect
