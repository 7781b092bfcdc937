#include "bench/forward/bare_loops.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include <netinet/in.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/uio.h>

namespace wafd::bench {
namespace {

using forward::Transport;

[[noreturn]] void die(const char* what) {
  std::perror(what);
  std::exit(1);
}

sockaddr_in address_of(std::uint16_t port) {
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_port = htons(port);
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return a;
}

}  // namespace

Frames::Frames(const forward::Ring& ring, Transport transport) {
  forward::RingReader reader(ring);
  forward::MessageMaker maker(target(transport, {}), "node-1", {});
  std::vector<std::size_t> ends;
  std::uint64_t overtaken = 0;
  for (auto records = reader.read(256, 1 << 20, overtaken); !records.empty();
       records = reader.read(256, 1 << 20, overtaken)) {
    for (const auto& record : records) {
      const forward::Message m = maker.event(record, 0);
      if (transport == Transport::kUdp)
        bytes.append(m.header).append(m.content);
      else
        forward::append_frame(forward::Framing::kOctetCounting, m.header, m.content, bytes);
      ends.push_back(bytes.size());
    }
  }
  std::size_t from = 0;
  for (const std::size_t end : ends) {
    each.push_back(std::string_view(bytes).substr(from, end - from));
    from = end;
  }
}

Drain::Drain(Transport transport, const kit::SelfSigned& certificate)
    : transport_(transport),
      certificate_(certificate),
      fd_(socket(AF_INET, transport == Transport::kUdp ? SOCK_DGRAM : SOCK_STREAM, 0)) {
  sockaddr_in a = address_of(0);
  socklen_t n = sizeof a;
  if (bind(fd_, reinterpret_cast<sockaddr*>(&a), n) != 0 ||
      getsockname(fd_, reinterpret_cast<sockaddr*>(&a), &n) != 0)
    die("bind");
  if (transport == Transport::kUdp) {
    const int room = 16 << 20;  // what arrives during a nap
    if (setsockopt(fd_, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room) != 0)
      setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
  } else {
    listen(fd_, 8);
  }
  at = {*IpAddress::parse("127.0.0.1"), ntohs(a.sin_port)};
  thread_ = std::thread([this] {
    std::vector<char> room(1 << 20);
    while (!stop_) {
      const int from = transport_ == Transport::kUdp ? fd_ : accept(fd_, nullptr, nullptr);
      if (transport_ == Transport::kTls && from >= 0) {
        serve_tls(from);
      } else if (transport_ == Transport::kUdp) {
        gulp(room);
      } else {
        for (ssize_t got = 1; !stop_ && got > 0;) {
          got = recv(from, room.data(), room.size(), 0);
          if (got > 0) bytes += static_cast<std::uint64_t>(got);
        }
      }
      if (from != fd_ && from >= 0) close(from);
    }
  });
}

Drain::~Drain() {
  stop_ = true;
  shutdown(fd_, SHUT_RDWR);
  thread_.join();
  close(fd_);
}

// A receiver that sleeps in recv() is woken by the sender's system call, which costs up to a third of a
// datagram, the more often the slower the sender is: that would be measured, and no receiver on another
// machine costs it.
void Drain::gulp(std::vector<char>& room) {
  for (ssize_t got = 1; got > 0;) {
    got = recv(fd_, room.data(), room.size(), MSG_DONTWAIT);
    if (got > 0) bytes += static_cast<std::uint64_t>(got);
  }
  std::this_thread::sleep_for(std::chrono::microseconds(200));
}

void Drain::serve_tls(int descriptor) {
  SSL_CTX* ctx = SSL_CTX_new(TLS_server_method());
  BIO* text = BIO_new_mem_buf(certificate_.certificate_pem.data(), -1);
  X509* leaf = PEM_read_bio_X509(text, nullptr, nullptr, nullptr);
  BIO* key_text = BIO_new_mem_buf(certificate_.key_pem.data(), -1);
  EVP_PKEY* key = PEM_read_bio_PrivateKey(key_text, nullptr, nullptr, nullptr);
  SSL_CTX_use_certificate(ctx, leaf);
  SSL_CTX_use_PrivateKey(ctx, key);
  SSL* ssl = SSL_new(ctx);
  SSL_set_fd(ssl, descriptor);
  std::vector<char> room(1 << 16);
  if (SSL_accept(ssl) == 1)
    for (int got = 1; !stop_ && got > 0;) {
      got = SSL_read(ssl, room.data(), static_cast<int>(room.size()));
      if (got > 0) bytes += static_cast<std::uint64_t>(got);
    }
  SSL_free(ssl);
  EVP_PKEY_free(key);
  X509_free(leaf);
  BIO_free(text);
  BIO_free(key_text);
  SSL_CTX_free(ctx);
}

int Drain::connected() const {
  const int fd = socket(AF_INET, transport_ == Transport::kUdp ? SOCK_DGRAM : SOCK_STREAM, 0);
  const sockaddr_in a = address_of(at.port);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&a), sizeof a) != 0) die("connect");
  return fd;
}

double bare_send(const Frames& frames, const Drain& drain) {
  const int fd = drain.connected();
  const double before = thread_cpu_s();
  for (const std::string_view d : frames.each)
    if (send(fd, d.data(), d.size(), 0) < 0) die("send");
  const double cpu = thread_cpu_s() - before;
  close(fd);
  return cpu;
}

double bare_writev(const Frames& frames, const Drain& drain) {
  const int fd = drain.connected();
  const double before = thread_cpu_s();
  for (std::size_t i = 0; i < frames.each.size(); i += 64) {
    iovec parts[64];
    const std::size_t n = std::min<std::size_t>(64, frames.each.size() - i);
    for (std::size_t k = 0; k < n; ++k)
      parts[k] = {const_cast<char*>(frames.each[i + k].data()), frames.each[i + k].size()};
    for (iovec* p = parts; p < parts + n;) {  // a blocking socket still may take a part
      ssize_t taken = writev(fd, p, static_cast<int>(parts + n - p));
      if (taken < 0) die("writev");
      while (p < parts + n && taken >= static_cast<ssize_t>(p->iov_len))
        taken -= static_cast<ssize_t>((p++)->iov_len);
      if (p < parts + n) {
        p->iov_base = static_cast<char*>(p->iov_base) + taken;
        p->iov_len -= static_cast<std::size_t>(taken);
      }
    }
  }
  const double cpu = thread_cpu_s() - before;
  close(fd);
  return cpu;
}

double bare_tls(const Frames& frames, const Drain& drain) {
  const int fd = drain.connected();
  SSL_CTX* ctx = SSL_CTX_new(TLS_client_method());
  SSL* ssl = SSL_new(ctx);
  SSL_set_fd(ssl, fd);
  if (SSL_connect(ssl) != 1) die("SSL_connect");
  const double before = thread_cpu_s();
  constexpr std::size_t kRecord = 16'384;
  for (std::size_t from = 0; from < frames.bytes.size(); from += kRecord) {
    const std::size_t n = std::min(kRecord, frames.bytes.size() - from);
    if (SSL_write(ssl, frames.bytes.data() + from, static_cast<int>(n)) <= 0) die("SSL_write");
  }
  const double cpu = thread_cpu_s() - before;
  SSL_free(ssl);
  SSL_CTX_free(ctx);
  close(fd);
  return cpu;
}

}  // namespace wafd::bench
