// One connection to a PostgreSQL server, for a thread that may wait: every wait has an end, and whoever wants
// the thread back ends it earlier.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <libpq-fe.h>
#include <tl/expected.hpp>

#include "detect/core/error.h"
#include "detect/core/free_with.h"

namespace wafd::forward {

// Ends the waits of another thread, for good. Any thread.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  void set() noexcept;
  bool is_set() const noexcept;
  int descriptor() const noexcept { return descriptor_; }

 private:
  int descriptor_;
};

enum class PgStage : std::uint8_t { kConnect, kTls, kLogin, kSchema, kWrite };

// Stands for the SQLSTATE of a row that no table of a day takes.
inline constexpr std::string_view kPgNoDay = "no day";
// Whoever asked no longer waits for the answer.
inline constexpr std::string_view kPgGivenUp = "given up";
// Of a change, whose connection broke before anybody heard whether it was made.
inline constexpr std::string_view kPgNotHeard = "not heard";

struct PgError {
  PgStage stage = PgStage::kWrite;
  std::string what;   // at most 300 printable characters
  std::string hint;   // what to do about it, if that is known
  std::string state;  // SQLSTATE; empty: not from the server
  bool data = false;  // what was written is refused for what it is; the connection is sound
};
template <class T>
using PgResult = tl::expected<T, PgError>;

// Nothing can be asked of the connection again: it is lost, or still busy with what nobody waits for.
inline bool is_lost(const PgError& error) noexcept {
  return error.state.empty() || error.state == kPgGivenUp || error.state == kPgNotHeard;
}
// The server goes, or says that it is not there yet (class 57P, 08).
inline bool goes_away(const PgError& error) noexcept {
  return error.state.starts_with("57P") || error.state.starts_with("08");
}

using PgAnswer = std::unique_ptr<PGresult, FreeWith<PQclear>>;

struct PgLogin {
  std::string database, user, password;
  bool encrypted = true;
  bool verify = true;  // the certificate, and that it is of the place's host
  std::string min_version = "1.2";
  std::string ca_pem;  // empty: the system's
  std::string certificate_pem, key_pem;
};

// An address that was judged, and the name that the server's certificate must have.
struct PgPlace {
  std::string host;
  std::string address;
  std::uint16_t port = 0;
};

class PgConnection {
 public:
  static constexpr std::int64_t kConnectMs = 10'000;
  static constexpr std::int64_t kAnswerMs = 60'000;
  static constexpr std::int64_t kLongAnswerMs = 4 * 3'600'000;

  // Logs in. No password comes from a file of libpq's own. `stop` outlives the connection.
  static PgResult<std::unique_ptr<PgConnection>> open(const PgLogin& login, const PgPlace& place,
                                                      const StopSignal& stop,
                                                      std::int64_t timeout_ms = kConnectMs);
  ~PgConnection();
  PgConnection(const PgConnection&) = delete;
  PgConnection& operator=(const PgConnection&) = delete;

  // Statements without parameters; the last answer. The first error stays, and ends what comes behind it.
  PgResult<PgAnswer> run(const std::string& sql);
  // One statement, with $1, $2, ... as texts without NUL.
  PgResult<PgAnswer> run(const std::string& sql, std::span<const std::string> parameters);
  // `sql` ends with a COPY ... FROM STDIN, which gets `texts`, lines with their ends.
  PgResult<void> copy(const std::string& sql, std::span<const std::string_view> texts);
  // Asked ten times a second while an answer is waited for: true ends the wait with an error of the state
  // kPgGivenUp. The connection is good for nothing then. Empty: never.
  void set_over(std::function<bool()> over) { over_ = std::move(over); }
  // From now on answers may take so long; up to kLongAnswerMs, which `stop` still ends, or kAnswerMs again.
  void answer_within(std::int64_t ms) noexcept { answer_ms_ = ms; }
  void be_patient(bool patient) noexcept { answer_ms_ = patient ? kLongAnswerMs : kAnswerMs; }
  // Messages of the server that answer no question: an error once the connection is gone.
  PgResult<void> look();
  std::string quoted(std::string_view text) const;  // as a literal

  int server_version() const noexcept { return PQserverVersion(handle_); }  // 150004
  std::string tls_version() const;                                          // empty: not encrypted
  std::string peer() const;

 private:
  explicit PgConnection(const StopSignal& stop) : stop_(stop) {}
  PgResult<void> log_in(std::int64_t deadline_ms);
  PgResult<void> wait(short events, std::int64_t deadline_ms);
  PgResult<void> flush(std::int64_t deadline_ms);
  PgResult<void> put(std::string_view piece, std::int64_t deadline_ms);
  PgResult<PgAnswer> next(std::int64_t deadline_ms);
  PgResult<PgAnswer> collect(bool until_copy);
  PgError lost() const;

  const StopSignal& stop_;
  PGconn* handle_ = nullptr;
  std::int64_t answer_ms_ = kAnswerMs;
  std::function<bool()> over_;
  std::string place_;
};

}  // namespace wafd::forward
