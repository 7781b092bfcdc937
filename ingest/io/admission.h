// Who keeps a place on a listener: which connection makes room when all places are taken, and which messages
// took too long to arrive. One for each listener of a worker, on its thread.
#pragma once

#include <cstdint>
#include <list>
#include <vector>

#include "ingest/phase.h"

namespace wafd::ingest {

class Connection;

// Of one connection; held by it, written by Admission.
struct Place {
  enum class Queue : std::uint8_t { kNone, kStrangers, kReceiving };
  Queue queue = Queue::kNone;
  std::list<Connection*>::iterator at;
  bool known = false;  // it was answered at least once
  Phase phase = Phase::kIdle;
  std::int64_t since_us = 0;  // monotonic: when the phase began, or the body last came forward
  std::uint64_t progress = 0;
};

class Admission {
 public:
  // `phase`: kHead where a TLS handshake comes first, which has the time of a head.
  void entered(Connection& connection, Phase phase, std::int64_t now_us);
  // After bytes came or an answer left. `answered`: the message before is complete. `progress`: of a body
  // without an end of its own (lines of records); each step gives it the whole time again.
  void moved(Connection& connection, Phase phase, std::uint64_t progress, bool answered, std::int64_t now_us);
  void left(Connection& connection) noexcept;

  std::size_t strangers() const noexcept { return strangers_.size(); }
  // Who makes room: the connection that has waited longest without ever having been answered, else the one
  // whose unfinished message is the oldest and older than a second; never one that is owed an answer. Null:
  // nobody, the new one is refused.
  Connection* makes_room(std::int64_t now_us) const noexcept;
  // Connections whose head or body has taken longer than that.
  std::vector<Connection*> late(std::int64_t now_us, std::int64_t head_us, std::int64_t body_us) const;

 private:
  void put(Connection& connection, Place::Queue queue);
  std::list<Connection*> strangers_, receiving_;  // longest first
};

}  // namespace wafd::ingest
