// The bodies that chat services take, each as its service documents incoming webhooks.
#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "detect/core/bytes.h"
#include "forward/notify/digests.h"
#include "forward/notify/message.h"

namespace wafd::forward {
namespace {

namespace json = boost::json;
using Notifications = std::span<const Notification>;

// Slack reads & < > as its markup (mentions, links).
std::string slack_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      out += c;
  }
  return out;
}

// Teams reads Markdown in a text block.
std::string escaped_markdown(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\`*_{}[]<>()#+-!|~").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

json::object own_body(Notifications notifications, const MessageContext& context) {
  json::array list;
  for (const Notification& one : notifications) {
    json::object object = to_json(one);
    object.erase("channels");
    list.push_back(std::move(object));
  }
  return {{"node", context.node},
          {"time", context.time},
          {"id", context.id},
          {"subject", subject_of(notifications, context.node, context.language)},
          {"notifications", std::move(list)}};
}

json::object teams_body(Notifications notifications, const MessageContext& context) {
  json::array blocks;
  const auto block = [&](std::string_view text, bool title) {
    json::object one{{"type", "TextBlock"}, {"text", escaped_markdown(text)}, {"wrap", true}};
    if (title) one["weight"] = "Bolder";
    blocks.push_back(std::move(one));
  };
  block(subject_of(notifications, context.node, context.language), true);
  for (const Notification& one : notifications) {
    block(one.title, notifications.size() > 1);
    for (const std::string& line : one.lines) block(line, false);
  }
  json::object card{{"$schema", "http://adaptivecards.io/schemas/adaptive-card.json"},
                    {"type", "AdaptiveCard"},
                    {"version", "1.4"},
                    {"body", std::move(blocks)}};
  json::object attachment{{"contentType", "application/vnd.microsoft.card.adaptive"},
                          {"content", std::move(card)}};
  return {{"type", "message"}, {"attachments", json::array{std::move(attachment)}}};
}

// WeCom takes 2048 bytes of text; a cut is between characters.
std::string cut_to(std::string text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  std::size_t size = max_bytes - 3;
  while (size > 0 && (byte(text[size]) & 0xc0) == 0x80) --size;
  return text.substr(0, size) + "...";
}

std::string whole_text(Notifications notifications, const MessageContext& context) {
  return subject_of(notifications, context.node, context.language) + "\n\n" +
         text_of(notifications, context.node, context.language);
}

json::object body_of(WebhookFormat format, Notifications notifications, const MessageContext& context) {
  constexpr std::size_t kMaxSlackBytes = 30'000, kMaxDingTalkBytes = 18'000, kMaxWeComBytes = 2048,
                        kMaxFeishuBytes = 18'000;
  switch (format) {
    case WebhookFormat::kJson:
      return own_body(notifications, context);
    case WebhookFormat::kSlack:
      return {{"text", slack_text(cut_to(whole_text(notifications, context), kMaxSlackBytes))}};
    case WebhookFormat::kTeams:
      return teams_body(notifications, context);
    case WebhookFormat::kDingTalk:
      return {{"msgtype", "text"},
              {"text", {{"content", cut_to(whole_text(notifications, context), kMaxDingTalkBytes)}}}};
    case WebhookFormat::kWeCom:
      return {{"msgtype", "text"},
              {"text", {{"content", cut_to(whole_text(notifications, context), kMaxWeComBytes)}}}};
    case WebhookFormat::kFeishu:
      return {{"msg_type", "text"},
              {"content", {{"text", cut_to(whole_text(notifications, context), kMaxFeishuBytes)}}}};
  }
  return {};
}

std::optional<std::int64_t> code_in(std::string_view body, std::string_view member) {
  json::error_code error;
  const json::value value = json::parse({body.data(), body.size()}, error);
  const json::object* object = error ? nullptr : value.if_object();
  const json::value* code = object == nullptr ? nullptr : object->if_contains(member);
  if (code == nullptr || !code->is_int64()) return std::nullopt;
  return code->get_int64();
}

}  // namespace

WebhookMessage webhook_message(WebhookFormat format, std::string_view secret, Notifications notifications,
                               const MessageContext& context) {
  WebhookMessage out;
  json::object body = body_of(format, notifications, context);
  const std::string seconds = fmt::format("{}", context.now_ms / 1000);
  if (format == WebhookFormat::kFeishu && !secret.empty()) {
    body["timestamp"] = seconds;
    body["sign"] = base64(hmac_sha256(fmt::format("{}\n{}", seconds, secret), ""));
  }
  out.body = json::serialize(body);
  out.headers.emplace_back("Content-Type", "application/json; charset=utf-8");
  if (secret.empty() || format == WebhookFormat::kFeishu) return out;
  if (format == WebhookFormat::kDingTalk) {
    const std::string signature = base64(hmac_sha256(secret, fmt::format("{}\n{}", context.now_ms, secret)));
    out.query = fmt::format("timestamp={}&sign={}", context.now_ms, percent_encoded(signature));
    return out;
  }
  out.headers.emplace_back("X-Wafd-Timestamp", seconds);
  out.headers.emplace_back("X-Wafd-Signature",
                           "sha256=" + to_hex(hmac_sha256(secret, fmt::format("{}.{}", seconds, out.body))));
  return out;
}

std::string webhook_refusal(WebhookFormat format, long status, std::string_view body) {
  if (status < 200 || status > 299) return fmt::format("the receiver answered with status {}", status);
  const bool errcode = format == WebhookFormat::kDingTalk || format == WebhookFormat::kWeCom;
  if (!errcode && format != WebhookFormat::kFeishu) return "";
  const auto code = code_in(body, errcode ? "errcode" : "code");
  const auto older = format == WebhookFormat::kFeishu && !code ? code_in(body, "StatusCode") : code;
  if (!older) return "the receiver answered, but not with the code that this service answers with";
  if (*older == 0) return "";
  return fmt::format("the receiver answered with its error code {}", *older);
}

}  // namespace wafd::forward
