// The order in which requests are judged whose gateways wait for the answer, so that the expensive requests
// of one client hold up no others: fair queueing by source, as in "Analysis and Simulation of a Fair Queueing
// Algorithm" (Demers, Keshav, Shenker, 1989), with the table of hashed sources of McKenney's "Stochastic
// Fairness Queueing" (1990). Pure: no clock, no judging.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace wafd::ingest {

class RequestJudge;

// A source is who sent a request: the client's address where the gateway tells it, else the connection. Of an
// IPv6 address its first 64 bits: one host may use all that differ in the others (RFC 4291 section 2.5.1).
using Source = std::uint64_t;

// Why a request is judged now.
enum class Turn : std::uint8_t {
  kTime,  // it is its turn
  kLate,  // it has waited too long, or the queue is full: only what is cheap is to be done
};

// One request that waits.
class Work {
 public:
  virtual ~Work() = default;
  // On any thread: touches nothing but the judge and what is its own. The units of work that it took.
  virtual std::uint64_t judge(RequestJudge& judge, Turn turn) = 0;
  // Afterwards, on the thread of the queue: writes the answer, unless whoever asked has gone.
  virtual void answer() = 0;
};

// One thread.
class FairQueue {
 public:
  using Ticket = std::uint64_t;
  // A request on its way out: judge it, finish() it, let it answer.
  struct Taken {
    std::shared_ptr<Work> work;
    Source source = 0;
    bool bare = true;
    std::uint64_t guess = 0;  // of its units
  };

  // Waiting bytes beyond `max_bytes` make the source that has most of them lose its last request's turn
  // (kLate). `seed` is random, so that nobody can choose an address that shares its place in the table with
  // another's.
  FairQueue(std::size_t max_bytes, std::uint64_t seed) noexcept : max_bytes_(max_bytes), seed_(seed) {}

  Source source_of(std::string_view address) const noexcept;
  Source source_of_connection(const void* connection) const noexcept;

  // True: the request is small, and its source has not used more than its share. It may be judged without
  // being queued, then charge() is called. `turn_start_us` as for the sessions: where a turn begins and
  // nothing waits, all sources are equal again.
  bool at_once(Source source, std::size_t bytes, std::int64_t turn_start_us) noexcept;
  void charge(Source source, std::uint64_t units) noexcept;

  // `bare`: without a body; it never waits behind one with. `bytes` of head and body.
  Ticket push(Source source, bool bare, std::size_t bytes, std::int64_t arrived_us,
              std::shared_ptr<Work> work);
  void cancel(Ticket ticket) noexcept;  // whose owner has gone
  void cancel_all() noexcept;           // there is no time left

  // A request that lost its turn, or the oldest of those that arrived before `late_us`. None: nothing.
  std::optional<Taken> take_late(std::int64_t late_us);
  // The request whose turn it is; with `bare_alone`, only if it has no body.
  std::optional<Taken> take_next(bool bare_alone = false);
  bool bare_waits() const noexcept { return !by_finish_.empty() && !by_finish_.begin()->first.first.first; }
  // The work that a taken request turned out to be, in units.
  void finish(const Taken& taken, std::uint64_t units) noexcept;

  bool empty() const noexcept { return waiting_.empty(); }
  std::size_t size() const noexcept { return waiting_.size(); }
  std::size_t bytes() const noexcept { return bytes_; }  // of those whose turn is not lost
  std::uint64_t given_up() const noexcept {
    return given_up_;
  }  // requests that were cancelled while they waited

  // Called when a request comes in. Set before use; may be empty.
  std::function<void()> on_work;

 private:
  static constexpr std::size_t kPlaces = 4096;
  // A request of that many bytes is small: it costs less than a millisecond or two.
  static constexpr std::size_t kSmallBytes = 16u << 10;
  // How far a source may be ahead of the others and still be judged at once.
  static constexpr std::uint64_t kAheadUnits = 1'000'000;
  static constexpr std::uint64_t kUnitsPerByte = 50;  // the guess before it was judged

  struct Waiting {
    std::shared_ptr<Work> work;
    Source source = 0;
    std::size_t bytes = 0;
    std::int64_t arrived_us = 0;
    std::pair<bool, std::uint64_t> order;  // with a body, finish
    bool shed = false;                     // its turn is lost
  };
  using Order = std::pair<std::pair<bool, std::uint64_t>, Ticket>;

  std::uint64_t& used(Source source) noexcept { return used_[source % kPlaces]; }
  Taken take(Ticket ticket) noexcept;
  void enter(Ticket ticket, const Waiting& waiting);
  void leave(Ticket ticket, const Waiting& waiting) noexcept;
  void shed();

  std::size_t max_bytes_;
  std::uint64_t seed_;
  std::uint64_t now_ = 0;      // virtual time, in units of work: the start of the request that was taken last
  std::uint64_t highest_ = 0;  // in `used_`
  std::array<std::uint64_t, kPlaces> used_{};  // virtual time up to which a source has had its share
  std::int64_t turn_us_ = 0;
  std::map<Ticket, Waiting> waiting_;  // tickets grow: in the order of arrival
  std::map<Order, Ticket> by_finish_;
  // Of those whose turn is not lost, so that the last of the heaviest source is found without a search.
  struct Held {
    std::size_t bytes = 0;
    std::set<Ticket> tickets;
  };
  std::map<Source, Held> held_;
  std::set<std::pair<std::size_t, Source>> by_bytes_;
  std::size_t bytes_ = 0;
  std::uint64_t given_up_ = 0;
  std::vector<Ticket> shed_;  // some may have gone
  Ticket next_ticket_ = 1;
};

}  // namespace wafd::ingest
