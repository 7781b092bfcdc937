#include "forward/io/notify/notify_sender.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <utility>

#include <curl/curl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "forward/io/notify/notify_stages.h"
#include "forward/notify/web_address.h"
#include "forward/target/destination.h"

namespace wafd::forward {
namespace {

constexpr std::size_t kMaxAnswerBytes = 64u << 10;
constexpr long kConnectMs = 8'000;
constexpr std::string_view kFile = "file:";

struct EasyEnd {
  void operator()(CURL* easy) const noexcept { curl_easy_cleanup(easy); }
};
struct ListEnd {
  void operator()(curl_slist* list) const noexcept { curl_slist_free_all(list); }
};
using List = std::unique_ptr<curl_slist, ListEnd>;

void append(List& list, const std::string& text) {
  list.reset(curl_slist_append(list.release(), text.c_str()));
}

std::string bracketed(const std::string& host) {
  return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

// A secret, or the first line of the file that it names; nothing if that cannot be read.
std::string secret_text(const std::string& secret) {
  if (!secret.starts_with("file:/")) return secret;
  std::ifstream in(secret.substr(kFile.size()));
  std::string line;
  std::getline(in, line);
  constexpr std::size_t kMaxSecretBytes = 4096;
  return line.size() > kMaxSecretBytes ? std::string() : line;
}

std::optional<Endpoint> endpoint_of(const curl_sockaddr& address) {
  Endpoint out;
  if (address.family == AF_INET && address.addrlen >= sizeof(sockaddr_in)) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address.addr, sizeof(v4));
    std::array<std::uint8_t, 4> bytes{};
    std::memcpy(bytes.data(), &v4.sin_addr, bytes.size());
    out.address = IpAddress::from_v4({bytes[0], bytes[1], bytes[2], bytes[3]});
    out.port = ntohs(v4.sin_port);
    return out;
  }
  if (address.family == AF_INET6 && address.addrlen >= sizeof(sockaddr_in6)) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, &address.addr, sizeof(v6));
    std::memcpy(out.address.bytes.data(), &v6.sin6_addr, out.address.bytes.size());
    out.port = ntohs(v6.sin6_port);
    return out;
  }
  return std::nullopt;
}

template <class T>
void set(CURL* easy, CURLoption option, T value) {
  curl_easy_setopt(easy, option, value);
}

}  // namespace

struct NotifySender::Multi {
  CURLM* handle = curl_multi_init();
  ~Multi() { curl_multi_cleanup(handle); }
};

struct NotifySender::Transfer {
  std::unique_ptr<CURL, EasyEnd> easy{curl_easy_init()};
  List headers, recipients;
  std::string upload, answer;
  std::size_t uploaded = 0;
  ChannelSettings channel;
  TransferFacts facts;
  const std::vector<Endpoint>* own = nullptr;
  std::vector<IpAddress> local;
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
  static curl_socket_t open(void* self, curlsocktype, curl_sockaddr* address) noexcept {
    auto& t = *static_cast<Transfer*>(self);
    const auto to = endpoint_of(*address);
    if (!to) return CURL_SOCKET_BAD;
    if (auto good = check_destination(to->address, to->port, Transport::kTcp, *t.own, t.local); !good) {
      t.facts.denied = good.error().what;
      return CURL_SOCKET_BAD;
    }
    t.facts.address = to->text();
    return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  }
  // Headers of an answer are not looked at.
  static std::size_t pass(const char*, std::size_t size, std::size_t count, void*) noexcept {
    return size * count;
  }

  void prepare();
  void prepare_mail(std::span<const Notification> notifications, const MessageContext& context);
  void prepare_webhook(std::span<const Notification> notifications, const MessageContext& context);
  void prepare_tls();
  void read_facts(int code);
};

void NotifySender::Transfer::prepare() {
  CURL* c = easy.get();
  set(c, CURLOPT_NOSIGNAL, 1L);
  set(c, CURLOPT_PROXY, "");
  set(c, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  set(c, CURLOPT_FOLLOWLOCATION, 0L);
  set(c, CURLOPT_CONNECTTIMEOUT_MS, kConnectMs);
  set(c, CURLOPT_TIMEOUT_MS, kSendMs);
  set(c, CURLOPT_QUICK_EXIT, 1L);
  set(c, CURLOPT_FRESH_CONNECT, 1L);
  set(c, CURLOPT_FORBID_REUSE, 1L);
  set(c, CURLOPT_OPENSOCKETFUNCTION, &Transfer::open);
  set(c, CURLOPT_OPENSOCKETDATA, this);
  set(c, CURLOPT_WRITEFUNCTION, &Transfer::write);
  set(c, CURLOPT_WRITEDATA, this);
  set(c, CURLOPT_HEADERFUNCTION, &Transfer::pass);
  set(c, CURLOPT_PRIVATE, this);
  if (facts.encrypted) prepare_tls();
}

void NotifySender::Transfer::prepare_tls() {
  CURL* c = easy.get();
  set(c, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  set(c, CURLOPT_SSL_VERIFYPEER, channel.verify ? 1L : 0L);
  set(c, CURLOPT_SSL_VERIFYHOST, channel.verify ? 2L : 0L);
  set(c, CURLOPT_CERTINFO, 1L);
  if (channel.ca.empty()) return;
  set(c, CURLOPT_CAPATH, static_cast<const char*>(nullptr));
  if (channel.ca.starts_with("file:/")) {
    set(c, CURLOPT_CAINFO, channel.ca.substr(kFile.size()).c_str());
    return;
  }
  curl_blob blob{channel.ca.data(), channel.ca.size(), CURL_BLOB_COPY};
  set(c, CURLOPT_CAINFO_BLOB, &blob);
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
    set(c, CURLOPT_PASSWORD, secret_text(channel.password).c_str());
  }
  set(c, CURLOPT_MAIL_FROM, ("<" + channel.sender + ">").c_str());
  for (const std::string& recipient : channel.recipients) append(recipients, "<" + recipient + ">");
  set(c, CURLOPT_MAIL_RCPT, recipients.get());
  set(c, CURLOPT_UPLOAD, 1L);
  set(c, CURLOPT_READFUNCTION, &Transfer::read);
  set(c, CURLOPT_READDATA, this);
}

void NotifySender::Transfer::prepare_webhook(std::span<const Notification> notifications,
                                             const MessageContext& context) {
  CURL* c = easy.get();
  WebhookMessage message =
      webhook_message(channel.format, secret_text(channel.secret), notifications, context);
  const auto address = parse_web_address(channel.url);  // it was judged when it was saved
  facts.encrypted = address && address->encrypted;
  std::string url = channel.url;
  if (!message.query.empty()) url += (url.find('?') == std::string::npos ? "?" : "&") + message.query;
  set(c, CURLOPT_URL, url.c_str());
  set(c, CURLOPT_PROTOCOLS_STR, "http,https");
  set(c, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  for (const auto& [name, value] : message.headers) append(headers, name + ": " + value);
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
  facts.bytes = upload.size();
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
  auto transfer = std::make_unique<Transfer>();
  transfer->channel = channel;
  transfer->own = &own_;
  transfer->local = local_ ? local_() : std::vector<IpAddress>();
  transfer->done = std::move(done);
  transfer->facts.kind = channel.kind;
  if (channel.kind == ChannelKind::kMail)
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
