// A transfer of libcurl as stages with sentences. Internal to the sender.
#pragma once

#include <cstdint>
#include <string>

#include "forward/notify/notifier.h"

namespace wafd::forward {

// Of one transfer that has ended.
struct TransferFacts {
  ChannelKind kind = ChannelKind::kMail;
  bool encrypted = false;
  int code = 0;         // CURLcode
  long response = 0;    // last status or reply code; 0: none
  std::string refusal;  // of the answer, by webhook_refusal
  std::string denied;   // the address may not be connected to
  std::string address;  // that was connected to last
  // Microseconds since the beginning at which each was done; 0: it was not.
  std::int64_t resolved_us = 0, connected_us = 0, encrypted_us = 0, ended_us = 0;
  std::size_t bytes = 0;  // of what was to be written
  std::size_t recipients = 0, refused_recipients = 0;
  std::string certificate_subject, certificate_issuer, certificate_end;
};

SendResult result_of(const TransferFacts& facts);
// Of a message that could not be made: it failed where it would have been written, before anybody was
// connected to.
SendResult unsent(const std::string& why);

}  // namespace wafd::forward
