// A notification before it is a mail or a webhook's body.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "detect/core/error.h"
#include "forward/notify/words.h"

namespace wafd::forward {

enum class NotificationState : std::uint8_t { kBegan, kEnded, kTest, kReport };
std::string_view to_string(NotificationState state) noexcept;  // began | ended | test | report

// Holds names that people gave, ids, addresses and numbers; nothing of what attackers wrote.
struct Notification {
  std::string alert_id;  // empty: of no alert rule
  std::string alert;     // its name
  std::string when;      // to_string(AlertWhen); "test", "report"
  NotificationState state = NotificationState::kBegan;
  std::int64_t time_ms = 0;
  std::string title;               // one line
  std::vector<std::string> lines;  // more, one fact each
  std::string query;               // of the events it is about; empty: none
  std::vector<std::string> channels;
  // `title` and `lines` in Chinese; nothing where they stand in the language of their channel already.
  std::string chinese_title;
  std::vector<std::string> chinese_lines;

  void entitle(Words words);
  void add_line(Words words);
  // As a reader of that language gets it, without the other one.
  Notification in(Language language) const;

  bool operator==(const Notification&) const = default;
};

// Without `chinese_title` and `chinese_lines`.
boost::json::object to_json(const Notification& notification);
std::optional<Notification> parse_notification(const boost::json::object& object);

}  // namespace wafd::forward
