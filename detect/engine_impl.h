// The engine's own: what one worker keeps between requests, and what is compiled once for all of them.
// engine.cc judges, engine_build.cc compiles.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <string_view>
#include <vector>

#include "detect/analyze/base/request_analyzer.h"
#include "detect/analyze/script/js_places.h"
#include "detect/clean_field_cache.h"
#include "detect/core/cost_budget.h"
#include "detect/engine.h"
#include "detect/extract/body.h"
#include "detect/extract/fields.h"
#include "detect/extract/head_fields.h"
#include "detect/extract/variants.h"
#include "detect/judge/document.h"
#include "detect/prefilter/prefilter.h"
#include "detect/signatures/signature_set.h"

namespace wafd::detect {

// An analyser is one of the lower bits; this one stands for all signatures.
inline constexpr std::uint64_t kSignatureBit = std::uint64_t{1} << 63;
inline constexpr std::size_t kMaxAnalyzers = 63;
// Scratch memory of analysers for ordinary texts; more comes from the heap and goes back there.
inline constexpr std::size_t kAnalyzerMemoryBytes = 256u << 10;

// A signature of several conditions whose first one holds. One for each signature, however often it holds.
struct Waiting {
  std::uint32_t signature = 0;
  std::uint32_t held = 1;         // a bit for each condition that holds somewhere in the request
  std::vector<Finding> findings;  // of the first
};

// A field between its two passes.
struct OpenField {
  static constexpr std::uint32_t kNoTwin = ~0u;

  CleanFieldCache::Key key;
  std::uint32_t first_root = 0;  // in ScratchImpl::variants
  std::uint32_t twin = kNoTwin;  // a field before it with the same bytes, of which the roots are clean
  std::uint8_t roots = 0;        // 0: the cache knew the field, it has a twin, or nothing is read any more
  bool clean = true;             // nothing was found in it, and it holds no further fields
  bool kept = false;             // nothing was found in its further decodings either
  bool known = false;            // to the cache
  PrefilterOutcome asked = PrefilterOutcome::kNoMatcher;
  std::uint64_t units = 0;       // that judging its roots took
  std::uint64_t deep_units = 0;  // that its further decodings took, in whole blocks
};

class ScratchImpl final : public Scratch {
 public:
  explicit ScratchImpl(std::size_t max_body_bytes) : body(max_body_bytes) {}

  const RequestHead& head() const noexcept override { return parsed; }
  std::uint64_t work_units() const noexcept override { return budget.used(); }
  std::uint64_t work_limit() const noexcept override { return budget.allowed(); }

  RequestHead parsed;
  FieldList fields;
  HeadReader head_fields;
  BodyReader body;
  VariantMaker maker;
  CostBudget budget;
  CleanFieldCache cache;
  std::vector<OpenField> open_fields;  // by index in `fields`
  std::vector<std::uint32_t> twins;  // of one round: by the hash of its key, the last field with clean roots
  std::uint64_t matches = 0;         // of all requests; findings that were merged into others count
  std::vector<Variant> variants;
  std::vector<Hit> hits;
  std::string opened;  // a part of a text behind what is open there
  DocumentCache documents;
  js::ReadingsCache scripts;
  SignatureScratch signatures;
  std::unique_ptr<std::byte[]> analyzer_bytes =
      std::make_unique_for_overwrite<std::byte[]>(kAnalyzerMemoryBytes);
  std::pmr::monotonic_buffer_resource memory{analyzer_bytes.get(), kAnalyzerMemoryBytes,
                                             std::pmr::new_delete_resource()};
  std::vector<RequestHit> request_hits;
  std::vector<Waiting> waiting;
  PrefilterOutcome asked = PrefilterOutcome::kNoMatcher;  // about the present field
  const Engine::Effort* effort = nullptr;                 // of the present request
  std::uint64_t asked_at = 0;  // units of work at which `effort->enough` was asked last
  bool interrupted = false;
};

class EngineImpl final : public Engine {
 public:
  std::unique_ptr<Scratch> make_scratch() const override {
    auto scratch = std::make_unique<ScratchImpl>(max_body_bytes_);
    if (!signatures_.allocate(scratch->signatures)) return nullptr;
    return scratch;
  }

  using Engine::inspect;
  void inspect(const Request& request, const Effort& effort, Scratch& scratch, Verdict& out) const override;

  std::span<const Rule* const> rules() const noexcept override { return rules_; }
  std::size_t database_bytes() const noexcept override {
    return prefilter_.table_bytes() + signatures_.table_bytes();
  }

  // The first `builtin` of `signatures` are wafd's own.
  Result<void> compile_all(std::vector<Signature> signatures, std::size_t builtin, bool use_prefilter,
                           const SetSource& source);

  std::vector<std::unique_ptr<Analyzer>> analyzers_;
  std::vector<std::unique_ptr<RequestAnalyzer>> request_analyzers_;
  std::size_t max_body_bytes_ = 0;

 private:
  void set_masks();
  void judge_whole(const Request& request, ScratchImpl& scratch, Verdict& out) const;
  // The two passes over the fields from `first` to `end`: what each means by itself, always and whole; then
  // what further decodings make of it, within the field's budget. Both may add fields.
  void judge_roots(const Request& request, std::uint32_t first, std::uint32_t end, ScratchImpl& scratch,
                   Verdict& out) const;
  void judge_further(const Request& request, std::uint32_t first, std::uint32_t end, ScratchImpl& scratch,
                     Verdict& out) const;
  void judge_root(const Request& request, std::uint32_t index, ScratchImpl& scratch, Verdict& out) const;
  void judge_further(const Request& request, std::uint32_t index, ScratchImpl& scratch, Verdict& out) const;
  // The last of what judging a field's roots took. Beyond the limit the verdict says so, whether the field
  // was judged or known: a verdict must not depend on earlier requests.
  static void add_root(std::uint64_t units, ScratchImpl& scratch);
  // Documents repeat their values: the field is judged as the one that is the same. False: there is none.
  static bool take_twin(std::uint32_t index, ScratchImpl& scratch);
  // The same for its further decodings, of it or of what the cache knows.
  static bool finish_twin(std::uint32_t index, ScratchImpl& scratch);
  void judge(const Request& request, const Variant& variant, ScratchImpl& scratch, Verdict& out) const;
  // False: the caller wants no more of this request.
  static bool go_on(ScratchImpl& scratch);
  // The same; or the budget has nothing left, which the verdict then says.
  static bool reads_on(ScratchImpl& scratch);
  // False: the budget does not allow it.
  static bool spend(const Variant& variant, std::uint64_t units, ScratchImpl& scratch);
  // Charges work whose amount was known only after it was done.
  static void settle(const Variant& variant, std::uint64_t units, ScratchImpl& scratch) noexcept {
    if (variant.root)
      scratch.budget.add(units);
    else
      scratch.budget.drain(units);
  }
  // A part of a variant's text, and what an earlier part opened and left open.
  struct Piece {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::string_view opening;
    std::string_view opened;  // the opening and the part; the part alone, if nothing is open
  };
  // Whether the analyser reads the part behind what is open before it.
  bool is_told(const Piece& piece, std::size_t number) const noexcept {
    return !piece.opening.empty() && (inside_ >> number & 1) != 0;
  }
  // Which of `wanted` find something close to what a decoding changed; the others find nothing else that it
  // made. The signatures are asked, or not, as one.
  std::uint64_t found_near(const Variant& variant, std::uint64_t wanted, std::uint32_t place,
                           ScratchImpl& scratch, const Verdict& out) const;
  // What they find in a part of the variant's text is in scratch.hits, by one matcher after the other: `take`
  // has its number. False: the budget ended it.
  template <class Take>
  bool ask_analyzers(const Variant& variant, const Piece& piece, std::uint64_t which, ScratchImpl& scratch,
                     const Take& take) const;
  bool run_analyzers(const Request& request, const Variant& variant, const Piece& piece, std::uint64_t which,
                     ScratchImpl& scratch, Verdict& out) const;
  void run_signatures(const Request& request, const Variant& variant, std::uint64_t marked,
                      ScratchImpl& scratch, Verdict& out) const;
  static std::vector<Finding>& findings_of_waiting(std::uint32_t signature, ScratchImpl& scratch);
  void finish_signatures(ScratchImpl& scratch, Verdict& out) const;

  bool use_prefilter_ = true;
  Prefilter prefilter_;
  SignatureSet signatures_;
  std::uint64_t always_ = 0;  // analysers that are no matchers, or all of them without a prefilter
  std::uint64_t all_ = kSignatureBit;
  std::uint64_t binary_ = kSignatureBit;  // who reads bytes that are no text
  std::uint64_t inside_ = 0;              // who is told what a part of a text begins inside of
  std::array<std::uint32_t, kMaxAnalyzers> units_a_token_{};
  std::uint64_t places_[kPlaces] = {};  // by place: who reads it
  std::uint64_t plus_ = kSignatureBit;  // who reads values of a form with its plus signs
  std::uint64_t by_obfuscation_[3] = {0, kSignatureBit,
                                      kSignatureBit};  // by ObfuscationLanguage: who reads its texts
  std::vector<const Rule*> rules_;
};

}  // namespace wafd::detect
