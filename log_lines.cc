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
constexpr char kBetween = '\x1f';  // in no member: they are printable

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

LogLine message_line(std::string_view message) { return {plain_text_of(one_line(message))}; }

LogLine event_line(const EventRecord& record, std::string_view request_id) {
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
  LogLine out{"event"};
  out.members.reserve(members.size());
  for (const auto& [name, value] : members)
    if (!value.empty()) out.members.emplace_back(name, printable_ascii(value, kMaxValueBytes));
  return out;
}

std::string packed(const LogLine& line) {
  std::string out = line.message;
  for (const auto& [name, value] : line.members)
    out.append(1, kBetween).append(name).append(1, kBetween).append(value);
  return out;
}

LogLine unpacked(std::string_view text) {
  const auto next = [&] {
    const std::size_t end = std::min(text.find(kBetween), text.size());
    std::string part(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    return part;
  };
  LogLine out{next()};
  while (!text.empty()) {
    std::string name = next();
    out.members.emplace_back(std::move(name), next());
  }
  return out;
}

std::string line_part(LogFormat format, const LogLine& line) {
  const bool text = format == LogFormat::kText;
  std::string out = text ? line.message : fmt::format(R"("message":{})", json_text(line.message));
  for (const auto& [name, value] : line.members)
    out += text ? fmt::format(" {}={}", name, value) : fmt::format(R"(,"{}":{})", name, json_text(value));
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
