// Small files that must not be lost or half there: atomic replacement, bounded reading, the lock of the state
// folder.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "detect/core/error.h"

namespace wafd {

// The whole file; kMissing if there is none, kTooLarge beyond `max_bytes`.
Result<std::string> read_file(const std::string& path, std::size_t max_bytes);

// A command run by root must not leave files behind that the daemon, run by another user, cannot read: gives
// the open file to the owner of the folder it lies in. Does nothing for other users.
void give_to_folder_owner(int descriptor, const std::string& path) noexcept;

// Written beside it (mode 0600), synced, renamed over it, the folder synced: after a crash the old or the new
// is there.
Result<void> write_file(const std::string& path, std::string_view bytes);

// The same for a file of somebody else: owner, group and mode stay those of the file that is there, a
// symbolic link stays one. A new file has `mode`. Whoever may not give it away is refused, and the old file
// stays.
Result<void> replace_file(const std::string& path, std::string_view bytes, unsigned mode);

// Makes the folder (mode 0750) and its parents if they are missing.
Result<void> make_folder(const std::string& path);

// The file `lock` of a state folder, held as long as the object lives: one process writes there.
class StateLock {
 public:
  // kConflict: another process holds it.
  static Result<std::unique_ptr<StateLock>> take(const std::string& state_dir);
  ~StateLock();
  StateLock(const StateLock&) = delete;
  StateLock& operator=(const StateLock&) = delete;

 private:
  explicit StateLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace wafd
