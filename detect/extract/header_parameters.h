// Parameters of a header value (RFC 9110 section 5.6.6, RFC 2183, RFC 2231), in every way in which some
// reader takes them: readers differ in quotes, escapes, white space, duplicates and continuations.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "detect/extract/arena.h"

namespace wafd::detect {

struct Parameter {
  std::string_view name;     // as it stands, without the marks of RFC 2231
  std::string_view value;    // without quotes; escapes as they stand
  std::string_view charset;  // of an extended value (name*=charset'language'value)
  bool extended = false;     // `value` is percent-encoded
};

// Keeps its buffers. One thread at a time.
class HeaderParameters {
 public:
  void clear() noexcept { all_.clear(), regular_ = true, full_ = false; }
  // Adds what stands behind the first semicolon of `value`, which may be folded over lines. Joined
  // continuations live in `arena`.
  void read(std::string_view value, Arena& arena);

  // In the order of the values, each reading once; full(): some were left out.
  std::span<const Parameter> all() const noexcept { return all_; }
  // Every reader takes all values since clear() alike: tokens and quoted strings without escapes, nothing
  // twice.
  bool regular() const noexcept { return regular_ && !full_; }
  bool full() const noexcept { return full_; }
  // The first of that name without case; null: there is none.
  const Parameter* find(std::string_view name) const noexcept;

 private:
  static constexpr std::size_t kMaxParameters = 64;

  void add(const Parameter& parameter);
  void read_pairs(std::string_view text, bool quotes);
  void read_pair(std::string_view pair, bool quotes);
  void join_continuations(std::size_t first, Arena& arena);

  std::vector<Parameter> all_;
  bool regular_ = true;
  bool full_ = false;
};

}  // namespace wafd::detect
