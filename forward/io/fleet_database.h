// Connections to the database of a fleet, lent one at a time to threads that may wait.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "detect/core/clock.h"
#include "forward/io/postgres/connection.h"
#include "forward/target/target_settings.h"

namespace wafd::forward {

// Whether the database answers, for the page and the status.
struct FleetState {
  bool asked = false;                       // somebody has asked it
  std::string error;                        // why it does not answer; empty: it does
  std::int64_t since_ms = 0;                // of the present state, Unix time
  std::optional<std::int64_t> back_for_ms;  // it answers again after an outage; none: there was none
};

// Any thread. Work must be such that doing it twice does no harm: a connection that was lost meanwhile is
// made anew, once; not for an error of the state kPgNotHeard. A server that is gone without a word is noticed
// before it is asked anything: whoever is the first to ask waits kAliveMs + kReconnectMs. While the database
// is down, who asks within kRetryMs of a failure gets that failure at once.
class FleetDatabase {
 public:
  static constexpr std::int64_t kConnectMs = 3'000;
  static constexpr std::int64_t kStatementMs = 14'000;
  struct Patience {
    std::int64_t connect_ms = kConnectMs;
    std::int64_t statement_ms = kStatementMs;
  };
  static constexpr std::int64_t kRetryMs = 2'000;
  static constexpr std::size_t kKept = 4;              // idle connections
  static constexpr std::int64_t kFreshMs = 1'000;      // used so lately one is taken to be alive
  static constexpr std::int64_t kAliveMs = 1'000;      // for a sign of life of an older one
  static constexpr std::int64_t kReconnectMs = 2'000;  // in place of one that gave none

  using Work = std::function<PgResult<void>(PgConnection&)>;

  FleetDatabase(TargetSettings where, const Clock& clock) : FleetDatabase(std::move(where), clock, {}) {}
  FleetDatabase(TargetSettings where, const Clock& clock, Patience patience)
      : where_(std::move(where)), clock_(clock), patience_(patience) {}
  FleetDatabase(const FleetDatabase&) = delete;
  FleetDatabase& operator=(const FleetDatabase&) = delete;

  // `over`: true once nobody waits for it any more; may be empty.
  PgResult<void> run(const Work& work, const std::function<bool()>& over = {});
  FleetState state() const;
  // Why nobody can ask it at the moment: the last attempt failed less than kRetryMs ago; empty otherwise.
  std::string down() const;
  // Ends all waits, for good.
  void stop() noexcept { stop_.set(); }
  std::string place() const;  // "db.example:5432/wafd"

 private:
  struct Idle {
    std::unique_ptr<PgConnection> connection;
    std::int64_t since_ms = 0;  // steady
  };
  PgResult<std::unique_ptr<PgConnection>> take();
  std::unique_ptr<PgConnection> take_idle(bool& gave_no_sign);
  PgResult<std::unique_ptr<PgConnection>> connect(std::int64_t within_ms);
  // `away`: nobody can write there either.
  void note(const std::string& error, bool away = false);

  const TargetSettings where_;
  const Clock& clock_;
  const Patience patience_;
  StopSignal stop_;
  mutable std::mutex mutex_;  // of what follows
  std::vector<Idle> idle_;
  FleetState state_;
  bool away_ = false;
  std::int64_t back_ms_ = 0;        // steady; when it answered again; 0: it was never away
  PgError down_;                    // of the last attempt to connect
  std::int64_t down_until_ms_ = 0;  // steady; 0: the last attempt succeeded
  bool looking_ = false;            // whether it is back
};

// Of the time that is left, what the next of so many addresses may take.
constexpr std::int64_t share_ms(std::int64_t left_ms, std::size_t addresses) noexcept {
  return left_ms / static_cast<std::int64_t>(addresses);
}

// One line: what went wrong, and what to do about it.
std::string text_of(const PgError& error);

}  // namespace wafd::forward
