// Users, sessions and tokens in the database of a fleet, for all its consoles: a copy in memory that is
// looked after twice a second, and changes that are made there before they are here.
//
// Each is encrypted and bound to its place (base/sealing.h): a row that the consoles' keys do not open, that
// is damaged, or stands for another one gives nobody any right.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "console/base/background.h"
#include "console/base/sealing.h"
#include "console/credentials/backing.h"
#include "console/credentials/shared_accounts.h"
#include "console/credentials/store.h"
#include "console/io/fleet/background_query.h"
#include "detect/core/clock.h"
#include "forward/io/fleet_database.h"
#include "forward/io/postgres/fleet_accounts.h"

namespace wafd::console {

// On the console loop, but for the questions. A change waits for the database: up to its patience, and not at
// all while it is known not to answer.
class FleetAccounts final : public CredentialBacking, public SharedAccounts {
 public:
  static constexpr std::int64_t kLookMs = 500;
  static constexpr std::int64_t kLeastMs = 50;     // between two looks, whoever asks
  static constexpr std::int64_t kFreshMs = 2'000;  // what is ended elsewhere lives no longer here
  static constexpr std::int64_t kReadingMs = 60'000;
  static constexpr std::int64_t kTryMs = 2'000;     // between two tries whether it takes changes again
  static constexpr std::int64_t kChangeMs = 2'000;  // for a change; nothing is begun after it
  static constexpr std::size_t kMaxWaiting = 512;

  struct Parts {
    forward::FleetDatabase& database;
    Result<SealingKeys> keys;  // an error: nothing can be asked
    Random& random;
    const Clock& clock;
    Background& pool;
    std::function<void(const std::string&)> log;
  };

  // `own`: the store of this node's files. All outlive it.
  FleetAccounts(Parts parts, CredentialStore& own);

  CredentialStore& store() noexcept { return store_; }
  // Called after a look that brought something new, was the first, or found the database back; not while that
  // takes no changes: what is brought may have to be written there.
  void set_seen(std::function<void()> seen) { seen_ = std::move(seen); }
  // Called for a change of which nobody knows whether it was made, with the accounts that it names. Those who
  // know of it look before they try again.
  void set_unknown(std::function<void(const std::vector<std::string>& accounts)> unknown) {
    unknown_ = std::move(unknown);
  }
  bool damaged() const noexcept { return damaged_ > 0; }
  // Waits: before the loop runs.
  void look_now();
  // As often as every kLeastMs.
  void turn();

  Result<void> change(CredentialRows& rows, const std::function<Result<void>()>& turn) override;
  Reach reach() const override;
  std::string why() const override { return why_.empty() ? unwritten_ : why_; }
  bool refuses_changes() const override { return why_.empty() && !unwritten_.empty(); }
  bool pristine() const override {
    return version_ && version_->number == 0 && stored_.empty() && damaged_ == 0;
  }

  void look(std::function<void()> then) override;
  bool settled() const override { return answers() || !why().empty(); }
  std::int64_t reading_until_ms() const override;

 private:
  using Key = std::pair<std::string, std::string>;  // kind, name
  struct Decoded {
    CredentialRows rows;
    std::map<Key, std::string> texts;
    std::size_t damaged = 0;
    std::string why;  // of the first that is damaged
  };
  struct Heard {
    forward::FleetAccountRows now;
    Result<Decoded> decoded;  // where now.changed
  };
  // On a thread that may wait: what is encrypted takes long to read.
  Result<Heard> ask(const std::optional<forward::FleetAccountsVersion>& known, bool tries,
                    const std::function<bool()>& over) const;
  Result<Decoded> decode(const std::vector<forward::FleetAccountRow>& rows) const;
  Result<void> accept(const forward::FleetAccountRows& now, Result<Decoded> decoded);
  void heard(Result<Heard> answer, std::int64_t asked_ms);
  Result<std::vector<forward::FleetAccountRow>> difference(const std::map<Key, std::string>& wanted) const;
  enum class Outcome : std::uint8_t { kMade, kNotMade, kUnknown };
  Outcome find_out(const std::string& change_id, const forward::FleetAccountsVersion& before);
  void note_unwritten(const std::string& why, std::int64_t at_ms);
  std::int64_t known_since_ms() const;
  std::int64_t steady_ms() const noexcept { return parts_.clock.monotonic_us() / 1000; }

  Parts parts_;
  CredentialStore store_;
  BackgroundQuery<Heard> looks_;
  std::function<void()> seen_;
  std::function<void(const std::vector<std::string>&)> unknown_;
  std::vector<std::function<void()>> waiting_, next_;  // for the look under way; for the one behind it
  std::map<Key, std::string> stored_;                  // what the database has, as JSON
  std::optional<forward::FleetAccountsVersion> version_;
  std::uint64_t changes_ = 0, changes_then_ = 0;  // own ones; when the look began
  std::size_t damaged_ = 0;
  std::string why_;                      // the last look failed
  std::optional<std::int64_t> good_ms_;  // when the last good look began
  std::string unwritten_;                // the last change failed, though the database answers
  std::int64_t unwritten_ms_ = 0, tried_ms_ = 0;
  std::int64_t asked_ms_ = 0;
};

}  // namespace wafd::console
