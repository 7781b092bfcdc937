#include "forward/io/web/guarded_curl.h"

#include <array>
#include <cstring>
#include <optional>
#include <string_view>

#include <netinet/in.h>
#include <sys/socket.h>

#include "files/given_text.h"
#include "forward/target/destination.h"

namespace wafd::forward {
namespace {

constexpr long kConnectMs = 8'000;

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

curl_socket_t open_socket(void* self, curlsocktype, curl_sockaddr* address) noexcept {
  auto& guard = *static_cast<DestinationGuard*>(self);
  const auto to = endpoint_of(*address);
  if (!to) return CURL_SOCKET_BAD;
  if (auto good = check_destination(to->address, to->port, Transport::kTcp, guard.own, guard.local); !good) {
    guard.denied = good.error().what;
    return CURL_SOCKET_BAD;
  }
  guard.address = to->text();
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

// Headers of an answer are not looked at.
std::size_t pass(const char*, std::size_t size, std::size_t count, void*) noexcept { return size * count; }

}  // namespace

void append(List& list, const std::string& text) {
  list.reset(curl_slist_append(list.release(), text.c_str()));
}

void prepare_guarded(CURL* easy, DestinationGuard& guard, long whole_ms) {
  set(easy, CURLOPT_NOSIGNAL, 1L);
  set(easy, CURLOPT_PROXY, "");
  set(easy, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  set(easy, CURLOPT_FOLLOWLOCATION, 0L);
  set(easy, CURLOPT_CONNECTTIMEOUT_MS, kConnectMs);
  set(easy, CURLOPT_TIMEOUT_MS, whole_ms);
  set(easy, CURLOPT_FRESH_CONNECT, 1L);
  set(easy, CURLOPT_FORBID_REUSE, 1L);
  set(easy, CURLOPT_OPENSOCKETFUNCTION, &open_socket);
  set(easy, CURLOPT_OPENSOCKETDATA, &guard);
  set(easy, CURLOPT_HEADERFUNCTION, &pass);
}

void prepare_tls(CURL* easy, bool verify, const std::string& ca) {
  set(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  set(easy, CURLOPT_SSL_VERIFYPEER, verify ? 1L : 0L);
  set(easy, CURLOPT_SSL_VERIFYHOST, verify ? 2L : 0L);
  if (ca.empty()) return;
  set(easy, CURLOPT_CAPATH, static_cast<const char*>(nullptr));
  if (names_file(ca)) {
    set(easy, CURLOPT_CAINFO, file_named_by(ca).c_str());
    return;
  }
  std::string text = ca;
  curl_blob blob{text.data(), text.size(), CURL_BLOB_COPY};
  set(easy, CURLOPT_CAINFO_BLOB, &blob);
}

}  // namespace wafd::forward
