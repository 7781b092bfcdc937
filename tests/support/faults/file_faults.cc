// Preloaded into wafd by tests (LD_PRELOAD): what it does with the files of one folder is counted, and one
// operation, or all from one on, fails, is short or slow, or is where the process is killed. Other files and
// child processes are left alone.
//
// WAFD_FAULTS_UNDER is the folder.
// WAFD_FAULTS_KIND is what happens: eio, short, slow, full, readonly, kill or torn (README.md).
// WAFD_FAULTS_AT is the number of the operation, from 1 on; with 0 nothing happens.
// WAFD_FAULTS_LOG is a file outside of the folder for a line of each operation: "NUMBER NAME PATH", and " *"
// where it was struck.
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

enum class Kind { kNone, kEio, kShort, kSlow, kFull, kReadonly, kKill, kTorn };
enum class Does { kOpen, kCreate, kWrite, kAllocate, kReplace, kOther };

constexpr int kDescriptors = 65536;
constexpr unsigned kSlowUs = 30'000;

struct State {
  bool on = false;
  char folder[512] = {};
  Kind kind = Kind::kNone;
  long at = 0;
  int log = -1;
  std::atomic<long> count{0};
  std::atomic<bool> ours[kDescriptors] = {};
};
State state;

Kind kind_of(const char* name) {
  const char* const names[] = {"none", "eio", "short", "slow", "full", "readonly", "kill", "torn"};
  for (int i = 0; i < 8; ++i)
    if (name != nullptr && std::strcmp(name, names[i]) == 0) return static_cast<Kind>(i);
  return Kind::kNone;
}

// Before main, and before the program has a second thread. Programs that it starts find no folder.
__attribute__((constructor)) void begin() {
  const char* const folder = std::getenv("WAFD_FAULTS_UNDER");
  if (folder == nullptr || std::strlen(folder) >= sizeof state.folder - 1) return;
  std::snprintf(state.folder, sizeof state.folder, "%s/", folder);
  state.kind = kind_of(std::getenv("WAFD_FAULTS_KIND"));
  if (const char* at = std::getenv("WAFD_FAULTS_AT")) state.at = std::atol(at);
  if (const char* log = std::getenv("WAFD_FAULTS_LOG"))
    state.log =
        static_cast<int>(syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  ::unsetenv("WAFD_FAULTS_UNDER");
  state.on = true;
}

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

bool is_ours(const char* path) {
  return state.on && path != nullptr && std::strncmp(path, state.folder, std::strlen(state.folder)) == 0;
}

bool is_ours(int fd) { return state.on && fd >= 0 && fd < kDescriptors && state.ours[fd].load(); }

void note(long number, const char* name, const char* path, bool struck) {
  if (state.log < 0) return;
  char line[640];
  const int length =
      std::snprintf(line, sizeof line, "%ld %s %s%s\n", number, name, path, struck ? " *" : "");
  if (length > 0) syscall(SYS_write, state.log, line, static_cast<std::size_t>(length));
}

// The outcome of one operation.
struct Fate {
  int error = 0;        // it fails with that
  bool half = false;    // of what is to be written
  bool killed = false;  // when that is done
};

[[noreturn]] void die() {
  ::kill(::getpid(), SIGKILL);
  for (;;) ::pause();
}

Fate fate_of(Does does) {
  Fate fate;
  switch (state.kind) {
    case Kind::kNone:
      break;
    case Kind::kEio:
      fate.error = EIO;
      break;
    case Kind::kShort:
      fate.half = does == Does::kWrite;
      break;
    case Kind::kSlow:
      ::usleep(kSlowUs);
      break;
    case Kind::kFull:
      // Opening what is there, renaming and removing need no room.
      if (does == Does::kCreate || does == Does::kWrite || does == Does::kAllocate) fate.error = ENOSPC;
      break;
    case Kind::kReadonly:
      if (does == Does::kCreate || does == Does::kReplace) fate.error = EROFS;
      break;
    case Kind::kKill:
      die();
    case Kind::kTorn:
      fate.half = does == Does::kWrite;
      fate.killed = true;
      break;
  }
  return fate;
}

// A short write is the first write from that operation on; a full disk and a read-only one stay.
Fate operation(const char* name, const char* path, Does does) {
  const long number = ++state.count;
  static std::atomic<bool> shortened{false};
  const bool stays = state.kind == Kind::kFull || state.kind == Kind::kReadonly || state.kind == Kind::kSlow;
  bool struck = state.at > 0 && (stays ? number >= state.at : number == state.at);
  if (state.kind == Kind::kShort)
    struck = state.at > 0 && number >= state.at && does == Does::kWrite && !shortened.exchange(true);
  note(number, name, path, struck);
  return struck ? fate_of(does) : Fate{};
}

int failed(int error) {
  errno = error;
  return -1;
}

template <typename Call>
auto with_fate(const Fate& fate, Call call) -> decltype(call()) {
  if (fate.error != 0) return static_cast<decltype(call())>(failed(fate.error));
  const auto result = call();
  if (fate.killed) die();
  return result;
}

int opened(const char* path, int flags, mode_t mode, int (*call)(const char*, int, mode_t)) {
  if (!is_ours(path)) return call(path, flags, mode);
  const bool writes = (flags & (O_WRONLY | O_RDWR)) != 0;
  struct stat before {};
  const bool makes = (flags & O_CREAT) != 0 && ::stat(path, &before) != 0;
  const Does does = makes ? Does::kCreate : writes ? Does::kReplace : Does::kOpen;
  return with_fate(operation("open", path, does), [&] {
    const int fd = call(path, flags, mode);
    if (fd >= 0 && fd < kDescriptors) state.ours[fd] = true;
    return fd;
  });
}

int call_open(const char* path, int flags, mode_t mode) {
  static auto* const real = next<int(const char*, int, ...)>("open");
  return real(path, flags, mode);
}

Fate on_file(const char* name, int fd, Does does) {
  char link[40];
  char path[512] = {};
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  if (state.log >= 0 && syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1) < 0) path[0] = '\0';
  return operation(name, path, does);
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  mode_t mode = 0;
  if ((flags & (O_CREAT | O_TMPFILE)) != 0) {
    va_list more;
    va_start(more, flags);
    mode = static_cast<mode_t>(va_arg(more, unsigned));
    va_end(more);
  }
  return opened(path, flags, mode, call_open);
}

int __open_2(const char* path, int flags) { return opened(path, flags, 0, call_open); }

ssize_t write(int fd, const void* bytes, std::size_t size) {
  static auto* const real = next<ssize_t(int, const void*, std::size_t)>("write");
  if (!is_ours(fd)) return real(fd, bytes, size);
  const Fate fate = on_file("write", fd, Does::kWrite);
  return with_fate(fate, [&] { return real(fd, bytes, fate.half ? size / 2 : size); });
}

ssize_t pwrite(int fd, const void* bytes, std::size_t size, off_t at) {
  static auto* const real = next<ssize_t(int, const void*, std::size_t, off_t)>("pwrite");
  if (!is_ours(fd)) return real(fd, bytes, size, at);
  const Fate fate = on_file("pwrite", fd, Does::kWrite);
  return with_fate(fate, [&] { return real(fd, bytes, fate.half ? size / 2 : size, at); });
}

int fsync(int fd) {
  static auto* const real = next<int(int)>("fsync");
  if (!is_ours(fd)) return real(fd);
  return with_fate(on_file("fsync", fd, Does::kOther), [&] { return real(fd); });
}

int fdatasync(int fd) {
  static auto* const real = next<int(int)>("fdatasync");
  if (!is_ours(fd)) return real(fd);
  return with_fate(on_file("fdatasync", fd, Does::kOther), [&] { return real(fd); });
}

int ftruncate(int fd, off_t size) noexcept {
  static auto* const real = next<int(int, off_t)>("ftruncate");
  if (!is_ours(fd)) return real(fd, size);
  return with_fate(on_file("ftruncate", fd, Does::kOther), [&] { return real(fd, size); });
}

// Gives its error instead of setting errno.
int posix_fallocate(int fd, off_t at, off_t size) {
  static auto* const real = next<int(int, off_t, off_t)>("posix_fallocate");
  if (!is_ours(fd)) return real(fd, at, size);
  const Fate fate = on_file("posix_fallocate", fd, Does::kAllocate);
  if (fate.error != 0) return fate.error;
  return with_fate(fate, [&] { return real(fd, at, size); });
}

int rename(const char* from, const char* to) noexcept {
  static auto* const real = next<int(const char*, const char*)>("rename");
  if (!is_ours(from) && !is_ours(to)) return real(from, to);
  return with_fate(operation("rename", to, Does::kReplace), [&] { return real(from, to); });
}

int unlink(const char* path) noexcept {
  static auto* const real = next<int(const char*)>("unlink");
  if (!is_ours(path)) return real(path);
  return with_fate(operation("unlink", path, Does::kReplace), [&] { return real(path); });
}

int mkdir(const char* path, mode_t mode) noexcept {
  static auto* const real = next<int(const char*, mode_t)>("mkdir");
  if (!is_ours(path)) return real(path, mode);
  return with_fate(operation("mkdir", path, Does::kCreate), [&] { return real(path, mode); });
}

void* mmap(void* where, std::size_t size, int protection, int flags, int fd, off_t at) noexcept {
  static auto* const real = next<void*(void*, std::size_t, int, int, int, off_t)>("mmap");
  if (!is_ours(fd)) return real(where, size, protection, flags, fd, at);
  const Fate fate = on_file("mmap", fd, Does::kOther);
  if (fate.error != 0) {
    errno = fate.error == EIO ? ENOMEM : fate.error;
    return MAP_FAILED;
  }
  void* const mapped = real(where, size, protection, flags, fd, at);
  if (fate.killed) die();
  return mapped;
}

// Only files of the folder are synced so.
int msync(void* where, std::size_t size, int flags) {
  static auto* const real = next<int(void*, std::size_t, int)>("msync");
  if (!state.on) return real(where, size, flags);
  return with_fate(operation("msync", "mapped", Does::kOther), [&] { return real(where, size, flags); });
}

// It is closed whatever is answered, as Linux does.
int close(int fd) {
  static auto* const real = next<int(int)>("close");
  if (!is_ours(fd)) return real(fd);
  const Fate fate = on_file("close", fd, Does::kOther);
  state.ours[fd] = false;
  const int result = real(fd);
  if (fate.killed) die();
  return fate.error != 0 ? failed(fate.error) : result;
}

}  // extern "C"
