#include "ingest/io/admission.h"

#include "ingest/io/worker.h"

namespace wafd::ingest {
namespace {

constexpr std::int64_t kRoomAfterUs = 1'000'000;

bool receives(const Place& place) noexcept {
  return place.phase == Phase::kHead || place.phase == Phase::kBody;
}

}  // namespace

void Admission::put(Connection& connection, Place::Queue queue) {
  Place& place = connection.admission;
  if (place.queue == queue) return;
  if (place.queue == Place::Queue::kStrangers) strangers_.erase(place.at);
  if (place.queue == Place::Queue::kReceiving) receiving_.erase(place.at);
  place.queue = queue;
  if (queue == Place::Queue::kStrangers) place.at = strangers_.insert(strangers_.end(), &connection);
  if (queue == Place::Queue::kReceiving) place.at = receiving_.insert(receiving_.end(), &connection);
}

void Admission::entered(Connection& connection, Phase phase, std::int64_t now_us) {
  connection.admission.phase = phase;
  connection.admission.since_us = now_us;
  put(connection, Place::Queue::kStrangers);
}

void Admission::moved(Connection& connection, Phase phase, std::uint64_t progress, bool answered,
                      std::int64_t now_us) {
  Place& place = connection.admission;
  if (phase != place.phase || progress != place.progress || answered) place.since_us = now_us;
  if (answered) {
    place.known = true;
    put(connection, Place::Queue::kNone);
  }
  place.phase = phase;
  place.progress = progress;
  if (place.known) {
    put(connection, receives(place) ? Place::Queue::kReceiving : Place::Queue::kNone);
  } else {
    put(connection, phase == Phase::kWaiting ? Place::Queue::kNone : Place::Queue::kStrangers);
  }
}

void Admission::left(Connection& connection) noexcept { put(connection, Place::Queue::kNone); }

Connection* Admission::makes_room(std::int64_t now_us) const noexcept {
  if (!strangers_.empty()) return strangers_.front();
  if (receiving_.empty() || now_us - receiving_.front()->admission.since_us < kRoomAfterUs) return nullptr;
  return receiving_.front();
}

std::vector<Connection*> Admission::late(std::int64_t now_us, std::int64_t head_us,
                                         std::int64_t body_us) const {
  std::vector<Connection*> out;
  for (const auto* queue : {&strangers_, &receiving_}) {
    for (Connection* connection : *queue) {
      const Place& place = connection->admission;
      const std::int64_t most_us = place.phase == Phase::kHead ? head_us : body_us;
      if (receives(place) && now_us - place.since_us >= most_us) out.push_back(connection);
    }
  }
  return out;
}

}  // namespace wafd::ingest
