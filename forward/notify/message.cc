#include "forward/notify/message.h"

#include <algorithm>

#include <fmt/format.h>

#include "detect/core/bytes.h"
#include "detect/core/plain_text.h"
#include "forward/notify/digests.h"

namespace wafd::forward {
namespace {

bool plain_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return byte(c) >= 0x20 && byte(c) < 0x7f; });
}

// RFC 2047: words of at most 75 characters, each of whole UTF-8 sequences.
std::string encoded_words(std::string_view text) {
  constexpr std::size_t kMaxBytesInWord = 42;  // 56 of base64, and 12 around it
  if (plain_ascii(text)) return std::string(text);
  std::string out;
  while (!text.empty()) {
    std::size_t size = std::min(text.size(), kMaxBytesInWord);
    while (size < text.size() && size > 1 && (byte(text[size]) & 0xc0) == 0x80) --size;
    if (!out.empty()) out += "\r\n ";
    out += "=?UTF-8?B?" + base64(text.substr(0, size)) + "?=";
    text.remove_prefix(size);
  }
  return out;
}

// "2026-01-31T13:05:09.123+01:00" as "31 Jan 2026 13:05:09 +0100" (RFC 5322 section 3.3).
std::string mail_date(std::string_view rfc3339) {
  static constexpr std::string_view kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                 "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  if (rfc3339.size() < 25) return "";
  const auto month =
      static_cast<std::size_t>(rfc3339[5] - '0') * 10 + static_cast<std::size_t>(rfc3339[6] - '0');
  if (month < 1 || month > 12) return "";
  const std::string_view offset = rfc3339.substr(rfc3339.size() - 6);
  return fmt::format("{} {} {} {} {}{}", rfc3339.substr(8, 2), kMonths[month - 1], rfc3339.substr(0, 4),
                     rfc3339.substr(11, 8), offset.substr(0, 3), offset.substr(4, 2));
}

Words mark_of(NotificationState state) {
  if (state == NotificationState::kBegan) return say("[alert] ");
  return state == NotificationState::kEnded ? say("[over] ") : Words();
}

}  // namespace

std::string subject_of(std::span<const Notification> notifications, std::string_view node,
                       Language language) {
  if (notifications.size() == 1)
    return one_line(
        say("wafd {}: {}{}", node, mark_of(notifications[0].state), notifications[0].title).in(language));
  const auto began = std::count_if(notifications.begin(), notifications.end(), [](const Notification& one) {
    return one.state == NotificationState::kBegan;
  });
  return one_line(
      say("wafd {}: {} notifications, {} of them alerts", node, notifications.size(), began).in(language));
}

std::string text_of(std::span<const Notification> notifications, std::string_view node, Language language) {
  std::string out;
  for (const Notification& one : notifications) {
    if (!out.empty()) out += '\n';
    out += mark_of(one.state).in(language) + one_line(one.title) + '\n';
    for (const std::string& line : one.lines) out += "  " + one_line(line) + '\n';
  }
  out += '\n' + say("Node: {}", one_line(node)).in(language) + '\n';
  return out;
}

std::string mail_message(const ChannelSettings& channel, std::span<const Notification> notifications,
                         const MessageContext& context) {
  std::string to;
  for (const std::string& recipient : channel.recipients) to += (to.empty() ? "" : ",\r\n ") + recipient;
  const std::string_view domain =
      std::string_view(channel.sender)
          .substr(std::min(channel.sender.find('@'), channel.sender.size() - 1) + 1);
  std::string out = fmt::format(
      "From: wafd <{}>\r\nTo: {}\r\nSubject: {}\r\nDate: {}\r\nMessage-ID: <{}@{}>\r\n"
      "Auto-Submitted: auto-generated\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n"
      "Content-Transfer-Encoding: base64\r\n\r\n",
      channel.sender, to, encoded_words(subject_of(notifications, context.node, context.language)),
      mail_date(context.time), context.id, domain);
  std::string text;
  for (const char c : text_of(notifications, context.node, context.language))
    text += c == '\n' ? "\r\n" : std::string(1, c);
  constexpr std::size_t kLine = 76;
  const std::string encoded = base64(text);
  for (std::size_t at = 0; at < encoded.size(); at += kLine) out += encoded.substr(at, kLine) + "\r\n";
  return out;
}

}  // namespace wafd::forward
