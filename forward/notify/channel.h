// Where notifications go as people configure it: a mail server with recipients, or a webhook.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "detect/core/error.h"
#include "forward/notify/words.h"
#include "json/object_rows.h"

namespace wafd::forward {

enum class ChannelKind : std::uint8_t { kMail, kWebhook };
enum class MailSecurity : std::uint8_t { kNone, kStartTls, kTls };
enum class WebhookFormat : std::uint8_t { kJson, kSlack, kTeams, kDingTalk, kWeCom, kFeishu };

struct ChannelSettings {
  std::string id;  // made by us
  std::string name;
  bool enabled = true;
  ChannelKind kind = ChannelKind::kMail;
  // Mail.
  std::string host;
  int port = 587;  // unless given, that of `security`: 587, 465, 25
  MailSecurity security = MailSecurity::kStartTls;
  std::string username;  // empty: no authentication
  std::string password;  // or file:/PATH; never answered
  std::string sender;
  std::vector<std::string> recipients;
  // Webhook.
  std::string url;  // often a secret itself: never answered
  WebhookFormat format = WebhookFormat::kJson;
  std::string secret;  // of the signature, or file:/PATH; never answered
  // Both.
  Language language = Language::kEnglish;
  bool verify = true;
  std::string ca;  // PEM text or file:/PATH; empty: the system's
  std::int64_t group_s = 60;
  std::string quiet_from;  // "22:00", in the node's time zone; empty: never quiet
  std::string quiet_to;
  bool tell_end = true;
  bool weekly_report = false;
};

inline constexpr std::size_t kMaxChannels = 32;
inline constexpr std::size_t kMaxRecipients = 50;

// Reads a channel object. What `previous` has of `password`, `secret` and `url` is kept where the member is
// absent, but only for the destination and protection it was saved with: else it is an error of its own,
// "password: expected again, because host is not as it was saved with". Errors name the member.
Result<ChannelSettings> parse_channel(const boost::json::object& object,
                                      const ChannelSettings* previous = nullptr);

// All members; without secrets `password_set`, `secret_set` and `url_set` say whether there is one, and
// `origin` where the URL leads.
boost::json::object to_json(const ChannelSettings& channel, bool with_secrets);

ObjectDescription describe_channel();

// The member whose change takes `after` elsewhere than `before`, or there with less or other protection.
std::string changed_destination(const ChannelSettings& before, const ChannelSettings& after);

std::string_view to_string(ChannelKind kind) noexcept;

// Minutes since midnight of "HH:MM".
std::optional<int> minute_of_day(std::string_view text);
// Whether `minute` of the day is in the channel's quiet time, which may go over midnight.
bool quiet_at(const ChannelSettings& channel, int minute) noexcept;

}  // namespace wafd::forward
