// Durable cursors: how far each target has settled the ring. One small mapped file that survives kill -9.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "detect/core/error.h"
#include "forward/ring/periodic_thread.h"

namespace wafd::forward {

struct Cursor {
  std::string generation;         // of the ring it counts in: 32 hex digits
  std::uint64_t next_seq = 1;     // next sequence to settle
  std::uint32_t sequence_id = 1;  // next RFC 5424 sequenceId, so that a message sent again is the same
  // Events from next_seq on that were sent already, so that a restart knows what it sends again. A hint: one
  // that a crash left is from the write before.
  std::uint32_t sent_ahead = 0;

  bool operator==(const Cursor&) const = default;
};

// The result of open().
struct CursorRecovery {
  // Cursors that were there may be gone: neither the file nor its copy is whole. Also when both are new, so
  // that the caller, who knows whether anything was there to have cursors in, decides what that means.
  bool lost = false;
  std::string text;  // one line for people; empty if there is nothing to say
};

// 256 targets, in a file and in a copy of it (PATH.copy) that are written together: what one has lost, the
// other has. Each target has two places in a file that are written in turn and carry a CRC: a write that was
// cut off leaves the one before. The head says how many cursors there are, so that zeroed places are missed.
// set() costs a few stores and no system call; power loss may take back the last sync interval, which repeats
// messages and loses none. Safe to call from any thread.
class CursorStore {
 public:
  static constexpr std::size_t kSlots = 256;
  static constexpr std::size_t kMaxIdBytes = 64;

  // Creates missing files. What is damaged is read from the copy and made again, and said in recovery(); a
  // file that is none of ours is renamed to PATH.damaged. A file of a later format, and one that another
  // process has open, is an error that names it.
  static Result<std::unique_ptr<CursorStore>> open(const std::string& path,
                                                   std::int64_t sync_interval_ms = 1000);
  ~CursorStore();
  CursorStore(const CursorStore&) = delete;
  CursorStore& operator=(const CursorStore&) = delete;

  const CursorRecovery& recovery() const noexcept { return recovery_; }
  std::optional<Cursor> get(std::string_view id) const;
  // kTooLarge: the id is empty or too long; kResource: all places are taken.
  Result<void> set(std::string_view id, const Cursor& cursor);
  void remove(std::string_view id);
  std::vector<std::pair<std::string, Cursor>> list() const;
  // Highest `next_seq` of all, 1 if there is none: RingOptions::min_next_seq.
  std::uint64_t max_seq() const;

 private:
  struct Known {
    std::size_t slot = 0;
    std::uint64_t version = 0;
    Cursor cursor;
  };
  struct File {
    int fd = -1;
    char* base = nullptr;
    bool whole = false;  // every cursor that was there is there
    std::string state;   // "missing", "cut to 5 bytes", ...; empty: whole
  };
  CursorStore() = default;
  static Result<void> open_file(const std::string& path, bool lock, File& file);
  void read_all();
  void write_all() noexcept;
  void write(std::string_view id, const Known& known) noexcept;
  void write_count() noexcept;

  File file_, copy_;
  CursorRecovery recovery_;
  mutable std::mutex lock_;
  std::map<std::string, Known, std::less<>> known_;
  std::vector<std::pair<std::size_t, std::uint64_t>> free_;  // slot and the version it had
  std::unique_ptr<PeriodicThread> syncer_;
};

}  // namespace wafd::forward
