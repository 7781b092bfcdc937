#include "console/api/routing/query_reader.h"

#include <charconv>
#include <chrono>

#include <fmt/format.h>

#include "console/base/problem.h"
#include "detect/core/bytes.h"

namespace wafd::console {
namespace {

template <class Number>
std::optional<Number> whole_number(std::string_view text) noexcept {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Takes `count` digits.
bool take_digits(std::string_view& text, std::size_t count, int& value) noexcept {
  if (text.size() < count) return false;
  value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_digit(text[i])) return false;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(count);
  return true;
}

bool take(std::string_view& text, std::string_view one_of) noexcept {
  if (text.empty() || one_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::optional<std::int64_t> parse_time_ms(std::string_view text) noexcept {
  if (const auto number = whole_number<std::int64_t>(text)) {
    if (*number < 0 || *number > (std::int64_t{1} << 52)) return std::nullopt;
    return number;
  }
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  if (!take_digits(text, 4, year) || !take(text, "-") || !take_digits(text, 2, month) || !take(text, "-") ||
      !take_digits(text, 2, day) || !take(text, "Tt ") || !take_digits(text, 2, hour) || !take(text, ":") ||
      !take_digits(text, 2, minute) || !take(text, ":") || !take_digits(text, 2, second)) {
    return std::nullopt;
  }
  std::int64_t fraction_ms = 0;
  if (take(text, ".")) {
    int digits = 0;
    for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1), ++digits) {
      if (digits < 3) fraction_ms = fraction_ms * 10 + (text.front() - '0');
    }
    if (digits == 0) return std::nullopt;
    for (; digits < 3; ++digits) fraction_ms *= 10;
  }
  int offset_minutes = 0;
  if (!take(text, "Zz")) {
    // A '+' that was not percent-encoded arrives as a space.
    const bool west = !text.empty() && text.front() == '-';
    int offset_hour = 0, offset_minute = 0;
    if (!take(text, "+- ") || !take_digits(text, 2, offset_hour) || !take(text, ":") ||
        !take_digits(text, 2, offset_minute) || offset_hour > 23 || offset_minute > 59) {
      return std::nullopt;
    }
    offset_minutes = (offset_hour * 60 + offset_minute) * (west ? -1 : 1);
  }
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!text.empty() || !date.ok() || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return (((days * 24 + hour) * 60 + minute - offset_minutes) * 60 + second) * 1000 + fraction_ms;
}

Result<void> check_query(std::string_view q) {
  std::string text(q);
  if (text.size() <= forward::EventQuery::kMaxBytes) {
    if (auto terms = take_mark_terms(text); !terms) return tl::unexpected(terms.error());
  }
  if (auto query = forward::EventQuery::parse(text); !query) return tl::unexpected(query.error());
  return {};
}

void QueryReader::refuse(std::string_view name, std::string_view expected) {
  if (refused_) return;
  refused_ = problem(kBadRequest, fmt::format("{}: expected {}", name, expected), {{"member", name}});
}

std::uint64_t QueryReader::number(std::string_view name, std::uint64_t fallback, std::uint64_t min,
                                  std::uint64_t max) {
  const auto text = target_.parameter(name);
  if (!text || text->empty()) return fallback;
  const auto value = whole_number<std::uint64_t>(*text);
  if (value && *value >= min && *value <= max) return *value;
  refuse(name, fmt::format("a whole number from {} to {}", min, max));
  return fallback;
}

std::optional<std::uint64_t> QueryReader::sequence(std::string_view name) {
  const auto text = target_.parameter(name);
  if (!text || text->empty()) return std::nullopt;
  const auto value = whole_number<std::uint64_t>(*text);
  if (!value) refuse(name, "a sequence number");
  return value;
}

std::int64_t QueryReader::time_ms(std::string_view name, std::int64_t fallback) {
  const auto text = target_.parameter(name);
  if (!text || text->empty()) return fallback;
  const auto value = parse_time_ms(*text);
  if (!value) refuse(name, "Unix milliseconds, or a time such as 2026-01-31T12:00:00Z");
  return value.value_or(fallback);
}

void QueryReader::refuse_query(const Error& error) {
  if (refused_) return;
  refused_ = problem(kBadRequest, fmt::format("q: at character {}: {}", error.offset + 1, error.what),
                     {{"member", "q"}, {"offset", error.offset}, {"expected", error.what}});
}

EventFilter QueryReader::filter() {
  EventFilter filter;
  filter.from_ms = time_ms("from", 0);
  filter.to_ms = time_ms("to", INT64_MAX);
  if (!refused_ && filter.from_ms >= filter.to_ms) refuse("to", "a time after `from`");
  std::string text(target_.parameter("q").value_or(""));
  if (marks_ && text.size() <= forward::EventQuery::kMaxBytes) {
    auto terms = take_mark_terms(text);
    if (!terms) {
      refuse_query(terms.error());
    } else {
      filter.mark_terms = *terms;
      filter.marks = marks_;
    }
  }
  auto query = forward::EventQuery::parse(text);
  if (query) {
    filter.query = std::move(*query);
  } else {
    refuse_query(query.error());
  }
  return filter;
}

}  // namespace wafd::console
