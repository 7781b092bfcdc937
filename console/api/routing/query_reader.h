// Reads query parameters: numbers, times and the event filter; the first thing that is wrong becomes an
// answer of 400.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "console/base/http.h"
#include "console/base/target.h"
#include "console/events/search.h"
#include "detect/core/error.h"

namespace wafd::console {

// Unix time in ms from "1700000000000" or RFC 3339 text ("2026-01-31T12:00:00.5Z", "…+02:00").
std::optional<std::int64_t> parse_time_ms(std::string_view text) noexcept;

// Whether `q` is a query that filter() takes, `is:` terms too; the error's offset is in `q`.
Result<void> check_query(std::string_view q);

class QueryReader {
 public:
  // `marks`: what `is:` terms ask; without them they are fields like any other, which do not exist.
  explicit QueryReader(const Target& target, std::shared_ptr<const Marks> marks = nullptr)
      : target_(target), marks_(std::move(marks)) {}

  std::uint64_t number(std::string_view name, std::uint64_t fallback, std::uint64_t min, std::uint64_t max);
  std::optional<std::uint64_t> sequence(std::string_view name);
  std::int64_t time_ms(std::string_view name, std::int64_t fallback);
  EventFilter filter();  // of q, from, to

  std::optional<HttpResponse>& refused() noexcept { return refused_; }

 private:
  void refuse(std::string_view name, std::string_view expected);

  void refuse_query(const Error& error);

  const Target& target_;
  std::shared_ptr<const Marks> marks_;
  std::optional<HttpResponse> refused_;
};

}  // namespace wafd::console
