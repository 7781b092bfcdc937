#include "forward/io/notify/notify_sender.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <curl/curl.h>
#include <fmt/format.h>

#include "files/given_text.h"
#include "forward/io/notify/notify_stages.h"
#include "forward/io/web/guarded_curl.h"
#include "forward/notify/web_address.h"

namespace wafd::forward {
namespace {

constexpr std::size_t kMaxAnswerBytes = 64u << 10;

std::string bracketed(const std::string& host) {
  return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

}  // namespace

struct NotifySender::Multi {
  CURLM* handle = curl_multi_init();
  ~Multi() { curl_multi_cleanup(handle); }
};

struct NotifySender::Transfer {
  Easy easy{curl_easy_init()};
  List headers, recipients;
  std::string upload, answer;
  std::size_t uploaded = 0;
  ChannelSettings channel;
  std::string secret;  // the channel's password or key, read from its file
  TransferFacts facts;
  DestinationGuard guard;
  std::function<void(SendResult)> done;

  static std::size_t read(char* to, std::size_t size, std::size_t count, void* self) noexcept {
    auto& t = *static_cast<Transfer*>(self);
    const std::size_t n = std::min(size * count, t.upload.size() - t.uploaded);
    std::memcpy(to, t.upload.data() + t.uploaded, n);
    t.uploaded += n;
    return n;
  }
  static std::size_t write(const char* from, std::size_t size, std::size_t count, void* self) noexcept {
    auto& t = *static_cast<Transfer*>(self);
    const std::size_t n = size * count;
    if (t.answer.size() + n > kMaxAnswerBytes) return n;  // the rest is not looked at
    t.answer.append(from, n);
    return n;
  }

  // Replies of a mail server; their words are not looked at. What refuses a mail as a whole ends the
  // transfer: one that was sent all the same had recipients refused.
  static std::size_t reply(const char* from, std::size_t size, std::size_t count, void* self) noexcept {
    auto& t = *static_cast<Transfer*>(self);
    const std::size_t n = size * count;
    if (n > 3 && (from[0] == '4' || from[0] == '5') && from[3] == ' ') ++t.facts.refused_recipients;
    return n;
  }

  void prepare();
  void prepare_mail(std::span<const Notification> notifications, const MessageContext& context);
  void prepare_webhook(std::span<const Notification> notifications, const MessageContext& context);
  void read_facts(int code);
};

void NotifySender::Transfer::prepare() {
  CURL* c = easy.get();
  prepare_guarded(c, guard, kSendMs);
  set(c, CURLOPT_QUICK_EXIT, 1L);
  set(c, CURLOPT_WRITEFUNCTION, &Transfer::write);
  set(c, CURLOPT_WRITEDATA, this);
  set(c, CURLOPT_PRIVATE, this);
  if (facts.kind == ChannelKind::kMail) {
    set(c, CURLOPT_HEADERFUNCTION, &Transfer::reply);
    set(c, CURLOPT_HEADERDATA, this);
  }
  if (!facts.encrypted) return;
  prepare_tls(c, channel.verify, channel.ca);
  set(c, CURLOPT_CERTINFO, 1L);
}

void NotifySender::Transfer::prepare_mail(std::span<const Notification> notifications,
                                          const MessageContext& context) {
  CURL* c = easy.get();
  upload = mail_message(channel, notifications, context);
  facts.encrypted = channel.security != MailSecurity::kNone;
  const bool name_fits = valid_host(context.node);
  const std::string url =
      fmt::format("{}://{}:{}/{}", channel.security == MailSecurity::kTls ? "smtps" : "smtp",
                  bracketed(channel.host), channel.port, name_fits ? context.node : "localhost");
  set(c, CURLOPT_URL, url.c_str());
  set(c, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
  if (channel.security == MailSecurity::kStartTls) set(c, CURLOPT_USE_SSL, static_cast<long>(CURLUSESSL_ALL));
  if (!channel.username.empty()) {
    set(c, CURLOPT_USERNAME, channel.username.c_str());
    set(c, CURLOPT_PASSWORD, secret.c_str());
  }
  set(c, CURLOPT_MAIL_FROM, ("<" + channel.sender + ">").c_str());
  for (const std::string& recipient : channel.recipients) append(recipients, "<" + recipient + ">");
  set(c, CURLOPT_MAIL_RCPT, recipients.get());
  set(c, CURLOPT_MAIL_RCPT_ALLLOWFAILS, 1L);  // who is refused keeps it from nobody else
  set(c, CURLOPT_UPLOAD, 1L);
  set(c, CURLOPT_READFUNCTION, &Transfer::read);
  set(c, CURLOPT_READDATA, this);
}

void NotifySender::Transfer::prepare_webhook(std::span<const Notification> notifications,
                                             const MessageContext& context) {
  CURL* c = easy.get();
  WebhookMessage message = webhook_message(channel.format, secret, notifications, context);
  const auto address = parse_web_address(channel.url);  // it was judged when it was saved
  facts.encrypted = address && address->encrypted;
  std::string url = channel.url;
  if (!message.query.empty()) url += (url.find('?') == std::string::npos ? "?" : "&") + message.query;
  set(c, CURLOPT_URL, url.c_str());
  set(c, CURLOPT_PROTOCOLS_STR, "http,https");
  set(c, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  for (const auto& [name, value] : message.headers) append(headers, fmt::format("{}: {}", name, value));
  append(headers, "Expect:");
  set(c, CURLOPT_HTTPHEADER, headers.get());
  set(c, CURLOPT_USERAGENT, "wafd/" WAFD_VERSION);
  upload = std::move(message.body);
  set(c, CURLOPT_POSTFIELDSIZE, static_cast<long>(upload.size()));
  set(c, CURLOPT_POSTFIELDS, upload.data());
}

void NotifySender::Transfer::read_facts(int code) {
  CURL* c = easy.get();
  facts.code = code;
  facts.denied = guard.denied;
  facts.address = guard.address;
  facts.bytes = upload.size();
  facts.recipients = channel.recipients.size();
  curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &facts.response);
  const auto time = [&](CURLINFO which) {
    curl_off_t us = 0;
    curl_easy_getinfo(c, which, &us);
    return static_cast<std::int64_t>(us);
  };
  facts.resolved_us = time(CURLINFO_NAMELOOKUP_TIME_T);
  facts.connected_us = time(CURLINFO_CONNECT_TIME_T);
  facts.encrypted_us = time(CURLINFO_APPCONNECT_TIME_T);
  facts.ended_us = time(CURLINFO_TOTAL_TIME_T);
  if (channel.kind == ChannelKind::kWebhook && code == CURLE_OK)
    facts.refusal = webhook_refusal(channel.format, facts.response, answer);
  curl_certinfo* chain = nullptr;
  if (curl_easy_getinfo(c, CURLINFO_CERTINFO, &chain) != CURLE_OK || chain == nullptr ||
      chain->num_of_certs == 0)
    return;
  for (const curl_slist* line = chain->certinfo[0]; line != nullptr; line = line->next) {
    const std::string_view text(line->data);
    const auto take = [&](std::string_view name, std::string& out) {
      if (text.starts_with(name)) out = text.substr(name.size());
    };
    take("Subject:", facts.certificate_subject);
    take("Issuer:", facts.certificate_issuer);
    take("Expire date:", facts.certificate_end);
  }
}

NotifySender::NotifySender(std::vector<Endpoint> own, std::function<std::vector<IpAddress>()> local)
    : own_(std::move(own)), local_(std::move(local)), multi_(std::make_unique<Multi>()) {}

NotifySender::~NotifySender() {
  for (const auto& transfer : transfers_) curl_multi_remove_handle(multi_->handle, transfer->easy.get());
}

void NotifySender::send(const ChannelSettings& channel, std::span<const Notification> notifications,
                        const MessageContext& context, std::function<void(SendResult)> done) {
  const bool is_mail = channel.kind == ChannelKind::kMail;
  auto secret = is_mail ? read_secret("password", channel.password) : read_secret("secret", channel.secret);
  if (!secret) {
    unsent_.emplace_back([done = std::move(done), result = unsent(secret.error().what)] { done(result); });
    return;
  }
  auto transfer = std::make_unique<Transfer>();
  transfer->secret = std::move(*secret);
  transfer->channel = channel;
  transfer->guard.own = own_;
  transfer->guard.local = local_ ? local_() : std::vector<IpAddress>();
  transfer->done = std::move(done);
  transfer->facts.kind = channel.kind;
  if (is_mail)
    transfer->prepare_mail(notifications, context);
  else
    transfer->prepare_webhook(notifications, context);
  transfer->prepare();
  curl_multi_add_handle(multi_->handle, transfer->easy.get());
  transfers_.push_back(std::move(transfer));
}

void NotifySender::finish(Transfer& transfer, int code) {
  transfer.read_facts(code);
  curl_multi_remove_handle(multi_->handle, transfer.easy.get());
  const auto place = std::find_if(transfers_.begin(), transfers_.end(),
                                  [&](const auto& one) { return one.get() == &transfer; });
  const std::unique_ptr<Transfer> ended = std::move(*place);
  transfers_.erase(place);
  ended->done(result_of(ended->facts));
}

void NotifySender::run(int wait_ms) {
  if (!unsent_.empty()) wait_ms = 0;
  for (const auto& tell : std::exchange(unsent_, {})) tell();
  int running = 0;
  curl_multi_perform(multi_->handle, &running);
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_->handle, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const int code = message->data.result;
    Transfer* transfer = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
    finish(*transfer, code);
  }
  if (wait_ms > 0) curl_multi_poll(multi_->handle, nullptr, 0, wait_ms, nullptr);
}

void NotifySender::wake() { curl_multi_wakeup(multi_->handle); }

}  // namespace wafd::forward
