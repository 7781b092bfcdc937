// A delivery rig at a real rsyslog or syslog-ng: what was appended, what the receiver's file holds of it.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/forward/io/delivery_help.h"
#include "tests/support/real_receiver.h"
#include "tests/support/record_contract.h"
#include "tests/support/strict_syslog.h"

namespace wafd::test {

struct RealRig {
  // With `tls` the receiver takes TLS too, by `certificate`.
  void begin_receiver(ReceiverKind kind, bool tls = false) {
    if (tls)
      certificate =
          kit::make_self_signed({"127.0.0.1"}, kit::SystemClock().unix_us() / 1'000'000, 30).value();
    receiver =
        std::make_unique<RealReceiver>(kind, folder.path, certificate.certificate_pem, certificate.key_pem);
    receiver->start();
  }
  // A target at the receiver's port of that transport.
  forward::TargetSettings target(const std::string& id, forward::Transport transport,
                                 forward::Framing framing = forward::Framing::kOctetCounting) const {
    forward::TargetSettings t = DeliveryRig::target(id, transport, kAnyPort);
    t.framing = framing;
    t.port = transport == forward::Transport::kRelp  ? receiver->relp
             : transport == forward::Transport::kTls ? receiver->tls
             : transport == forward::Transport::kUdp ? receiver->udp
             : framing == forward::Framing::kLf      ? receiver->tcp_lf
                                                     : receiver->tcp;
    if (transport == forward::Transport::kTls) t.tls.ca = certificate.certificate_pem;
    return t;
  }
  void append(int n) {
    for (int i = 0; i < n; ++i) ids.push_back(rig.append());
  }
  std::map<std::string, int> seen() const {
    std::map<std::string, int> out;
    for (const auto& line : receiver->lines())
      if (const std::string id = event_id(line); !id.empty()) ++out[id];
    return out;
  }
  std::size_t missing() const {
    const auto there = seen();
    return static_cast<std::size_t>(
        std::count_if(ids.begin(), ids.end(), [&](const auto& id) { return !there.count(id); }));
  }
  bool all_there(std::int64_t deadline_ms = 60'000) const {
    return wait_until([&] { return missing() == 0; }, deadline_ms);
  }
  std::size_t twice() const {
    std::size_t n = 0;
    for (const auto& [id, count] : seen()) n += static_cast<std::size_t>(count - 1);
    return n;
  }
  // Every event once, in order, each message well-formed.
  void expect_in_order() const {
    const auto lines = receiver->lines();
    ASSERT_EQ(lines.size(), ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      ASSERT_EQ(event_id(lines[i]), ids[i]);
      const auto m = StrictParser::parse(lines[i]);
      ASSERT_EQ(m.error, "");
      ASSERT_EQ(check_record(m.msg), "");
    }
  }

  TempFolder folder;
  DeliveryRig rig;
  kit::SelfSigned certificate;
  std::unique_ptr<RealReceiver> receiver;
  std::vector<std::string> ids;
};

}  // namespace wafd::test
