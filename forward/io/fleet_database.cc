#include "forward/io/fleet_database.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "forward/io/fleet_address.h"
#include "forward/io/postgres/fleet_events.h"
#include "forward/io/postgres/migrations.h"
#include "forward/io/postgres/session.h"
#include "forward/io/postgres_login.h"

namespace wafd::forward {
namespace {

PgError connect_error(std::string what, std::string hint = "") {
  return {PgStage::kConnect, std::move(what), std::move(hint), "", false};
}

// A console reads columns that older tables lack.
PgResult<void> check_tables(PgConnection& connection) {
  const auto found = connection.run("SELECT to_regclass('wafd_schema') IS NOT NULL");
  if (!found) return tl::unexpected(found.error());
  int tables = 0;
  if (PQgetvalue(found->get(), 0, 0)[0] == 't') {
    const auto version = connection.run("SELECT coalesce(max(version), 0) FROM wafd_schema");
    if (!version) return tl::unexpected(version.error());
    tables = std::atoi(PQgetvalue(version->get(), 0, 0));
  }
  const int known = migrations().back().version;
  if (tables >= known) return {};
  return tl::unexpected(
      PgError{PgStage::kSchema,
              tables == 0 ? "the tables of wafd are missing"
                          : fmt::format("the tables are of version {}, this wafd needs {}", tables, known),
              "let their owner run `wafd fleet init` of this version", "", false});
}

}  // namespace

std::string text_of(const PgError& error) {
  return error.hint.empty() ? error.what : fmt::format("{} ({})", error.what, error.hint);
}

std::string FleetDatabase::place() const {
  return fmt::format("{}:{}/{}", where_.host, where_.port, where_.postgresql.database);
}

FleetState FleetDatabase::state() const {
  const std::lock_guard lock(mutex_);
  FleetState out = state_;
  if (back_ms_ != 0 && out.error.empty()) out.back_for_ms = clock_.monotonic_us() / 1000 - back_ms_;
  return out;
}

std::string FleetDatabase::down() const {
  const std::lock_guard lock(mutex_);
  return clock_.monotonic_us() / 1000 < down_until_ms_ ? text_of(down_) : std::string();
}

void FleetDatabase::note(const std::string& error, bool away) {
  const std::lock_guard lock(mutex_);
  if (!state_.asked || state_.error.empty() != error.empty()) state_.since_ms = clock_.unix_us() / 1000;
  if (away_ && error.empty()) back_ms_ = clock_.monotonic_us() / 1000;
  away_ = away || (away_ && !error.empty());
  state_.asked = true;
  state_.error = error;
}

PgResult<std::unique_ptr<PgConnection>> FleetDatabase::connect(std::int64_t within_ms) {
  const auto login = postgres_login(where_);
  if (!login) return tl::unexpected(connect_error(login.error().what));
  const auto places = resolve_fleet(where_, stop_);
  if (!places) return tl::unexpected(connect_error(fmt::format("{}: {}", where_.host, places.error().what)));
  PgError last = connect_error(fmt::format("{}: no address", where_.host));
  const std::int64_t until_ms = clock_.monotonic_us() / 1000 + within_ms;
  for (std::size_t i = 0; i < places->size(); ++i) {
    const std::int64_t left_ms = share_ms(until_ms - clock_.monotonic_us() / 1000, places->size() - i);
    if (left_ms <= 0) break;
    auto connection = PgConnection::open(*login, (*places)[i], stop_, left_ms);
    if (connection) {
      // The server ends a statement itself before that, if it is there.
      (*connection)->answer_within(patience_.statement_ms + 500);
      auto begun = FleetEvents(**connection).begin(patience_.statement_ms);
      if (begun) begun = check_tables(**connection);
      if (begun) return connection;
      last = std::move(begun.error());
    } else {
      last = std::move(connection.error());
    }
  }
  return tl::unexpected(std::move(last));
}

// One that is alive, if there is one. Those beside one that gives no sign of life are gone as well.
std::unique_ptr<PgConnection> FleetDatabase::take_idle(bool& gave_no_sign) {
  Idle kept;
  {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return nullptr;
    kept = std::move(idle_.back());
    idle_.pop_back();
  }
  const std::int64_t begin_ms = clock_.monotonic_us() / 1000;
  if (begin_ms - kept.since_ms < kFreshMs) return std::move(kept.connection);
  kept.connection->answer_within(kAliveMs);
  const auto alive = kept.connection->run("SELECT 1");
  kept.connection->answer_within(patience_.statement_ms + 500);
  if (alive) return std::move(kept.connection);
  gave_no_sign = clock_.monotonic_us() / 1000 - begin_ms >= kAliveMs;  // one that was cut is no such thing
  const std::lock_guard lock(mutex_);
  idle_.clear();
  return nullptr;
}

PgResult<std::unique_ptr<PgConnection>> FleetDatabase::take() {
  bool gave_no_sign = false;
  if (auto kept = take_idle(gave_no_sign)) return kept;
  {
    const std::lock_guard lock(mutex_);
    // While it is down one at a time looks whether it is back.
    if (down_until_ms_ != 0 && (looking_ || clock_.monotonic_us() / 1000 < down_until_ms_))
      return tl::unexpected(down_);
    looking_ = down_until_ms_ != 0;
  }
  auto made = connect(gave_no_sign ? std::min(kReconnectMs, patience_.connect_ms) : patience_.connect_ms);
  const std::lock_guard lock(mutex_);
  looking_ = false;
  down_until_ms_ = made ? 0 : clock_.monotonic_us() / 1000 + kRetryMs;
  if (!made) down_ = made.error();
  return made;
}

PgResult<void> FleetDatabase::run(const Work& work, const std::function<bool()>& over) {
  for (bool again = false;; again = true) {
    auto connection = take();
    if (!connection) {
      // Without tables there are no nodes that could have told anything.
      note(text_of(connection.error()), connection.error().stage != PgStage::kSchema);
      connection.error().stage = PgStage::kConnect;
      return tl::unexpected(std::move(connection.error()));
    }
    (*connection)->set_over(over);
    auto done = work(**connection);
    (*connection)->set_over({});
    const bool lost = !done && (is_lost(done.error()) || goes_away(done.error()));
    if (!lost) {
      note("");
      const std::lock_guard lock(mutex_);
      if (idle_.size() < kKept) idle_.push_back({std::move(*connection), clock_.monotonic_us() / 1000});
      return done;
    }
    if (done.error().state == kPgGivenUp) return done;
    connection->reset();
    {
      // Those that waited beside it are lost as well.
      const std::lock_guard lock(mutex_);
      idle_.clear();
    }
    const bool heard = done.error().state != kPgNotHeard;  // work that may be done is not done again
    if (heard && !again && !stop_.is_set() && !(over && over())) continue;
    note(text_of(done.error()), heard);
    if (heard) done.error().stage = PgStage::kConnect;
    return done;
  }
}

}  // namespace wafd::forward
