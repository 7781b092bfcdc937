#include "forward/io/notify/state_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace wafd::forward {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const noexcept { return fd_; }

 private:
  int fd_;
};

tl::unexpected<Error> failed(const std::string& path) {
  const int error = errno;
  return fail(error == ENOENT ? ErrorCode::kMissing : ErrorCode::kIo,
              fmt::format("{}: {}", path, std::strerror(error)));
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace

Result<std::string> read_state_file(const std::string& path, std::size_t max_bytes) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return failed(path);
  struct stat about {};
  if (::fstat(file.get(), &about) != 0) return failed(path);
  if (!S_ISREG(about.st_mode)) return fail(ErrorCode::kInvalid, path + ": expected a file");
  if (static_cast<std::uint64_t>(about.st_size) > max_bytes)
    return fail(ErrorCode::kTooLarge, fmt::format("{}: expected at most {} bytes", path, max_bytes));
  std::string out(static_cast<std::size_t>(about.st_size), '\0');
  std::size_t at = 0;
  while (at < out.size()) {
    const ssize_t n = ::read(file.get(), out.data() + at, out.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed(path);
    if (n == 0) break;
    at += static_cast<std::size_t>(n);
  }
  out.resize(at);
  return out;
}

Result<void> write_state_file(const std::string& path, std::string_view bytes) {
  const std::string fresh = path + ".new";
  {
    const Descriptor file(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (file.get() < 0) return failed(fresh);
    if (!write_all(file.get(), bytes) || ::fsync(file.get()) != 0) return failed(fresh);
  }
  if (std::rename(fresh.c_str(), path.c_str()) != 0) return failed(path);
  return {};
}

}  // namespace wafd::forward
