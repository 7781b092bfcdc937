#include "detect/prefilter/gate.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include <fmt/format.h>
#include <hs/hs.h>

#ifdef WAFD_HAVE_COREI7_HS_SCAN
extern "C" hs_error_t HS_CDECL corei7_hs_scan(const hs_database_t* database, const char* data,
                                              unsigned length, unsigned flags, hs_scratch_t* scratch,
                                              match_event_handler on_match, void* context);
#endif

namespace wafd::detect {

// Vectorscan 5.4.9 (Debian 12) loses matches on processors with AVX-512: its double-octet accelerators for
// 64-octet vectors are wrong at their ends (repaired upstream in 2026). The library holds its scanner once
// for each generation of processors, so the one for SSE4.2, our baseline, is called by its name. It is the
// same on all machines.
int scan_block(const hs_database* database, std::string_view text, hs_scratch* scratch, OnMatch on_match,
               void* context) noexcept {
  // Vectorscan takes an unsigned int; requests are far smaller (the listeners' limits).
  const auto size = static_cast<unsigned>(std::min<std::size_t>(text.size(), 0xffffffffu));
#ifdef WAFD_HAVE_COREI7_HS_SCAN
  return corei7_hs_scan(database, text.data(), size, 0, scratch, on_match, context);
#else
  return hs_scan(database, text.data(), size, 0, scratch, on_match, context);
#endif
}

void append_words(const Analyzer& analyzer, std::uint64_t bit, std::vector<HintWord>& out) {
  const auto append = [&](std::span<const std::string_view> words, WordPlace place) {
    for (const std::string_view word : words) out.push_back({word, bit, place});
  };
  append(analyzer.hint_words(), WordPlace::kAnywhere);
  append(analyzer.hint_command_words().any, WordPlace::kCommand);
  append(analyzer.hint_command_words().amid, WordPlace::kCommandAmid);
}

bool has_hints(const Analyzer& analyzer) noexcept {
  const Analyzer::CommandWords commands = analyzer.hint_command_words();
  return !analyzer.hints().empty() || !analyzer.hint_words().empty() || !commands.any.empty() ||
         !commands.amid.empty();
}

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
  // No more than our baseline, so that the same database is made everywhere.
  hs_platform_info_t platform{};
  platform.tune = HS_TUNE_FAMILY_GENERIC;
  if (hs_compile_multi(pointers.data(), flags.data(), ids.data(), static_cast<unsigned>(pointers.size()),
                       HS_MODE_BLOCK, &platform, &database, &error) == HS_SUCCESS) {
    return HsDatabase(database);
  }
  const std::size_t index = error->expression >= 0 ? static_cast<std::size_t>(error->expression) : 0;
  Error out{ErrorCode::kInvalid, index, error->message};
  hs_free_compile_error(error);
  return tl::unexpected<Error>(std::move(out));
}

// False if there is nothing to look for, so that every text must be scanned.
bool Gate::index(std::string_view text, std::uint32_t hint, Stored& stored) {
  const std::optional<Expression> expression = parse_expression(text);
  if (!expression) return false;
  const std::vector<Factor> factors = required_factors(*expression);
  needed_.back() = needed_octets(*expression, factors);
  std::vector<std::uint16_t> leaves;  // of each factor the first and the last
  for (const Factor& factor : factors) {
    const auto read = [](const FactorPlace& place) { return place.leaf != kNoLeaf; };
    const auto first = std::find_if(factor.places.begin(), factor.places.end(), read);
    if (first == factor.places.end()) return false;
    leaves.push_back(first->leaf);
    leaves.push_back(std::find_if(factor.places.rbegin(), factor.places.rend(), read)->leaf);
  }
  stored.local = LocalMatcher::build(*expression, leaves);
  struct Chosen {
    Run run;
    RunPiece piece;
    FactorIndex::Candidate candidate;
  };
  std::vector<Chosen> all;
  for (std::uint32_t i = 0; i < factors.size(); ++i) {
    Chosen chosen;
    const auto first = stored.local.surroundings(2 * i);
    const auto last = stored.local.surroundings(2 * i + 1);
    chosen.run.places.assign(first.before.rbegin(), first.before.rend());
    chosen.run.begin = chosen.run.places.size();
    for (const FactorPlace& place : factors[i].places) {
      if (place.leaf != kNoLeaf) chosen.run.places.push_back(place.set);
    }
    chosen.run.end = chosen.run.places.size();
    chosen.run.places.insert(chosen.run.places.end(), last.behind.begin(), last.behind.end());
    chosen.piece = index_.choose(chosen.run);
    if (chosen.piece.likely > kMaxLikely) return false;
    const std::uint32_t leaf = 2 * i;
    chosen.candidate = {hint,
                        stored.local.starts(leaf),
                        chosen.run.begin,
                        [&stored, leaf](std::span<OctetSet> places, std::size_t at) {
                          return stored.local.narrow(leaf, places, at);
                        },
                        [&stored](unsigned char octet) { return stored.local.class_of(octet); },
                        stored.local.classes()};
    all.push_back(std::move(chosen));
  }
  for (const Chosen& chosen : all) index_.add(chosen.run, chosen.piece, chosen.candidate);
  stored.perhaps = expression->widened || !stored.local.complete();
  stored.certain = !stored.perhaps && stored.local.certain();
  return !factors.empty();
}

Result<Gate> Gate::build(std::span<const Hint> hints, std::span<const HintWord> words,
                         std::uint32_t first_listed, Listed listed_for) {
  Gate gate;
  gate.first_listed_ = first_listed;
  std::vector<Pattern> listed;
  for (std::uint32_t i = 0; i < hints.size(); ++i) {
    const Hint& hint = hints[i];
    if (has_buffer_anchor(hint.expression)) {
      return fail(ErrorCode::kInvalid,
                  "\\A, \\z, \\Z and \\G cannot be used here; ^ and $ mean the ends of a value", i);
    }
    const Pattern pattern{hint.expression,
                          HS_FLAG_CASELESS | HS_FLAG_DOTALL | HS_FLAG_MULTILINE | HS_FLAG_SINGLEMATCH, i};
    Stored stored;
    stored.analyzers = hint.analyzers;
    gate.needed_.emplace_back();
    stored.unfiltered = !gate.index(hint.expression, i, stored);
    if (stored.unfiltered) gate.unfiltered_.push_back(i);
    const bool is_listed = i >= first_listed;
    if (!stored.unfiltered && is_listed && listed_for == Listed::kEnds) {
      listed.push_back(pattern);
    } else if (stored.unfiltered || (is_listed ? !stored.certain : stored.perhaps)) {
      auto database = compile(std::span(&pattern, 1));
      if (!database) {
        Error error = database.error();
        error.offset = i;
        return tl::unexpected<Error>(std::move(error));
      }
      stored.database = std::move(*database);
    }
    gate.hints_.push_back(std::move(stored));
    gate.bits_.push_back(hint.analyzers);
  }
  for (const HintWord& word : words) {
    if (!gate.index_.add_word(word.word, static_cast<std::uint32_t>(gate.bits_.size()), word.place)) {
      return fail(ErrorCode::kInvalid,
                  fmt::format("\"{}\": a word to look for is made of a-z, 0-9 and _", word.word),
                  hints.size());
    }
    gate.bits_.push_back(word.analyzers);
  }
  gate.index_.build();
  auto database = compile(listed);
  if (!database) {
    Error error = database.error();
    error.offset = listed[error.offset].id;
    return tl::unexpected<Error>(std::move(error));
  }
  gate.listed_ = std::move(*database);
  return gate;
}

bool Gate::allocate(HsScratch& scratch) const {
  hs_scratch* raw = scratch.release();
  bool ok = !listed_ || hs_alloc_scratch(listed_.get(), &raw) == HS_SUCCESS;
  for (const Stored& hint : hints_)
    ok = ok && (!hint.database || hs_alloc_scratch(hint.database.get(), &raw) == HS_SUCCESS);
  scratch.reset(raw);
  return ok;
}

std::size_t Gate::octets() const noexcept {
  std::size_t sum = 0;
  if (listed_) hs_database_size(listed_.get(), &sum);
  for (const Stored& hint : hints_) {
    std::size_t one = 0;
    if (hint.database) hs_database_size(hint.database.get(), &one);
    sum += one;
  }
  return sum;
}

namespace {

struct First {
  std::uint32_t hint;
  std::uint32_t end = Gate::kNone;
};

int on_first(unsigned id, unsigned long long, unsigned long long to, unsigned, void* context) noexcept {
  First& first = *static_cast<First*>(context);
  if (id != first.hint) return 0;
  first.end = static_cast<std::uint32_t>(to);
  return 1;
}

}  // namespace

std::uint32_t Gate::match(std::uint32_t hint, std::string_view text, GateScratch& scratch) const {
  First first{hint};
  const hs_database* own = hints_[hint].database.get();
  const auto status =
      scan_block(own != nullptr ? own : listed_.get(), text, scratch.hs.get(), on_first, &first);
  // Whatever stops a scan must not hide anything.
  if (status != HS_SUCCESS && status != HS_SCAN_TERMINATED) return static_cast<std::uint32_t>(text.size());
  return first.end;
}

void OctetsOfText::begin(std::string_view text) noexcept {
  text_ = text;
  if (++number_ <= 0x7fffffff) return;
  known_.fill(0);
  number_ = 1;
}

void OctetsOfText::look_up(unsigned char octet) noexcept {
  const bool there = std::memchr(text_.data(), octet, text_.size()) != nullptr;
  known_[octet] = number_ * 2 + (there ? 1u : 0u);
}

std::uint64_t Gate::matching(std::uint32_t hint, std::string_view text, std::uint64_t open,
                             GateScratch& scratch) const {
  const std::uint64_t bits = bits_[hint] & open;
  if (bits != 0) scratch.scanned_octets += text.size();
  return bits != 0 && match(hint, text, scratch) != kNone ? bits : 0;
}

std::uint64_t Gate::scan(std::string_view text, std::uint64_t wanted, GateScratch& scratch) const {
  using Answer = LocalMatcher::Answer;
  std::uint64_t found = 0;
  Answer answer = Answer::kNo;
  const std::size_t reading = (text.size() + LocalMatcher::kMaxSteps) * kFurtherReading;
  scratch.further.begin(reading);
  scratch.octets.begin(text);
  scratch.pending.clear();
  scratch.suspected.clear();
  index_.walk(
      text, scratch.factors, [&](std::uint32_t target) { return (bits_[target] & wanted & ~found) != 0; },
      [&](std::uint32_t target, std::uint32_t starts, std::size_t at) {
        if (needed_[target].count != 0 && !scratch.octets.any_of(needed_[target])) return false;
        const Stored& hint = hints_[target];
        scratch.further.of(target);
        answer = hint.local.match_from(starts, text, at, scratch.further);
        if (answer == Answer::kYes && hint.perhaps) answer = Answer::kPerhaps;
        return answer != Answer::kNo;
      },
      [&](std::uint32_t target) {
        if (target >= hints_.size()) {
          found |= bits_[target];
        } else if (target >= first_listed_) {
          scratch.suspected.push_back(target);
        } else if (answer == Answer::kYes || !hints_[target].perhaps) {
          found |= bits_[target];
        } else {
          scratch.pending.push_back(target);
        }
      });
  scratch.scanned_octets = reading - scratch.further.left();
  for (const std::uint32_t hint : unfiltered_) {
    if (hint >= first_listed_) {
      if ((bits_[hint] & wanted) != 0) scratch.suspected.push_back(hint);
    } else {
      scratch.pending.push_back(hint);
    }
  }
  for (const std::uint32_t hint : scratch.pending) found |= matching(hint, text, wanted & ~found, scratch);
  return found & wanted;
}

// What matches from a later place also matches from an earlier one, but for anchors; those leave the search
// at the last place that was seen to match.
std::uint32_t Gate::begin_of(std::uint32_t hint, std::uint32_t end, std::string_view text,
                             GateScratch& scratch) const {
  const std::string_view matched = text.substr(0, end);
  std::uint32_t good = end > kMaxSpanBytes ? end - kMaxSpanBytes : 0;
  std::uint32_t bad = static_cast<std::uint32_t>(matched.size());
  while (bad - good > 1) {
    const std::uint32_t middle = good + (bad - good) / 2;
    (match(hint, matched.substr(middle), scratch) != kNone ? good : bad) = middle;
  }
  return good;
}

}  // namespace wafd::detect
