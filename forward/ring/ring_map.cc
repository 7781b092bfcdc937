#include "forward/ring/ring_map.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "detect/core/digest.h"

namespace wafd::forward::ring {
namespace {

std::uint32_t head_crc(const FileHead& head) noexcept {
  return crc32c(std::string_view(reinterpret_cast<const char*>(&head), offsetof(FileHead, crc)));
}

bool is_sound(const FileHead& head) noexcept {
  return std::memcmp(head.magic, kMagic, sizeof kMagic) == 0 && head.crc == head_crc(head) &&
         head.data_bytes >= kMinDataBytes && head.data_bytes % kPageBytes == 0 &&
         head.data_bytes < (std::uint64_t{1} << 46);
}

}  // namespace

std::string system_error(const std::string& what, const std::string& path, int error) {
  return fmt::format("{}: {}: {}", path, what, std::generic_category().message(error));
}

Map::~Map() {
  if (base_ != nullptr) ::munmap(base_, mapped_bytes_);
  if (fd_ >= 0) ::close(fd_);
}

Result<std::unique_ptr<Map>> Map::create(const std::string& path, std::uint64_t data_bytes) {
  std::unique_ptr<Map> map(new Map);
  map->path_ = path;
  map->data_bytes_ = data_bytes;
  map->fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (map->fd_ < 0) return fail(ErrorCode::kIo, system_error("cannot create the ring", path, errno));
  if (::flock(map->fd_, LOCK_EX | LOCK_NB) != 0) return fail(ErrorCode::kConflict, path + ": ring is in use");
  const std::uint64_t whole = kDataBegin + data_bytes;
  if (const int error = ::posix_fallocate(map->fd_, 0, static_cast<off_t>(whole)); error != 0) {
    ::unlink(path.c_str());
    return fail(ErrorCode::kResource,
                system_error(fmt::format("cannot allocate {} MiB for the ring", whole >> 20), path, error));
  }
  if (auto mapped = map->map(Access::kWrite); !mapped) {
    ::unlink(path.c_str());
    return tl::unexpected(mapped.error());
  }
  return map;
}

Result<std::unique_ptr<Map>> Map::open(const std::string& path, Access access, bool& head_sound) {
  std::unique_ptr<Map> map(new Map);
  map->path_ = path;
  const bool writing = access == Access::kWrite;
  map->fd_ = ::open(path.c_str(), (writing ? O_RDWR : O_RDONLY) | O_CLOEXEC);
  if (map->fd_ < 0) {
    return fail(errno == ENOENT ? ErrorCode::kMissing : ErrorCode::kIo,
                system_error("cannot open the ring", path, errno));
  }
  if (writing && ::flock(map->fd_, LOCK_EX | LOCK_NB) != 0) {
    return fail(ErrorCode::kConflict, path + ": the ring is in use by another process");
  }
  struct stat status {};
  if (::fstat(map->fd_, &status) != 0 || !S_ISREG(status.st_mode)) {
    return fail(ErrorCode::kInvalid, path + ": the ring is no regular file");
  }
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size < kDataBegin + kMinDataBytes) {
    return fail(ErrorCode::kTruncated, fmt::format("{}: {} bytes are too few for a ring", path, size));
  }
  FileHead head{};
  if (::pread(map->fd_, &head, sizeof head, 0) != static_cast<ssize_t>(sizeof head)) {
    return fail(ErrorCode::kIo, system_error("cannot read the ring's head", path, errno));
  }
  head_sound = is_sound(head);
  if (head_sound && (head.format != kFormat || head.byte_order != kByteOrder)) {
    return fail(ErrorCode::kInvalid,
                fmt::format("{}: ring of format {}, this program reads format {}; move the file "
                            "away or use the program that wrote it",
                            path, head.format, kFormat));
  }
  map->data_bytes_ = head_sound ? head.data_bytes : (size - kDataBegin) / kPageBytes * kPageBytes;
  if (head_sound) map->head_ = head;
  if (size < kDataBegin + map->data_bytes_) {
    if (!writing) return fail(ErrorCode::kTruncated, path + ": the ring is shorter than its head says");
    const auto whole = static_cast<off_t>(kDataBegin + map->data_bytes_);
    if (const int error = ::posix_fallocate(map->fd_, 0, whole); error != 0) {
      return fail(ErrorCode::kResource, system_error("cannot restore the ring's size", path, error));
    }
  }
  if (auto mapped = map->map(access); !mapped) return tl::unexpected(mapped.error());
  return map;
}

Result<void> Map::map(Access access) {
  const std::uint64_t whole = kDataBegin + data_bytes_;
  const std::uint64_t again =
      std::min(data_bytes_, padded(max_record_bytes()) + kPageBytes) / kPageBytes * kPageBytes;
  const int protection = access == Access::kWrite ? PROT_READ | PROT_WRITE : PROT_READ;
  void* region =
      ::mmap(nullptr, whole + again, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (region == MAP_FAILED)
    return fail(ErrorCode::kResource, system_error("cannot map the ring", path_, errno));
  base_ = static_cast<char*>(region);
  mapped_bytes_ = whole + again;
  if (::mmap(base_, whole, protection, MAP_SHARED | MAP_FIXED, fd_, 0) == MAP_FAILED ||
      ::mmap(base_ + whole, again, protection, MAP_SHARED | MAP_FIXED, fd_, static_cast<off_t>(kDataBegin)) ==
          MAP_FAILED) {
    return fail(ErrorCode::kResource, system_error("cannot map the ring", path_, errno));
  }
  return {};
}

void Map::write_head(const FileHead& head) noexcept {
  head_ = head;
  std::memcpy(head_.magic, kMagic, sizeof kMagic);
  head_.format = kFormat;
  head_.byte_order = kByteOrder;
  head_.data_bytes = data_bytes_;
  head_.crc = head_crc(head_);
  std::memcpy(base_, &head_, sizeof head_);
}

void Map::copy_out(std::uint64_t position, std::uint64_t bytes, std::uint64_t* out) const noexcept {
  auto* from = reinterpret_cast<std::uint64_t*>(base_ + kDataBegin + position % data_bytes_);
  std::uint64_t words = padded(bytes) / 8;
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
  // The same in pieces of 64 bytes: every load of this processor acquires, and none of a word is torn.
  for (; words >= 8; words -= 8, from += 8, out += 8) {
    asm volatile(
        "movdqu (%0), %%xmm0\n movdqu 16(%0), %%xmm1\n movdqu 32(%0), %%xmm2\n movdqu 48(%0), %%xmm3\n"
        "movdqu %%xmm0, (%1)\n movdqu %%xmm1, 16(%1)\n movdqu %%xmm2, 32(%1)\n movdqu %%xmm3, 48(%1)\n"
        :
        : "r"(from), "r"(out)
        : "xmm0", "xmm1", "xmm2", "xmm3", "memory");
  }
#endif
  for (; words > 0; --words) {
    *out++ = std::atomic_ref<std::uint64_t>(*from++).load(std::memory_order_acquire);
  }
}

void Map::copy_in(std::uint64_t position, std::string_view bytes) noexcept {
  auto* to = reinterpret_cast<std::uint64_t*>(base_ + kDataBegin + position % data_bytes_);
  const char* from = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, from += 8) {
    std::uint64_t value;
    std::memcpy(&value, from, 8);
    std::atomic_ref<std::uint64_t>(*to++).store(value, std::memory_order_release);
  }
  if (left > 0) {
    std::uint64_t value = 0;
    std::memcpy(&value, from, left);
    std::atomic_ref<std::uint64_t>(*to).store(value, std::memory_order_release);
  }
}

bool Map::sync_data(std::uint64_t begin, std::uint64_t end) noexcept {
  if (end - begin >= data_bytes_) return ::msync(base_ + kDataBegin, data_bytes_, MS_SYNC) == 0;
  const std::uint64_t first = begin % data_bytes_ / kPageBytes * kPageBytes;
  const std::uint64_t last = first + (end - begin) + kPageBytes;
  bool ok = ::msync(base_ + kDataBegin + first, std::min(last, data_bytes_) - first, MS_SYNC) == 0;
  if (last > data_bytes_) {
    const std::uint64_t rest = std::min(last - data_bytes_, data_bytes_);
    ok = ::msync(base_ + kDataBegin, rest, MS_SYNC) == 0 && ok;
  }
  return ok;
}

bool Map::sync_head() noexcept { return ::msync(base_, kDataBegin, MS_SYNC) == 0; }

void Map::fetch_ahead(std::uint64_t position, std::uint64_t bytes) noexcept {
  const std::uint64_t first = position % data_bytes_ / kPageBytes * kPageBytes;
  const std::uint64_t length = std::min(bytes, data_bytes_ - first);
  ::madvise(base_ + kDataBegin + first, length, MADV_WILLNEED);
  if (length < bytes) ::madvise(base_ + kDataBegin, std::min(bytes - length, data_bytes_), MADV_WILLNEED);
}

}  // namespace wafd::forward::ring
