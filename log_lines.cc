#include "log_lines.h"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "detect/core/plain_text.h"

namespace wafd {
namespace {

constexpr std::int64_t kSecondUs = 1'000'000;
constexpr std::size_t kMaxRequestIdBytes = 128;
constexpr std::size_t kMaxValueBytes = 256;

std::string json_text(std::string_view text) { return boost::json::serialize(boost::json::string(text)); }

}  // namespace

LineRate::LineRate(std::int64_t per_s) noexcept : cost_us_(per_s <= 0 ? 0 : kSecondUs / per_s) {}

bool LineRate::take(std::int64_t now_us) noexcept {
  if (last_us_ >= 0)
    credit_us_ = std::min(kSecondUs, credit_us_ + std::max<std::int64_t>(0, now_us - last_us_));
  last_us_ = now_us;
  if (credit_us_ < cost_us_) {
    ++left_out_;
    return false;
  }
  credit_us_ -= cost_us_;
  return true;
}

std::uint64_t LineRate::take_left_out() noexcept { return std::exchange(left_out_, 0); }

std::string message_part(LogFormat format, std::string_view message) {
  const std::string line = plain_text_of(one_line(message));
  return format == LogFormat::kText ? line : fmt::format(R"("message":{})", json_text(line));
}

std::string event_part(LogFormat format, const EventRecord& record, std::string_view request_id) {
  const std::array<std::pair<const char*, std::string>, 8> members{{
      {"action", to_string(record.action)},
      {"event_id", record.id.text()},
      {"request_id", std::string(request_id_of(request_id))},
      {"attack_type", to_string(record.attack_type)},
      {"risk", to_string(record.risk)},
      {"rule_id", record.rule_id},
      {"site", record.site_uuid},
      {"src_ip", record.src_ip},
  }};
  std::string out = format == LogFormat::kText ? "event" : R"("message":"event")";
  for (const auto& [name, value] : members) {
    if (value.empty()) continue;
    const std::string shown = printable_ascii(value, kMaxValueBytes);
    out += format == LogFormat::kText ? fmt::format(" {}={}", name, shown)
                                      : fmt::format(R"(,"{}":{})", name, json_text(shown));
  }
  return out;
}

std::string log_line(LogFormat format, std::string_view time, std::string_view level, std::string_view part) {
  return format == LogFormat::kText
             ? fmt::format("{} {} {}\n", time, level, part)
             : fmt::format("{{\"time\":\"{}\",\"level\":\"{}\",{}}}\n", time, level, part);
}

std::string_view request_id_of(std::string_view text) noexcept {
  const bool sound = text.size() <= kMaxRequestIdBytes && std::all_of(text.begin(), text.end(), [](char c) {
                       return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                              std::string_view("-._:/+=@").find(c) != std::string_view::npos;
                     });
  return sound ? text : std::string_view();
}

}  // namespace wafd
