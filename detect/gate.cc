#include "detect/gate.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <hs/hs.h>

namespace wafd::detect {
namespace {

// A scan has a fixed cost, so short texts go together.
constexpr std::size_t kMaxBatchedText = 1024;
constexpr std::size_t kMaxBatchBytes = 16u << 10;
// A batch with more matches than this is hostile or odd; its texts are then scanned one by one, each
// expression reporting once.
constexpr std::size_t kMaxBatchMatches = 4096;

struct Once {
  const std::uint64_t* bits;
  std::uint64_t found = 0;
};

int on_once(unsigned id, unsigned long long, unsigned long long, unsigned, void* context) noexcept {
  Once& once = *static_cast<Once*>(context);
  once.found |= once.bits[id];
  return 0;
}

struct Batch {
  const std::uint64_t* bits;
  std::span<Variant> variants;
  const GateScratch* scratch;
  std::size_t at = 0;  // text of the match before: matches come roughly in order of their ends
  std::size_t matches = 0;
};

int on_batch(unsigned id, unsigned long long, unsigned long long to, unsigned, void* context) noexcept {
  Batch& batch = *static_cast<Batch*>(context);
  if (++batch.matches > kMaxBatchMatches) return 1;
  const auto& ends = batch.scratch->ends;
  const auto end = static_cast<std::uint32_t>(to);
  std::size_t at = batch.at;
  if (end > ends[at] || (at > 0 && end <= ends[at - 1])) {
    at = static_cast<std::size_t>(std::lower_bound(ends.begin(), ends.end(), end) - ends.begin());
    if (at == ends.size()) return 0;  // the last line end
    batch.at = at;
  }
  batch.variants[batch.scratch->owners[at]].analyzers |= batch.bits[id];
  return 0;
}

// Anchors that mean the whole buffer, which in a batch is another one.
bool has_buffer_anchor(std::string_view expression) noexcept {
  for (std::size_t i = 0; i + 1 < expression.size(); ++i) {
    if (expression[i] != '\\') continue;
    ++i;
    if (std::string_view("AzZG").find(expression[i]) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

void HsDatabaseFree::operator()(hs_database* database) const noexcept { hs_free_database(database); }
void HsScratchFree::operator()(hs_scratch* scratch) const noexcept { hs_free_scratch(scratch); }

Result<HsDatabase> compile(std::span<const Pattern> patterns) {
  if (patterns.empty()) return HsDatabase();
  std::vector<std::string> texts;
  std::vector<const char*> pointers;
  std::vector<unsigned> flags;
  std::vector<unsigned> ids;
  texts.reserve(patterns.size());
  for (const Pattern& pattern : patterns) {
    texts.emplace_back(pattern.expression);
    pointers.push_back(texts.back().c_str());
    flags.push_back(pattern.flags);
    ids.push_back(pattern.id);
  }
  hs_database* database = nullptr;
  hs_compile_error* error = nullptr;
  // The oldest processor that is supported, so that the same database is made everywhere.
  if (hs_compile_multi(pointers.data(), flags.data(), ids.data(), static_cast<unsigned>(pointers.size()),
                       HS_MODE_BLOCK, nullptr, &database, &error) == HS_SUCCESS) {
    return HsDatabase(database);
  }
  const std::size_t index = error->expression >= 0 ? static_cast<std::size_t>(error->expression) : 0;
  Error out{ErrorCode::kInvalid, index, error->message};
  hs_free_compile_error(error);
  return tl::unexpected<Error>(std::move(out));
}

Result<Gate> Gate::build(std::span<const Hint> hints, WordGate words) {
  Gate gate;
  gate.words_ = std::move(words);
  if (!gate.words_.empty()) gate.words_.build();
  std::vector<Pattern> patterns;
  for (const Hint& hint : hints) {
    if (has_buffer_anchor(hint.expression)) {
      return fail(ErrorCode::kInvalid,
                  "\\A, \\z, \\Z and \\G cannot be used here; ^ and $ mean the ends of a value",
                  patterns.size());
    }
    patterns.push_back({hint.expression, HS_FLAG_CASELESS | HS_FLAG_DOTALL | HS_FLAG_MULTILINE,
                        static_cast<std::uint32_t>(gate.bits_.size())});
    gate.bits_.push_back(hint.analyzers);
  }
  if (patterns.size() > 1) {
    auto multi = compile(patterns);
    if (!multi) return tl::unexpected<Error>(multi.error());
    gate.multi_ = std::move(*multi);
  }
  for (Pattern& pattern : patterns) pattern.flags |= HS_FLAG_SINGLEMATCH;
  auto single = compile(patterns);
  if (!single) return tl::unexpected<Error>(single.error());
  gate.single_ = std::move(*single);
  return gate;
}

bool Gate::allocate(HsScratch& scratch) const {
  hs_scratch* raw = scratch.release();
  const bool ok = (!single_ || hs_alloc_scratch(single_.get(), &raw) == HS_SUCCESS) &&
                  (!multi_ || hs_alloc_scratch(multi_.get(), &raw) == HS_SUCCESS);
  scratch.reset(raw);
  return ok;
}

std::size_t Gate::octets() const noexcept {
  std::size_t one = 0;
  std::size_t two = 0;
  if (single_) hs_database_size(single_.get(), &one);
  if (multi_) hs_database_size(multi_.get(), &two);
  return one + two;
}

void Gate::scan_one(Variant& variant, GateScratch& scratch) const {
  if (!words_.empty()) {
    words_.scan(variant.text, [&](std::size_t, std::uint64_t bits) { variant.analyzers |= bits; });
  }
  if (!single_) return;
  // Vectorscan takes an unsigned int; requests are far smaller (the listeners' limits).
  const auto size = static_cast<unsigned>(std::min<std::size_t>(variant.text.size(), 0xffffffffu));
  Once once{bits_.data()};
  const auto status = hs_scan(single_.get(), variant.text.data(), size, 0, scratch.hs.get(), on_once, &once);
  // Whatever stops a scan must not hide anything.
  variant.analyzers |= status == HS_SUCCESS ? once.found : std::numeric_limits<std::uint64_t>::max();
}

namespace {

struct Find {
  std::uint32_t first;
  std::vector<Gate::Match>* out;
};

int on_find(unsigned id, unsigned long long, unsigned long long to, unsigned, void* context) noexcept {
  const Find& find = *static_cast<const Find*>(context);
  if (id >= find.first) find.out->push_back({id, static_cast<std::uint32_t>(to)});  // capacity was reserved
  return 0;
}

struct Ask {
  std::uint32_t id;
  bool found = false;
};

int on_ask(unsigned id, unsigned long long, unsigned long long, unsigned, void* context) noexcept {
  Ask& ask = *static_cast<Ask*>(context);
  if (id == ask.id) ask.found = true;
  return ask.found ? 1 : 0;
}

}  // namespace

bool Gate::matches(std::string_view text, GateScratch& scratch) const {
  Variant variant;
  variant.text = text;
  scan_one(variant, scratch);
  return variant.analyzers != 0;
}

bool Gate::find(std::string_view text, std::uint32_t first, GateScratch& scratch,
                std::vector<Match>& out) const {
  out.clear();
  out.reserve(bits_.size());
  if (!single_) return true;
  Find find{first, &out};
  const auto size = static_cast<unsigned>(std::min<std::size_t>(text.size(), 0xffffffffu));
  return hs_scan(single_.get(), text.data(), size, 0, scratch.hs.get(), on_find, &find) == HS_SUCCESS;
}

// What matches from a later place also matches from an earlier one, but for anchors; those leave the search
// at the last place that was seen to match.
std::uint32_t Gate::begin_of(const Match& match, std::string_view text, GateScratch& scratch) const {
  const auto size = static_cast<std::uint32_t>(std::min<std::size_t>(text.size(), match.end));
  std::uint32_t good = size > kMaxSpanBytes ? size - kMaxSpanBytes : 0;
  std::uint32_t bad = size;
  while (bad - good > 1) {
    const std::uint32_t middle = good + (bad - good) / 2;
    Ask ask{match.hint};
    hs_scan(single_.get(), text.data() + middle, size - middle, 0, scratch.hs.get(), on_ask, &ask);
    (ask.found ? good : bad) = middle;
  }
  return good;
}

void Gate::scan_batch(std::span<Variant> variants, GateScratch& scratch) const {
  if (scratch.owners.empty()) return;
  if (scratch.owners.size() == 1 || !multi_) {
    for (const std::uint32_t owner : scratch.owners) scan_one(variants[owner], scratch);
  } else {
    if (!words_.empty()) {
      std::size_t at = 0;
      words_.scan(scratch.batch, [&](std::size_t end, std::uint64_t bits) {
        while (scratch.ends[at] < end) ++at;
        variants[scratch.owners[at]].analyzers |= bits;
      });
    }
    Batch batch{bits_.data(), variants, &scratch};
    const auto status =
        hs_scan(multi_.get(), scratch.batch.data(), static_cast<unsigned>(scratch.batch.size()), 0,
                scratch.hs.get(), on_batch, &batch);
    if (status != HS_SUCCESS) {
      for (const std::uint32_t owner : scratch.owners) scan_one(variants[owner], scratch);
    }
  }
  scratch.batch.clear();
  scratch.ends.clear();
  scratch.owners.clear();
}

void Gate::scan(std::span<Variant> variants, GateScratch& scratch) const {
  for (std::size_t i = 0; i < variants.size(); ++i) {
    Variant& variant = variants[i];
    if (variant.container) continue;
    if (variant.text.size() > kMaxBatchedText) {
      scan_one(variant, scratch);
      continue;
    }
    scratch.batch.append(variant.text);
    scratch.ends.push_back(static_cast<std::uint32_t>(scratch.batch.size()));
    scratch.owners.push_back(static_cast<std::uint32_t>(i));
    scratch.batch.push_back('\n');
    if (scratch.batch.size() >= kMaxBatchBytes) scan_batch(variants, scratch);
  }
  scan_batch(variants, scratch);
}

}  // namespace wafd::detect
