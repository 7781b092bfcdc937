#include "console/io/admin_client.h"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

namespace wafd::console {
namespace {

constexpr time_t kTimeoutS = 30;

Result<std::string> talk(int fd, const sockaddr_un& address, std::string_view line) {
  const timeval timeout{kTimeoutS, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const bool nobody = errno == ENOENT || errno == ECONNREFUSED;
    return fail(nobody ? ErrorCode::kMissing : ErrorCode::kIo,
                fmt::format("connect to {}: {}", address.sun_path, std::strerror(errno)));
  }
  std::string out(line);
  out += '\n';
  for (std::string_view left = out; !left.empty();) {
    const ssize_t put = ::send(fd, left.data(), left.size(), MSG_NOSIGNAL);
    if (put < 0)
      return fail(ErrorCode::kIo, fmt::format("write to {}: {}", address.sun_path, std::strerror(errno)));
    left.remove_prefix(static_cast<std::size_t>(put));
  }
  std::string answer;
  char block[16384];
  while (answer.find('\n') == std::string::npos) {
    const ssize_t got = ::recv(fd, block, sizeof block, 0);
    if (got < 0)
      return fail(ErrorCode::kIo, fmt::format("read from {}: {}", address.sun_path, std::strerror(errno)));
    if (got == 0)
      return fail(ErrorCode::kTruncated, fmt::format("{} closed without an answer", address.sun_path));
    answer.append(block, static_cast<std::size_t>(got));
  }
  return answer.substr(0, answer.find('\n'));
}

}  // namespace

Result<std::string> ask_daemon(const std::string& state_dir, std::string_view line) {
  const std::string path = state_dir + "/admin.sock";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return fail(ErrorCode::kInvalid, path + ": too long for a socket");
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return fail(ErrorCode::kResource, fmt::format("socket: {}", std::strerror(errno)));
  auto answer = talk(fd, address, line);
  ::close(fd);
  return answer;
}

}  // namespace wafd::console
