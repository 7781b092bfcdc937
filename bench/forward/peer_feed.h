// A sender of the loss harness behind one face: wafd, or rsyslog and syslog-ng fed over TCP.
#pragma once

#include <memory>
#include <string>

#include "bench/forward/loss_parts.h"
#include "bench/forward/real_sender.h"

namespace wafd::bench {

class Sender {
 public:
  virtual ~Sender() = default;
  virtual void start() = 0;
  virtual void stop(int number) = 0;
  virtual void load(std::uint64_t rate, std::uint64_t limit) = 0;  // events a second, up to that many in all
  virtual std::uint64_t appended() const = 0;                      // taken so far
  virtual Board& board() = 0;
  // While it is stopped: bytes of records that wait to be sent are overwritten.
  virtual void spoil_unsent_page() {}
};

// rsyslog with its disk-assisted queue and retries for ever, syslog-ng with its reliable disk buffer. Before
// they are killed their feeding pauses for half a second, so that what is lost was theirs.
std::unique_ptr<Sender> make_sender(const std::string& name, const SenderSetup& setup);

}  // namespace wafd::bench
