#include "files/small_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace wafd {
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

tl::unexpected<Error> io_error(std::string_view what, const std::string& path) {
  const int number = errno;
  const ErrorCode code = number == ENOENT   ? ErrorCode::kMissing
                         : number == ENOSPC ? ErrorCode::kResource
                                            : ErrorCode::kIo;
  return fail(code, fmt::format("{} {}: {}", what, path, std::strerror(number)));
}

Result<void> write_whole(int file, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(file, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return io_error("cannot write", path);
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return ::fsync(file) == 0 ? Result<void>() : io_error("cannot sync", path);
}

// The name with its folder's entry on the disk.
Result<void> rename_over(const std::string& temporary, const std::string& path) {
  if (::rename(temporary.c_str(), path.c_str()) != 0) return io_error("cannot replace", path);
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const Descriptor parent(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (parent.get() >= 0) ::fsync(parent.get());
  return {};
}

// A new file for `before` (null: there is none) beside it. The rights come last: none has more before.
Result<void> write_like(const struct stat* before, unsigned mode, const std::string& temporary,
                        std::string_view bytes) {
  const Descriptor file(
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (file.get() < 0) return io_error("cannot write", temporary);
  struct stat made {};
  if (::fchmod(file.get(), 0600) != 0 || ::fstat(file.get(), &made) != 0)
    return io_error("cannot protect", temporary);
  const bool foreign = before != nullptr && (made.st_uid != before->st_uid || made.st_gid != before->st_gid);
  if (foreign && ::fchown(file.get(), before->st_uid, before->st_gid) != 0)
    return io_error("cannot keep owner and group of", temporary);
  if (::fchmod(file.get(), before != nullptr ? before->st_mode & 07777u : mode) != 0)
    return io_error("cannot keep the mode of", temporary);
  return write_whole(file.get(), bytes, temporary);
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::size_t max_bytes) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return io_error("cannot read", path);
  std::string out;
  char block[16384];
  for (;;) {
    const ssize_t got = ::read(file.get(), block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return io_error("cannot read", path);
    if (got == 0) return out;
    if (out.size() + static_cast<std::size_t>(got) > max_bytes) {
      return fail(ErrorCode::kTooLarge, fmt::format("{} is larger than {} bytes", path, max_bytes));
    }
    out.append(block, static_cast<std::size_t>(got));
  }
}

void give_to_folder_owner(int descriptor, const std::string& path) noexcept {
  if (::geteuid() != 0) return;
  const std::size_t slash = path.rfind('/');
  struct stat folder {};
  if (::stat(slash == std::string::npos ? "." : path.substr(0, slash + 1).c_str(), &folder) != 0) return;
  // A failure shows when the daemon opens the file, with its name.
  if (folder.st_uid != 0 && ::fchown(descriptor, folder.st_uid, folder.st_gid) != 0) return;
}

Result<void> write_file(const std::string& path, std::string_view bytes) {
  const std::string temporary = path + ".new";
  {
    const Descriptor file(
        ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (file.get() < 0) return io_error("cannot write", temporary);
    if (::fchmod(file.get(), 0600) != 0) return io_error("cannot protect", temporary);
    give_to_folder_owner(file.get(), path);
    if (auto written = write_whole(file.get(), bytes, temporary); !written) return written;
  }
  return rename_over(temporary, path);
}

Result<void> replace_file(const std::string& path, std::string_view bytes, unsigned mode) {
  std::error_code error;
  const bool link = std::filesystem::is_symlink(path, error);
  const std::string real = link ? std::filesystem::canonical(path, error).string() : path;
  if (link && error)
    return fail(ErrorCode::kMissing,
                fmt::format("{} is a link that leads nowhere: {}", path, error.message()));
  struct stat before {};
  const bool there = ::stat(real.c_str(), &before) == 0;
  if (!there && errno != ENOENT) return io_error("cannot replace", real);
  const std::string temporary = real + ".new";
  auto done = write_like(there ? &before : nullptr, mode, temporary, bytes);
  if (done) done = rename_over(temporary, real);
  if (!done) ::unlink(temporary.c_str());
  return done;
}

Result<void> make_folder(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return {};
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  if (!parent.empty()) std::filesystem::create_directories(parent, error);
  if (::mkdir(path.c_str(), 0750) != 0 && errno != EEXIST) return io_error("cannot make the folder", path);
  const Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() >= 0) give_to_folder_owner(folder.get(), path);
  return {};
}

Result<std::unique_ptr<StateLock>> StateLock::take(const std::string& state_dir) {
  const std::string path = state_dir + "/lock";
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return io_error("cannot open", path);
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    const bool taken = errno == EWOULDBLOCK;
    ::close(fd);
    if (taken) return fail(ErrorCode::kConflict, fmt::format("{} is held by another wafd", path));
    return io_error("cannot lock", path);
  }
  give_to_folder_owner(fd, path);
  return std::unique_ptr<StateLock>(new StateLock(fd));
}

StateLock::~StateLock() { ::close(descriptor_); }

}  // namespace wafd
