// The ring's file in memory, and word-wise copies to and from it that threads may do at the same time.
// Internal.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "detect/core/error.h"
#include "forward/ring/ring_format.h"

namespace wafd::forward::ring {

// Owns descriptor and mapping. The data area's beginning is mapped once more behind its end, so that a record
// that goes over the end lies in one piece. The file must not be shortened by others while it is mapped
// (SIGBUS).
class Map {
 public:
  enum class Access { kRead, kWrite };

  ~Map();
  Map(const Map&) = delete;
  Map& operator=(const Map&) = delete;

  // A new file with every byte allocated: a full disk shows here and never later. Fails if it exists.
  static Result<std::unique_ptr<Map>> create(const std::string& path, std::uint64_t data_bytes);
  // An existing file; for writing it is locked (flock), and brought back to `data_bytes` of its head if it
  // is shorter. `head_sound` tells whether the head was readable; if not, the size of the file gives the data
  // area.
  static Result<std::unique_ptr<Map>> open(const std::string& path, Access access, bool& head_sound);

  std::uint64_t data_bytes() const noexcept { return data_bytes_; }
  std::uint64_t max_record_bytes() const noexcept { return data_bytes_ / 4; }
  const FileHead& head() const noexcept { return head_; }
  void write_head(const FileHead& head) noexcept;  // computes the CRC

  // A word of the live page, or of the data area at an aligned file offset.
  std::uint64_t load(std::uint64_t file_offset) const noexcept {
    return word(file_offset).load(std::memory_order_acquire);
  }
  void store(std::uint64_t file_offset, std::uint64_t value) noexcept {
    word(file_offset).store(value, std::memory_order_release);
  }

  // Every load is acquiring and every store releasing: who copies, then reads a word that was advanced before
  // the bytes were overwritten, knows whether the copy is sound. No fence is needed, and the thread
  // sanitizer sees it. `position` aligned; at most max_record_bytes().
  void copy_out(std::uint64_t position, std::uint64_t bytes, std::uint64_t* out) const noexcept;
  void copy_in(std::uint64_t position, std::string_view bytes) noexcept;  // the last word padded with zeros

  // Asks the processor to have those bytes in its cache soon; reads nothing, and never fails.
  void hint(std::uint64_t position, std::uint64_t bytes) const noexcept {
    const char* from = base_ + kDataBegin + position % data_bytes_;
    for (std::uint64_t at = 0; at < bytes; at += 64) __builtin_prefetch(from + at, 0, 2);
  }

  // For the thread that syncs: data between two positions, or head and live page. False: the system refused.
  bool sync_data(std::uint64_t begin, std::uint64_t end) noexcept;
  bool sync_head() noexcept;
  // Asks for pages that are about to be written, so that no append waits for the disk.
  void fetch_ahead(std::uint64_t position, std::uint64_t bytes) noexcept;

 private:
  Map() = default;
  std::atomic_ref<std::uint64_t> word(std::uint64_t file_offset) const noexcept {
    return std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(base_ + file_offset));
  }
  Result<void> map(Access access);

  int fd_ = -1;
  char* base_ = nullptr;
  std::uint64_t mapped_bytes_ = 0;
  std::uint64_t data_bytes_ = 0;
  FileHead head_{};
  std::string path_;
};

std::string system_error(const std::string& what, const std::string& path, int error);

}  // namespace wafd::forward::ring
