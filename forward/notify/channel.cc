#include "forward/notify/channel.h"

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "detect/core/bytes.h"
#include "files/given_text.h"
#include "forward/notify/web_address.h"
#include "forward/target/target_settings.h"

namespace wafd::forward {
namespace {

namespace json = boost::json;
using Channel = ChannelSettings;

constexpr std::int64_t kMaxPemBytes = 64 << 10;
constexpr std::int64_t kMaxSecretBytes = 1024;
constexpr std::int64_t kMaxUrlBytes = 2048;
constexpr std::int64_t kMaxAddressBytes = 254;  // RFC 5321 section 4.5.3.1.3, without the brackets
constexpr std::int64_t kMaxGroupS = 86'400;

constexpr Choice<ChannelKind> kKinds[] = {{"mail", ChannelKind::kMail}, {"webhook", ChannelKind::kWebhook}};
constexpr Choice<MailSecurity> kSecurity[] = {
    {"none", MailSecurity::kNone}, {"starttls", MailSecurity::kStartTls}, {"tls", MailSecurity::kTls}};
constexpr Choice<Language> kLanguages[] = {{"en", Language::kEnglish}, {"zh-CN", Language::kChinese}};
constexpr Choice<WebhookFormat> kFormats[] = {
    {"json", WebhookFormat::kJson},   {"slack", WebhookFormat::kSlack},
    {"teams", WebhookFormat::kTeams}, {"dingtalk", WebhookFormat::kDingTalk},
    {"wecom", WebhookFormat::kWeCom}, {"feishu", WebhookFormat::kFeishu}};

// A mailbox as it stands in SMTP commands and headers: no quoting, no comments, nothing that ends a line.
bool valid_mailbox(std::string_view text) {
  const std::size_t at = text.rfind('@');
  if (at == std::string_view::npos || at == 0 || at > 64) return false;
  const std::string_view local = text.substr(0, at);
  const bool sound = std::all_of(local.begin(), local.end(), [](char c) {
    return is_alnum(c) || std::string_view("!#$%&'*+-/=?^_`{|}~.").find(c) != std::string_view::npos;
  });
  return sound && !local.starts_with('.') && !local.ends_with('.') &&
         local.find("..") == std::string_view::npos && valid_host(text.substr(at + 1));
}

void check_sender(ObjectReader& in, Channel& c) {
  if (!c.sender.empty() && !valid_mailbox(c.sender))
    in.refuse("sender", "an address such as wafd@example.org");
}

void check_recipients(ObjectReader& in, Channel& c) {
  for (std::size_t i = 0; in.ok() && i < c.recipients.size(); ++i)
    if (!valid_mailbox(c.recipients[i]))
      in.fail_with(fmt::format("recipients[{}]: expected an address such as team@example.org", i));
}

void check_url(ObjectReader& in, Channel& c) {
  if (!c.url.empty() && !parse_web_address(c.url))
    in.fail_with("url: expected http:// or https://, a host and a path, without a user name or fragment");
}

void check_ca(ObjectReader& in, Channel& c) {
  if (!c.ca.empty() && !names_file(c.ca) && !c.ca.starts_with("-----BEGIN "))
    in.fail_with("ca: expected PEM text (-----BEGIN ...) or file:/PATH");
}

template <std::string Channel::*M>
void check_time(ObjectReader& in, Channel& c, std::string_view name) {
  if (!(c.*M).empty() && !minute_of_day(c.*M)) in.refuse(name, "a time such as 22:00, or nothing");
}

// A secret ends where a line ends: nothing may be put behind it.
template <std::string Channel::*M>
void check_line(ObjectReader& in, Channel& c, std::string_view name) {
  const bool sound =
      std::all_of((c.*M).begin(), (c.*M).end(), [](char ch) { return byte(ch) >= 0x20 && byte(ch) != 0x7f; });
  if (!sound) in.fail_with(fmt::format("{}: expected text without control characters", name));
}

json::value origin_json(const Channel& c) {
  const auto address = parse_web_address(c.url);
  return json::value(address ? address->origin() : std::string());
}

constexpr ObjectRow<Channel> kChannel[] = {
    rows::text<&Channel::id>("id", 1, 64, {"Made by wafd."}).made_by(MadeBy::kCaller),
    rows::plain<&Channel::name>("name", 1, 128, false, {"What people call it."}),
    rows::boolean<&Channel::enabled>("enabled", {"Whether anything is sent there."}),
    rows::word<&Channel::kind, kKinds>("kind", "", {"A mail server, or a webhook."}),
    rows::text<&Channel::host>("host", 0, 253, {"mail: name or address of the server."})
        .checked([](ObjectReader& in, Channel& c) {
          if (!c.host.empty() && !valid_host(c.host)) in.refuse("host", "a host name or an address");
        }),
    rows::integer<&Channel::port>("port", 1, 65535, {"mail: unless set 587, 465 with tls, 25 with none."}),
    rows::word<&Channel::security, kSecurity>(
        "security", "",
        {"mail: starttls: nothing is sent before the connection is encrypted; tls: from its beginning."}),
    rows::text<&Channel::username>("username", 0, 256, {"mail: empty: without authentication."})
        .checked([](ObjectReader& in, Channel& c) { check_line<&Channel::username>(in, c, "username"); }),
    rows::text<&Channel::password>("password", 0, kMaxSecretBytes,
                                   {"mail: of the user, or file:/PATH; never answered."})
        .checked([](ObjectReader& in, Channel& c) { check_line<&Channel::password>(in, c, "password"); })
        .secret(),
    rows::answered<Channel>("password_set", R"({"type": "boolean", "readOnly": true})",
                            {"Whether there is a password."}),
    rows::text<&Channel::sender>("sender", 0, kMaxAddressBytes, {"mail: the address it comes from."})
        .checked(check_sender),
    rows::texts<&Channel::recipients>("recipients", kMaxRecipients, 1, kMaxAddressBytes,
                                      {"mail: the addresses it goes to."})
        .checked(check_recipients),
    rows::text<&Channel::url>("url", 0, kMaxUrlBytes,
                              {"webhook: where it is posted; never answered, for it often is a secret."})
        .checked(check_url)
        .secret(),
    rows::answered<Channel>("url_set", R"({"type": "boolean", "readOnly": true})",
                            {"Whether there is a URL."}),
    rows::answered<Channel>("origin", R"({"type": "string", "readOnly": true})",
                            published("webhook: scheme, host and port of the URL.")),
    rows::word<&Channel::format, kFormats>("format", "", {"webhook: the form of what is posted."}),
    rows::text<&Channel::secret>(
        "secret", 0, kMaxSecretBytes,
        {"webhook: key of the signature (HMAC-SHA-256), or file:/PATH; empty: none; never answered."})
        .checked([](ObjectReader& in, Channel& c) { check_line<&Channel::secret>(in, c, "secret"); })
        .secret(),
    rows::answered<Channel>("secret_set", R"({"type": "boolean", "readOnly": true})",
                            {"Whether there is a secret."}),
    rows::word<&Channel::language, kLanguages>("language", "", {"What its readers read."}),
    rows::boolean<&Channel::verify>("verify", {"Whether the receiver's certificate must be good."}),
    rows::text<&Channel::ca>("ca", 0, kMaxPemBytes,
                             {"Who may have signed it: PEM text or file:/PATH; empty: the system's."})
        .checked(check_ca),
    rows::integer<&Channel::group_s>(
        "group_s", 0, kMaxGroupS,
        published("Seconds that a notification waits for others, which then go in one message."))
        .range_published(),
    rows::text<&Channel::quiet_from>("quiet_from", 0, 5,
                                     published("HH:MM in the node's time zone. From then to quiet_to nothing "
                                               "is sent; it waits. Empty: never quiet."))
        .checked([](ObjectReader& in, Channel& c) { check_time<&Channel::quiet_from>(in, c, "quiet_from"); }),
    rows::text<&Channel::quiet_to>("quiet_to", 0, 5, {"HH:MM, the end of the quiet time."})
        .checked([](ObjectReader& in, Channel& c) { check_time<&Channel::quiet_to>(in, c, "quiet_to"); }),
    rows::boolean<&Channel::tell_end>("tell_end", {"Whether it is told that an alert has ended."}),
    rows::boolean<&Channel::weekly_report>(
        "weekly_report", {"Whether the report of the week is sent there, on Mondays from 08:00."}),
    rows::answered<Channel>("etag", R"({"type": "string", "readOnly": true})",
                            {"Of the answer; sent back as If-Match."}),
};

struct Secret {
  std::string_view name;
  std::string Channel::*member;
};
constexpr Secret kSecrets[] = {
    {"password", &Channel::password}, {"url", &Channel::url}, {"secret", &Channel::secret}};

int default_port(MailSecurity security) noexcept {
  if (security == MailSecurity::kTls) return 465;
  return security == MailSecurity::kStartTls ? 587 : 25;
}

void check_mail(ObjectReader& in, const Channel& c) {
  if (c.host.empty()) in.fail_with("host: expected the mail server's name or address");
  if (c.sender.empty()) in.fail_with("sender: expected an address such as wafd@example.org");
  if (c.recipients.empty()) in.fail_with("recipients: expected at least one address");
  if (!c.username.empty() && c.security == MailSecurity::kNone)
    in.fail_with("security: expected starttls or tls, else the password could be read on the way");
  if (!c.username.empty() && c.password.empty())
    in.fail_with("password: expected one, because there is a username");
}

void check_all(ObjectReader& in, const Channel& c) {
  if (c.kind == ChannelKind::kMail) check_mail(in, c);
  if (c.kind == ChannelKind::kWebhook && c.url.empty()) in.fail_with("url: expected where it is posted");
  if (c.quiet_from.empty() != c.quiet_to.empty())
    in.fail_with(c.quiet_to.empty() ? "quiet_to: expected a time, because quiet_from has one"
                                    : "quiet_from: expected a time, because quiet_to has one");
}

void keep_secrets(ObjectReader& in, const json::object& object, Channel& c, const Channel& previous) {
  for (const Secret& secret : kSecrets)
    if (!is_set(object, secret.name)) c.*secret.member = previous.*secret.member;
  const std::string changed = changed_destination(previous, c);
  if (changed.empty()) return;
  for (const Secret& secret : kSecrets) {
    const bool used = (secret.name == "password") == (c.kind == ChannelKind::kMail);
    if (is_set(object, secret.name) || (c.*secret.member).empty()) continue;
    if (used)
      return in.fail_with(
          fmt::format("{}: expected again, because {} is not as it was saved with", secret.name, changed));
    (c.*secret.member).clear();  // of the other kind, and nobody could see it any more
  }
}

}  // namespace

std::string_view to_string(ChannelKind kind) noexcept { return rows::name_of<ChannelKind>(kKinds, kind); }

std::optional<int> minute_of_day(std::string_view text) {
  if (text.size() != 5 || text[2] != ':') return std::nullopt;
  for (const std::size_t at : {0u, 1u, 3u, 4u})
    if (!is_digit(text[at])) return std::nullopt;
  const int hours = (text[0] - '0') * 10 + (text[1] - '0');
  const int minutes = (text[3] - '0') * 10 + (text[4] - '0');
  if (hours > 23 || minutes > 59) return std::nullopt;
  return hours * 60 + minutes;
}

bool quiet_at(const Channel& channel, int minute) noexcept {
  const auto from = minute_of_day(channel.quiet_from), to = minute_of_day(channel.quiet_to);
  if (!from || !to || *from == *to) return false;
  return *from < *to ? minute >= *from && minute < *to : minute >= *from || minute < *to;
}

std::string changed_destination(const Channel& before, const Channel& after) {
  if (after.kind != before.kind) return "kind";
  if (after.kind == ChannelKind::kMail) {
    if (after.host != before.host) return "host";
    if (after.port != before.port) return "port";
    if (after.security != before.security) return "security";
  } else {
    const auto a = parse_web_address(before.url), b = parse_web_address(after.url);
    if (!a || !b || a->origin() != b->origin()) return "url";
  }
  if (after.verify != before.verify) return "verify";
  if (after.ca != before.ca) return "ca";
  return "";
}

Result<Channel> parse_channel(const json::object& object, const Channel* previous) {
  Channel c;
  ObjectReader in(object);
  in.ignore("id");
  if (const json::value* id = object.if_contains("id"); id != nullptr && id->is_string())
    c.id.assign(id->get_string().data(), id->get_string().size());
  in.require("name").require("kind");
  read_rows_with_secrets(in, object, kChannel, c);
  if (!is_set(object, "port")) c.port = default_port(c.security);
  if (in.ok() && previous != nullptr) keep_secrets(in, object, c, *previous);
  if (in.ok()) check_all(in, c);
  if (auto good = in.finish(); !good) return tl::unexpected(good.error());
  return c;
}

json::object to_json(const Channel& c, bool with_secrets) {
  json::object out = write_rows(kChannel, c);
  if (with_secrets) return out;
  for (const Secret& secret : kSecrets) hide_secret(out, secret.name);
  out["origin"] = origin_json(c);
  return out;
}

ObjectDescription describe_channel() { return describe_rows(kChannel, false); }

}  // namespace wafd::forward
