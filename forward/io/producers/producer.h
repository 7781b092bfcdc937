// A target writes to it instead of to a connection of its own: a client of somebody else's protocol that
// connects by itself and says of each message what became of it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "forward/protocol/ack_window.h"
#include "forward/ring/ring.h"

namespace wafd::forward {

// Created, used and destroyed on the loop's thread. What the other side says is cut and made printable.
class Producer {
 public:
  // Never from within the creation or produce(). Any may destroy the producer.
  struct Callbacks {
    std::function<void()> up;        // the receiver has answered
    std::function<void()> answered;  // window() has changed
    // It is of no use any more. What is not settled is to be sent again by another producer.
    std::function<void(std::string why)> failed;
  };
  struct Message {
    std::string_view kind;     // event, report, gap, audit, alive: MSGID without what all have in common
    std::string_view header;   // of syslog
    std::string_view content;  // one JSON object, or what the target's `content` is
    const RecordView* record = nullptr;  // of an event
    std::int64_t time_ms = 0;            // Unix time; 0: now
  };
  // kLater: no room, answered() comes; kNever: refused for what it is.
  enum class Taken : std::uint8_t { kYes, kLater, kNever };

  Producer() = default;
  virtual ~Producer() = default;
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;

  virtual Taken produce(const Message& message) = 0;
  virtual const AckWindow& window() const noexcept = 0;
  virtual std::uint64_t room() const noexcept = 0;  // messages that may be produced now
  // Who is connected; empty: nobody.
  virtual const std::string& peer() const noexcept = 0;
  virtual const std::string& refusal() const noexcept = 0;  // of the last refused message
  // Since a message was taken last.
  virtual const std::string& last_error() const noexcept = 0;
  // failed() came because several messages were refused as one: the next producer should go one by one.
  virtual bool batch_refused() const noexcept { return false; }
};

}  // namespace wafd::forward
