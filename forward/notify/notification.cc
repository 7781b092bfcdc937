#include "forward/notify/notification.h"

#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include "json/object_reader.h"

namespace wafd::forward {
namespace {

namespace json = boost::json;

constexpr Choice<NotificationState> kStates[] = {{"began", NotificationState::kBegan},
                                                 {"ended", NotificationState::kEnded},
                                                 {"test", NotificationState::kTest},
                                                 {"report", NotificationState::kReport}};
constexpr std::size_t kMaxText = 4096;

}  // namespace

std::string_view to_string(NotificationState state) noexcept {
  for (const auto& choice : kStates)
    if (choice.value == state) return choice.name;
  return "";
}

void Notification::entitle(Words words) {
  title = std::move(words.english);
  chinese_title = std::move(words.chinese);
}

void Notification::add_line(Words words) {
  lines.push_back(std::move(words.english));
  chinese_lines.push_back(std::move(words.chinese));
}

Notification Notification::in(Language language) const {
  Notification out = *this;
  if (language == Language::kChinese && !chinese_title.empty()) {
    out.title = std::move(out.chinese_title);
    out.lines = std::move(out.chinese_lines);
  }
  out.chinese_title.clear();
  out.chinese_lines.clear();
  return out;
}

json::object to_json(const Notification& n) {
  return {{"alert_id", n.alert_id},
          {"alert", n.alert},
          {"when", n.when},
          {"state", to_string(n.state)},
          {"time_ms", n.time_ms},
          {"title", n.title},
          {"lines", json::array(n.lines.begin(), n.lines.end())},
          {"query", n.query},
          {"channels", json::array(n.channels.begin(), n.channels.end())}};
}

std::optional<Notification> parse_notification(const json::object& object) {
  Notification n;
  ObjectReader in(object);
  const auto state = [](std::string_view text) -> std::optional<NotificationState> {
    for (const auto& choice : kStates)
      if (choice.name == text) return choice.value;
    return std::nullopt;
  };
  in.text("alert_id", n.alert_id, 0, kMaxText)
      .text("alert", n.alert, 0, kMaxText)
      .text("when", n.when, 0, kMaxText)
      .choice("state", n.state, state, "a state")
      .integer("time_ms", n.time_ms, 0, std::int64_t{1} << 52)
      .text("title", n.title, 0, kMaxText)
      .texts("lines", n.lines, 1000, 0, kMaxText)
      .text("query", n.query, 0, kMaxText)
      .texts("channels", n.channels, 100, 0, 64);
  if (!in.finish()) return std::nullopt;
  return n;
}

}  // namespace wafd::forward
