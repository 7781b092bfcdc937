#include "probe/io/http_client.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstring>
#include <memory>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>

#include "detect/core/ip_address.h"

namespace wafd::probe {
namespace {

constexpr std::size_t kMaxAnswerBytes = 256 << 10;

struct Free {
  void operator()(SSL_CTX* context) const noexcept { SSL_CTX_free(context); }
  void operator()(BIO* bio) const noexcept { BIO_free_all(bio); }
};

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// One error of OpenSSL's queue. The system's own ones come with their number, those of the resolver with a
// text.
std::string text_of(unsigned long code, const char* data, int flags) {
  if (ERR_SYSTEM_ERROR(code)) return std::strerror(static_cast<int>(ERR_GET_REASON(code)));
  if (ERR_GET_REASON(code) == ERR_R_SYS_LIB && (flags & ERR_TXT_STRING) != 0 && *data != '\0') return data;
  const char* reason = ERR_reason_error_string(code);
  return reason == nullptr ? "" : reason;
}

// The first of the queue is the cause: OpenSSL puts its own words for it behind.
std::string ssl_error(const char* step) {
  const char* data = nullptr;
  int flags = 0;
  const unsigned long code = ERR_get_error_all(nullptr, nullptr, nullptr, &data, &flags);
  const std::string reason = code == 0 ? "" : text_of(code, data, flags);
  ERR_clear_error();
  return fmt::format("{}: {}", step, reason.empty() ? "the connection failed or was closed" : reason);
}

// Does `step` again while it wants to wait; false: it failed or the time is over.
template <class Step>
bool finish(BIO* bio, std::int64_t deadline_ms, const Step& step) {
  while (!step()) {
    if (BIO_should_retry(bio) == 0) return false;
    int descriptor = -1;
    BIO_get_fd(bio, &descriptor);
    const std::int64_t left = deadline_ms - now_ms();
    if (left <= 0) return false;
    // Before there is a descriptor, and while it connects, OpenSSL wants to be asked again.
    pollfd wait{descriptor, static_cast<short>(BIO_should_read(bio) != 0 ? POLLIN : POLLOUT), 0};
    ::poll(&wait, descriptor < 0 ? 0 : 1,
           static_cast<int>(std::min<std::int64_t>(left, descriptor < 0 ? 5 : 1000)));
  }
  return true;
}

std::string head_of(const Url& url, const Request& request) {
  std::string head = fmt::format("{} {}", request.method, url.path);
  if (!request.query.empty())
    head.append(url.path.find('?') == std::string::npos ? "?" : "&").append(request.query);
  head += fmt::format(" HTTP/1.1\r\nHost: {}\r\nUser-Agent: wafd-probe\r\nConnection: close\r\n",
                      url.authority());
  if (!request.body.empty()) head += fmt::format("Content-Length: {}\r\n", request.body.size());
  for (const auto& [name, value] : request.headers) head += fmt::format("{}: {}\r\n", name, value);
  return head + "\r\n";
}

std::string address_of(int descriptor) {
  sockaddr_storage own{};
  socklen_t size = sizeof(own);
  char text[INET6_ADDRSTRLEN] = {};
  if (descriptor < 0 || ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&own), &size) != 0) return {};
  const void* address =
      own.ss_family == AF_INET6
          ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in6*>(&own)->sin6_addr)
          : static_cast<const void*>(&reinterpret_cast<const sockaddr_in*>(&own)->sin_addr);
  if (::inet_ntop(own.ss_family, address, text, sizeof(text)) == nullptr) return {};
  const auto clean = IpAddress::parse(text);
  return clean ? clean->text() : std::string();
}

unsigned status_of(std::string_view text) {
  unsigned status = 0;
  if (text.starts_with("HTTP/1.") && text.size() >= 12)
    std::from_chars(text.data() + 9, text.data() + 12, status);
  return status;
}

class Exchange {
 public:
  Exchange(const Url& url, const ClientOptions& options)
      : url_(url), options_(options), deadline_ms_(now_ms() + options.timeout_ms) {}

  bool connect(std::string& error) {
    BIO* bio = BIO_new_connect(
        fmt::format("{}:{}", url_.host.find(':') == std::string::npos ? url_.host : "[" + url_.host + "]",
                    url_.port)
            .c_str());
    bio_.reset(bio);
    if (bio == nullptr) return fail("connect", error);
    BIO_set_nbio(bio, 1);
    if (!finish(bio, deadline_ms_, [&] { return BIO_do_connect(bio) > 0; })) return fail("connect", error);
    return !url_.tls || handshake(error);
  }

  std::string own_address() const {
    int descriptor = -1;
    BIO_get_fd(bio_.get(), &descriptor);
    return address_of(descriptor);
  }

  // A peer that answers early and reads no further is no error: its answer is read.
  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      int written = 0;
      const auto some = static_cast<int>(std::min<std::size_t>(bytes.size(), 1 << 20));
      if (!finish(bio_.get(), deadline_ms_,
                  [&] { return (written = BIO_write(bio_.get(), bytes.data(), some)) > 0; }))
        return;
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  std::string read() {
    std::string text;
    char room[16384];
    int size = 0;
    while (text.size() < kMaxAnswerBytes && finish(bio_.get(), deadline_ms_, [&] {
             return (size = BIO_read(bio_.get(), room, sizeof(room))) > 0;
           }))
      text.append(room, static_cast<std::size_t>(size));
    ERR_clear_error();
    return text;
  }

  bool late() const { return now_ms() >= deadline_ms_; }

 private:
  bool fail(const char* step, std::string& error) const {
    error = late() ? fmt::format("{}: not within {} ms", step, options_.timeout_ms) : ssl_error(step);
    return false;
  }

  bool handshake(std::string& error) {
    context_.reset(SSL_CTX_new(TLS_client_method()));
    if (!context_) return fail("TLS", error);
    if (options_.verify) {
      SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
      SSL_CTX_set_default_verify_paths(context_.get());
    }
    BIO* tls = BIO_new_ssl(context_.get(), 1);
    if (tls == nullptr) return fail("TLS", error);
    SSL* ssl = nullptr;
    BIO_get_ssl(tls, &ssl);
    if (IpAddress::parse(url_.host)) {
      X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), url_.host.c_str());
    } else {
      SSL_set_tlsext_host_name(ssl, url_.host.c_str());
      SSL_set1_host(ssl, url_.host.c_str());
    }
    bio_.reset(BIO_push(tls, bio_.release()));
    if (!finish(bio_.get(), deadline_ms_, [&] { return BIO_do_handshake(bio_.get()) > 0; }))
      return fail("TLS", error);
    return true;
  }

  const Url& url_;
  const ClientOptions& options_;
  std::int64_t deadline_ms_;
  std::unique_ptr<SSL_CTX, Free> context_;
  std::unique_ptr<BIO, Free> bio_;
};

}  // namespace

Result<Url> Url::parse(std::string_view text) {
  const auto wrong = [&](std::string_view expected) {
    return wafd::fail(ErrorCode::kInvalid, fmt::format("{}: expected {}", text, expected));
  };
  Url url;
  std::string_view rest = text;
  if (rest.starts_with("https://")) {
    url.tls = true;
    rest.remove_prefix(8);
  } else if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
  } else {
    return wrong("http://HOST[:PORT][/PATH] or https://HOST[:PORT][/PATH]");
  }
  for (const char c : text)
    if (static_cast<unsigned char>(c) <= ' ' || c == '#' || c == '\x7f')
      return wrong("no spaces, no controls and no #");
  const std::size_t slash = std::min(rest.find_first_of("/?"), rest.size());
  std::string_view authority = rest.substr(0, slash);
  if (slash < rest.size()) url.path = (rest[slash] == '?' ? "/" : "") + std::string(rest.substr(slash));
  if (authority.find('@') != std::string_view::npos) return wrong("no user name");
  const std::size_t bracket = authority.find(']');
  const std::size_t colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
  url.port =
      colon == std::string_view::npos ? (url.tls ? "443" : "80") : std::string(authority.substr(colon + 1));
  authority = authority.substr(0, colon);
  if (authority.starts_with('[') && authority.ends_with(']'))
    authority = authority.substr(1, authority.size() - 2);
  url.host = authority;
  unsigned port = 0;
  const auto [end, bad] = std::from_chars(url.port.data(), url.port.data() + url.port.size(), port);
  if (url.host.empty()) return wrong("a host");
  if (bad != std::errc() || end != url.port.data() + url.port.size() || port == 0 || port > 65535)
    return wrong("a port of 1 to 65535");
  return url;
}

std::string Url::authority() const {
  const bool usual = port == (tls ? "443" : "80");
  const std::string name = host.find(':') == std::string::npos ? host : "[" + host + "]";
  return usual ? name : name + ":" + port;
}

Answer exchange(const Url& url, const Request& request, const ClientOptions& options,
                std::string* own_address) {
  Answer answer;
  Exchange exchange(url, options);
  if (!exchange.connect(answer.error)) return answer;
  if (own_address != nullptr) *own_address = exchange.own_address();
  exchange.write(head_of(url, request) + request.body);
  answer.text = exchange.read();
  answer.status = status_of(answer.text);
  if (answer.status == 0)
    answer.error = exchange.late()       ? fmt::format("not within {} ms", options.timeout_ms)
                   : answer.text.empty() ? "the connection was closed"
                                         : "this is no HTTP/1.1";
  return answer;
}

}  // namespace wafd::probe
