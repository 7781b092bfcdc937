// Where a connection of ingest stands with the message that it receives.
#pragma once

#include <cstdint>

namespace wafd::ingest {

enum class Phase : std::uint8_t {
  kIdle,     // between messages
  kHead,     // a message has begun, its head is not complete
  kBody,     // the head is there, the rest is not
  kWaiting,  // an answer is owed; the peer waits, not we
};

}  // namespace wafd::ingest
