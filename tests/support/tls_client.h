// A plain blocking HTTPS client for tests: one connection, bytes in and out, no opinion about either.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace wafd::test {

struct Answer {
  int status = 0;
  std::string head;
  std::string body;

  std::string header(std::string_view name) const {
    std::string lower_head = head;
    std::string lower_name(name);
    const auto lower = [](std::string& text) {
      std::transform(text.begin(), text.end(), text.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    };
    lower(lower_head), lower(lower_name);
    const std::size_t at = lower_head.find("\r\n" + lower_name + ": ");
    if (at == std::string::npos) return {};
    const std::size_t begin = at + 4 + lower_name.size();
    return head.substr(begin, head.find("\r\n", begin) - begin);
  }
};

class TlsClient {
 public:
  // `from`: an address of loopback, "127.0.0.2".
  explicit TlsClient(std::uint16_t port, int timeout_s = 10, const char* from = "127.0.0.1") {
    fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const timeval timeout{timeout_s, 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    sockaddr_in own{};
    own.sin_family = AF_INET;
    inet_pton(AF_INET, from, &own.sin_addr);
    const bool bound = ::bind(fd_, reinterpret_cast<const sockaddr*>(&own), sizeof own) == 0;
    connected_ = bound && ::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    context_ = SSL_CTX_new(TLS_client_method());
    ssl_ = SSL_new(context_);
    SSL_set_fd(ssl_, fd_);
  }
  ~TlsClient() {
    SSL_free(ssl_);
    SSL_CTX_free(context_);
    if (fd_ >= 0) ::close(fd_);
  }
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;

  bool handshake() { return connected_ && (ready_ || (ready_ = SSL_connect(ssl_) == 1)); }
  bool send(std::string_view bytes) {
    return handshake() &&
           SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size())) == static_cast<int>(bytes.size());
  }
  // More bytes into buffer(); false at the end or after the timeout.
  bool receive() {
    char block[16384];
    const int got = ready_ ? SSL_read(ssl_, block, sizeof block) : -1;
    if (got <= 0) return false;
    buffer_.append(block, static_cast<std::size_t>(got));
    return true;
  }
  bool receive_until(std::string_view text) {
    while (buffer_.find(text) == std::string::npos) {
      if (!receive()) return false;
    }
    return true;
  }
  // SHA-256 of the peer's certificate, "AB:CD:…".
  std::string fingerprint() const {
    X509* peer = SSL_get1_peer_certificate(ssl_);
    unsigned char digest[32];
    unsigned size = 0;
    std::string text;
    if (peer != nullptr && X509_digest(peer, EVP_sha256(), digest, &size) == 1) {
      for (unsigned i = 0; i < size; ++i) {
        constexpr char kDigits[] = "0123456789ABCDEF";
        if (i > 0) text += ':';
        text += kDigits[digest[i] >> 4];
        text += kDigits[digest[i] & 15];
      }
    }
    X509_free(peer);
    return text;
  }
  std::string& buffer() noexcept { return buffer_; }
  int descriptor() const noexcept { return fd_; }

  Answer read_answer() {
    Answer answer;
    if (!receive_until("\r\n\r\n")) return answer;
    const std::size_t end = buffer_.find("\r\n\r\n") + 4;
    answer.head = buffer_.substr(0, end);
    buffer_.erase(0, end);
    answer.status = std::atoi(answer.head.c_str() + 9);
    if (answer.header("Transfer-Encoding") == "chunked") {
      for (;;) {
        if (!receive_until("\r\n")) return answer;
        const std::size_t size = std::strtoul(buffer_.c_str(), nullptr, 16);
        const std::size_t line = buffer_.find("\r\n") + 2;
        while (buffer_.size() < line + size + 2) {
          if (!receive()) return answer;
        }
        answer.body += buffer_.substr(line, size);
        buffer_.erase(0, line + size + 2);
        if (size == 0) return answer;
      }
    }
    const std::size_t length = std::strtoul(answer.header("Content-Length").c_str(), nullptr, 10);
    while (buffer_.size() < length && receive()) {
    }
    answer.body = buffer_.substr(0, length);
    buffer_.erase(0, length);
    return answer;
  }

  Answer request(const std::string& method, const std::string& target, const std::string& headers = {},
                 const std::string& body = {}) {
    std::string text = method + " " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + headers;
    if (!body.empty())
      text += "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
    if (!send(text + "\r\n" + body)) return {};
    return read_answer();
  }

 private:
  int fd_ = -1;
  bool connected_ = false;
  bool ready_ = false;
  SSL_CTX* context_ = nullptr;
  SSL* ssl_ = nullptr;
  std::string buffer_;
};

}  // namespace wafd::test
