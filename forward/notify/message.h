// Notifications as text for people, as a mail (RFC 5322, 2045, 2047) and as the body of a webhook.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forward/notify/channel.h"
#include "forward/notify/notification.h"

namespace wafd::forward {

struct MessageContext {
  std::string_view node;
  std::string_view time;  // of now, RFC 3339 in the node's zone
  std::int64_t now_ms = 0;
  std::string_view id;  // of the message, hex: the same when it is tried again is not promised
  Language language = Language::kEnglish;
};

// One line: the title of the only one, else how many there are.
std::string subject_of(std::span<const Notification> notifications, std::string_view node, Language language);
// A paragraph for each.
std::string text_of(std::span<const Notification> notifications, std::string_view node, Language language);

// Head and body with CRLF line ends. Nobody's text can end a header: it is encoded where it is not ASCII.
std::string mail_message(const ChannelSettings& channel, std::span<const Notification> notifications,
                         const MessageContext& context);

struct WebhookMessage {
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string query;  // to be put behind the URL's own, without ? and &
};

// With a secret: DingTalk and Feishu sign as they say; all others get `X-Wafd-Timestamp` (Unix seconds) and
// `X-Wafd-Signature: sha256=HEX`, the HMAC-SHA-256 of "TIMESTAMP.BODY" under the secret.
WebhookMessage webhook_message(WebhookFormat format, std::string_view secret,
                               std::span<const Notification> notifications, const MessageContext& context);

// Whether the receiver took it, as far as status and body of its answer say: some answer 200 with an error
// code inside. Else one line that holds nothing of the body but that code.
std::string webhook_refusal(WebhookFormat format, long status, std::string_view body);

}  // namespace wafd::forward
