#include "forward/format/zone_time.h"

#include <array>
#include <exception>

#include <date/tz.h>
#include <fmt/format.h>

namespace wafd::forward {
namespace {

constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                 "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

void append_digits(std::int64_t value, int width, std::string& out) {
  char digits[8];
  for (int i = width - 1; i >= 0; --i, value /= 10) digits[i] = static_cast<char>('0' + value % 10);
  out.append(digits, static_cast<std::size_t>(width));
}

}  // namespace

Result<ZoneTime> ZoneTime::of(std::string_view zone) {
  ZoneTime result;
  if (zone.empty() || zone == "UTC") return result;
  try {
    result.zone_ = date::locate_zone(std::string(zone));
  } catch (const std::exception&) {  // unknown name, or no time zone data on this machine
    return fail(ErrorCode::kUnknown, fmt::format("time_zone: no such zone \"{}\" on this machine", zone));
  }
  return result;
}

void ZoneTime::load(std::int64_t second) {
  if (zone_ && (second < offset_from_ || second >= offset_to_)) {
    const auto info = zone_->get_info(date::sys_seconds{std::chrono::seconds{second}});
    offset_from_ = info.begin.time_since_epoch().count();
    offset_to_ = info.end.time_since_epoch().count();
    offset_s_ = info.offset.count();
  }
  const date::sys_seconds local{std::chrono::seconds{second + offset_s_}};
  const auto day = date::floor<date::days>(local);
  const date::year_month_day ymd{day};
  const date::hh_mm_ss<std::chrono::seconds> hms{local - day};
  const auto h = hms.hours().count(), m = hms.minutes().count(), s = hms.seconds().count();
  seconds_ = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(ymd.year()),
                         static_cast<unsigned>(ymd.month()), static_cast<unsigned>(ymd.day()), h, m, s);
  bsd_ = fmt::format("{} {:>2} {:02}:{:02}:{:02}", kMonths[static_cast<unsigned>(ymd.month()) - 1],
                     static_cast<unsigned>(ymd.day()), h, m, s);
  const std::int64_t minutes = (offset_s_ < 0 ? -offset_s_ : offset_s_) / 60;
  offset_ = fmt::format("{}{:02}:{:02}", offset_s_ < 0 ? '-' : '+', minutes / 60, minutes % 60);
  cached_second_ = second;
}

void ZoneTime::append_rfc3339(std::int64_t unix_us, int precision, std::string& out) {
  std::int64_t second = unix_us / 1'000'000, micros = unix_us % 1'000'000;
  if (micros < 0) micros += 1'000'000, --second;
  if (second != cached_second_) load(second);
  out += seconds_;
  out += '.';
  if (precision == 6)
    append_digits(micros, 6, out);
  else
    append_digits(micros / 1000, 3, out);
  out += offset_;
}

void ZoneTime::append_rfc3164(std::int64_t unix_us, std::string& out) {
  std::int64_t second = unix_us / 1'000'000;
  if (unix_us % 1'000'000 < 0) --second;
  if (second != cached_second_) load(second);
  out += bsd_;
}

}  // namespace wafd::forward
