// One writer of events into PostgreSQL on the delivery loop. A thread of its own waits for the database;
// nothing of it touches the loop but what is posted there.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "detect/core/error.h"
#include "detect/core/ip_address.h"
#include "forward/io/producers/producer.h"
#include "forward/io/producers/producer_reaper.h"
#include "forward/target/node_beat.h"
#include "forward/target/target_settings.h"
#include "ingest/io/kit/loop.h"
#include "ingest/io/kit/resolver.h"

namespace wafd::forward {

struct PgLogin;

// Settled is what the database has committed. Rows that wait while a transaction is under way are the next
// one's: at most 2,000 and 4 MiB. A transaction that is refused for what a row holds is halved until that row
// is alone; it is put aside once the database has taken a later one. Known events are passed over by their
// key, so what is sent again is there once. Places (host, then backups) are tried in order; one that takes no
// writes is no use.
class PostgresWriter final : public Producer {
 public:
  struct Parts {
    std::string node;
    std::vector<Endpoint> own_listeners;
    kit::ResolveOptions resolve;
    std::shared_ptr<const NodeBeat> beat;  // told every kBeatMs; none: nothing is
  };
  static constexpr std::int64_t kBeatMs = 5'000;

  // Without a reaper the destructor waits for the thread itself. failed(): no place could be written to, the
  // connection is lost, or the database refuses every row for a second.
  static Result<std::unique_ptr<Producer>> create(kit::Loop& loop, std::shared_ptr<ProducerReaper> reaper,
                                                  const TargetSettings& target, Parts parts,
                                                  Callbacks callbacks);
  ~PostgresWriter() override;

  Taken produce(const Message& message) override;
  const AckWindow& window() const noexcept override { return window_; }
  std::uint64_t room() const noexcept override;
  const std::string& peer() const noexcept override { return peer_; }
  const std::string& refusal() const noexcept override { return refusal_; }
  const std::string& last_error() const noexcept override { return last_error_; }

 private:
  struct Block;
  struct Shared;
  struct Outcome;
  PostgresWriter(kit::Loop& loop, std::shared_ptr<ProducerReaper> reaper, const TargetSettings& target,
                 PgLogin login, Parts parts, Callbacks callbacks);
  void resolve(std::size_t place);
  void start_thread();
  void drain();
  bool take(const Outcome& outcome);
  void give_up(std::string why);

  kit::Loop& loop_;
  std::shared_ptr<ProducerReaper> reaper_;
  TargetSettings target_;
  Parts parts_;
  Callbacks callbacks_;
  std::shared_ptr<Shared> shared_;
  std::unique_ptr<kit::ResolveQuery> query_;
  AckWindow window_;
  std::string peer_, last_error_, refusal_;
  kit::Timer deadline_;  // for a refusal that nothing decides
};

}  // namespace wafd::forward
