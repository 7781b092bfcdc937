// Number and chain of the audit log's last line, in a file of their own, `audit.head` in the state folder. It
// has two slots, written in turn and each with a checksum: a write that was torn spoils the older one, and
// the newer of those that are sound counts.
//
// A slot: "<20 digits> <64 hex digits>\n", then the SHA-256 of that line as 64 hex digits and "\n". The
// second one begins at kAuditSlotBytes, so that no sector or page holds parts of both. Before there were
// slots the first line was written alone, in place: it is read as long as the second slot is not sound; and
// programs of that time read and write the first line of this file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "detect/core/error.h"

namespace wafd::console {

inline constexpr std::size_t kAuditSlotBytes = 4096;

struct AuditPlace {
  std::uint64_t seq = 0;
  std::string chain;  // 64 hex digits; empty: a version that made none
};

// The bytes of a slot.
std::string audit_slot(const AuditPlace& place);
// Of a slot's bytes; `with_checksum` false: also a line from before slots. Nothing: they are not sound.
std::optional<AuditPlace> read_audit_slot(std::string_view bytes, bool with_checksum);

// The open file; one thread.
class AuditHead {
 public:
  AuditHead() = default;
  explicit AuditHead(int descriptor) noexcept : descriptor_(descriptor) {}  // takes it; -1: there is no file
  AuditHead(AuditHead&& other) noexcept;
  AuditHead& operator=(AuditHead&& other) noexcept;
  ~AuditHead();

  // The newer sound one; nothing: there is none.
  std::optional<AuditPlace> read();
  // Over the other one. On disk when it returns; an error: the one before still counts.
  Result<void> write(const AuditPlace& place);

 private:
  std::string slot(int which) const;

  int descriptor_ = -1;
  int next_ = 0;  // the slot that is written next
};

}  // namespace wafd::console
