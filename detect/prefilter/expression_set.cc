#include "detect/prefilter/expression_set.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <hs/hs.h>

#include "detect/prefilter/expression_states.h"

#ifdef WAFD_HAVE_COREI7_HS_SCAN
extern "C" hs_error_t HS_CDECL corei7_hs_scan(const hs_database_t* database, const char* data,
                                              unsigned length, unsigned flags, hs_scratch_t* scratch,
                                              match_event_handler on_match, void* context);
#endif

namespace wafd::detect {
namespace {

constexpr unsigned kFlags = HS_FLAG_CASELESS | HS_FLAG_DOTALL | HS_FLAG_MULTILINE | HS_FLAG_SINGLEMATCH;

// Vectorscan 5.4.9 (Debian 12) loses matches on processors with AVX-512: its double-byte accelerators for
// 64-byte vectors are wrong at their ends (repaired upstream in 2026). The library holds its scanner once for
// each generation of processors, so the one for SSE4.2, our baseline, is called by its name. It is the same
// on all machines.
int scan_block(const hs_database* database, std::string_view text, hs_scratch* scratch,
               match_event_handler on_match, void* context) noexcept {
  // Vectorscan takes an unsigned int; requests are far smaller (the listeners' limits).
  const auto size = static_cast<unsigned>(std::min<std::size_t>(text.size(), 0xffffffffu));
#ifdef WAFD_HAVE_COREI7_HS_SCAN
  return corei7_hs_scan(database, text.data(), size, 0, scratch, on_match, context);
#else
  return hs_scan(database, text.data(), size, 0, scratch, on_match, context);
#endif
}

struct Report {
  ExpressionSet::Found found;
  void* context;
};
int HS_CDECL report(unsigned id, unsigned long long, unsigned long long end, unsigned, void* context) {
  const auto& to = *static_cast<const Report*>(context);
  to.found(to.context, id, static_cast<std::size_t>(end));
  return 0;
}

struct Sought {
  unsigned expression;
  bool matches = false;
};
int HS_CDECL is_sought(unsigned id, unsigned long long, unsigned long long, unsigned, void* context) {
  auto& sought = *static_cast<Sought*>(context);
  sought.matches = sought.matches || id == sought.expression;
  return sought.matches ? 1 : 0;
}

}  // namespace

void HsDatabaseFree::operator()(hs_database* database) const noexcept { hs_free_database(database); }
void HsScratchFree::operator()(hs_scratch* scratch) const noexcept { hs_free_scratch(scratch); }

bool has_buffer_anchor(std::string_view expression) noexcept {
  for (std::size_t i = 0; i + 1 < expression.size(); ++i) {
    if (expression[i] != '\\') continue;
    ++i;
    if (std::string_view("AzZG").find(expression[i]) != std::string_view::npos) return true;
  }
  return false;
}

namespace {

Result<void> check_states(std::string_view expression, std::size_t index) {
  const std::uint32_t states = expression_states(expression);
  if (states <= kMaxExpressionStates) return {};
  return fail(
      ErrorCode::kInvalid,
      fmt::format("it has {} states, expected at most {}: make its bounded repeats smaller, or use * and +",
                  states, kMaxExpressionStates),
      index);
}

}  // namespace

Result<void> ExpressionSet::look_at(std::string_view expression) {
  if (auto bounded = check_states(expression, 0); !bounded) return bounded;
  hs_expr_info_t* info = nullptr;
  hs_compile_error* error = nullptr;
  if (hs_expression_info(std::string(expression).c_str(), kFlags, &info, &error) != HS_SUCCESS) {
    Error out{ErrorCode::kInvalid, 0, error->message};
    hs_free_compile_error(error);
    return tl::unexpected<Error>(std::move(out));
  }
  const bool empty = info->min_width == 0;
  std::free(info);  // NOLINT: the library's allocator is malloc
  if (empty) return fail(ErrorCode::kInvalid, "Pattern matches empty buffer");
  return {};
}

Result<ExpressionSet> ExpressionSet::build(std::span<const std::string_view> expressions,
                                           const SetSource& source) {
  ExpressionSet made;
  if (expressions.empty()) return made;
  for (std::size_t i = 0; i < expressions.size(); ++i)
    if (auto bounded = check_states(expressions[i], i); !bounded)
      return tl::unexpected<Error>(bounded.error());
  const std::string key = source.known != nullptr || source.made != nullptr || !source.compile
                              ? CompiledSets::key_of(expressions)
                              : std::string();
  if (const std::string* known = source.known == nullptr ? nullptr : source.known->find(key)) {
    hs_database* read = nullptr;
    if (hs_deserialize_database(known->data(), known->size(), &read) == HS_SUCCESS) {
      made.database_.reset(read);
      if (source.made != nullptr) source.made->keep(key, *known);
      return made;
    }
  }
  if (!source.compile) return fail(ErrorCode::kUnknown, "expressions that are not compiled yet");
  const std::vector<std::string> texts(expressions.begin(), expressions.end());
  std::vector<const char*> pointers;
  std::vector<unsigned> ids;
  for (const std::string& text : texts) {
    ids.push_back(static_cast<unsigned>(pointers.size()));
    pointers.push_back(text.c_str());
  }
  const std::vector<unsigned> flags(texts.size(), kFlags);
  hs_database* database = nullptr;
  hs_compile_error* error = nullptr;
  // No more than our baseline, so that the same database is made everywhere.
  hs_platform_info_t platform{};
  platform.tune = HS_TUNE_FAMILY_GENERIC;
  if (hs_compile_multi(pointers.data(), flags.data(), ids.data(), static_cast<unsigned>(pointers.size()),
                       HS_MODE_BLOCK, &platform, &database, &error) != HS_SUCCESS) {
    const std::size_t index = error->expression >= 0 ? static_cast<std::size_t>(error->expression) : 0;
    Error out{ErrorCode::kInvalid, index, error->message};
    hs_free_compile_error(error);
    return tl::unexpected<Error>(std::move(out));
  }
  made.database_.reset(database);
  if (source.made != nullptr) {
    char* bytes = nullptr;
    std::size_t size = 0;
    if (hs_serialize_database(database, &bytes, &size) == HS_SUCCESS) {
      source.made->keep(key, std::string(bytes, size));
      std::free(bytes);  // NOLINT: the library's allocator is malloc
    }
  }
  return made;
}

bool ExpressionSet::allocate(HsScratch& scratch) const {
  if (database_ == nullptr) return true;
  hs_scratch* grown = scratch.release();
  const bool done = hs_alloc_scratch(database_.get(), &grown) == HS_SUCCESS;
  scratch.reset(grown);
  return done;
}

bool ExpressionSet::scan(std::string_view text, hs_scratch* scratch, Found found,
                         void* context) const noexcept {
  if (database_ == nullptr) return true;
  Report to{found, context};
  return scan_block(database_.get(), text, scratch, report, &to) == HS_SUCCESS;
}

// A match from a later place is also one from an earlier place, but for anchors; those leave the search
// at the last place that was seen to match.
std::size_t ExpressionSet::begin_of(std::uint32_t expression, std::size_t end, std::string_view text,
                                    hs_scratch* scratch) const noexcept {
  const std::string_view matched = text.substr(0, end);
  std::size_t good = end > kMaxSpanBytes ? end - kMaxSpanBytes : 0;
  std::size_t bad = matched.size();
  while (bad - good > 1) {
    const std::size_t middle = good + (bad - good) / 2;
    Sought sought{expression};
    scan_block(database_.get(), matched.substr(middle), scratch, is_sought, &sought);
    (sought.matches ? good : bad) = middle;
  }
  return good;
}

std::size_t ExpressionSet::table_bytes() const noexcept {
  std::size_t size = 0;
  if (database_ != nullptr) hs_database_size(database_.get(), &size);
  return size;
}

}  // namespace wafd::detect
