// Who changed what: an append-only file of JSON lines, `audit.log` in the state folder (mode 0600).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>

#include "console/base/audit_head.h"
#include "detect/core/error.h"

namespace wafd::console {

struct AuditEntry {
  std::int64_t time_ms = 0;
  std::string user;     // empty: nobody was known yet
  std::string via;      // "session" | "token" | "command" | "setup" | "file" | "console": wafd itself
  std::string address;  // of the client; empty for commands
  std::string action;   // "syslog.target.create", ...
  std::string object;   // id or name of what was changed
  boost::json::object detail;
};

// `audit.head` beside it (audit_head.h) has number and chain of the last line: so lines that were cut off at
// the end show, too. Who can write both files can forge both; the audit stream of a target is out of their
// reach.
//
// Each line ends with the member `chain`: SHA-256 of the chain of the line before, a line end, and the line
// without it. So a line that was changed, and one that is missing between others, shows. One thread. A line
// that a crash left unfinished, or a disk that was full, is taken away: nobody was told that it is there. The
// file only grows, and is moved to `audit.log.1` (replacing the one before) at kMaxAuditBytes; as long as
// that cannot be done it goes on growing, to twice of it.
inline constexpr std::size_t kMaxAuditBytes = 64u << 20;
inline constexpr std::size_t kMaxAuditLooked = 20'000;
class AuditLog {
 public:
  static Result<AuditLog> open(const std::string& state_dir);
  // To look at it alone, also while a daemon writes: nothing is changed, append() fails.
  static Result<AuditLog> open_to_read(const std::string& state_dir);
  AuditLog(AuditLog&& other) noexcept;
  AuditLog& operator=(AuditLog&&) = delete;
  ~AuditLog();

  // The line written (without its end); it is on disk when the call returns. An error: it is not there, and
  // the next one goes where it would have been.
  Result<std::string> append(const AuditEntry& entry);
  // Errors of the last append() that did not lose its line: audit.head not written, or the file not moved.
  // Empty: none.
  const std::string& trouble() const noexcept { return trouble_; }

  struct Page {
    std::vector<std::string> entries;     // JSON texts, newest first
    std::optional<std::uint64_t> before;  // for the next page
  };
  // `text`: only entries in whose line it stands, whatever its case (ASCII); a call looks at kMaxAuditLooked
  // entries at most, so that a page may have fewer than there are and still a next one.
  Page read(std::size_t limit, std::optional<std::uint64_t> before, std::string_view text = {}) const;
  // The first lines behind `seq` of those in the present file, with their numbers.
  std::vector<std::pair<std::uint64_t, std::string>> behind(std::uint64_t seq, std::size_t limit) const;
  std::uint64_t next_seq() const noexcept { return next_seq_; }
  // The fault that open() found in the chain, one line for people; empty: nothing.
  const std::string& damage() const noexcept { return damage_; }

 private:
  struct Line {
    std::uint64_t seq = 0;
    std::uint64_t offset = 0;
    std::uint32_t length = 0;
  };
  AuditLog(std::string path, int descriptor, bool writes)
      : path_(std::move(path)), descriptor_(descriptor), writes_(writes) {}
  static Result<AuditLog> open_as(const std::string& state_dir, bool writes);
  Result<void> index();
  void check(std::string_view line, std::uint64_t seq);
  std::optional<std::string> read_line(const Line& at) const;
  void see_head(std::uint64_t seq);
  void see_head_in(std::string_view lines);
  void check_head(std::uint64_t first);
  Result<void> rotate();
  Result<void> write_line(std::string_view line);
  Result<void> take_rest_away();

  std::string path_;
  int descriptor_ = -1;
  AuditHead head_file_;
  bool writes_ = true;
  std::uint64_t size_ = 0;  // up to the end of the last line
  bool rest_ = false;       // something unfinished may stand behind it
  std::string trouble_;
  std::uint64_t next_seq_ = 1;
  std::string chain_;  // of the last line; empty: there is none, or it is of a version that made none
  std::string damage_;
  std::optional<AuditPlace> head_;  // as it was found, until the line it names is read
  bool head_seen_ = false;          // that line is there, and has that chain
  std::vector<Line> lines_;
};

}  // namespace wafd::console
