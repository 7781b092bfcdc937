#include "forward/io/tester.h"

#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "detect/core/bytes.h"
#include "forward/format/sample_event.h"
#include "forward/io/postgres_trial.h"
#include "forward/io/producers/kafka_producer.h"
#include "forward/io/tcp_facts.h"
#include "forward/protocol/framing.h"

namespace wafd::forward {
namespace {

namespace json = boost::json;

constexpr std::int64_t kLimitMs = 8000;
constexpr std::int64_t kConnectMs = 4000;
constexpr std::int64_t kQuarterMs = 250;

std::string_view hint_for(std::string_view stage, std::string_view error) {
  if (stage == "resolve") {
    if (error.find("name server") != std::string_view::npos)
      return "the name servers of this machine, not the receiver: an address needs none";
    const bool of_name = error.starts_with("resolve ");  // else the address was found and is not allowed
    return of_name ? "check the name, or give an address" : "";
  }
  if (error.ends_with("connection refused")) return "the host answers, but nothing listens on that port";
  if (error.find("timed out") != std::string_view::npos)
    return "no answer: a firewall that drops, or a wrong address";
  if (error.ends_with("address not available")) return "source_address is no address of this machine";
  if (error.ends_with("unreachable")) return "no route: check address and network";
  return "";
}

}  // namespace

std::string escape_bytes(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    if (c == '\\')
      out += "\\\\";
    else if (c == '\n')
      out += "\\n";
    else if (c == '\r')
      out += "\\r";
    else if (c == '\t')
      out += "\\t";
    else if (c >= 32 && c < 127)
      out += c;
    else
      out += fmt::format("\\x{:02x}", byte(c));
  }
  return out;
}

Tester::Tester(kit::Loop& loop, const TesterParts& parts, TargetSettings target, TestKind kind,
               std::function<void(TestResult)> done)
    : loop_(loop), parts_(parts), target_(std::move(target)), kind_(kind), done_(std::move(done)) {
  make_message();
  limit_ = std::make_unique<kit::Timer>(loop_, [this] {
    fail_stage(fmt::format("timed out: the whole test may take {} s", kLimitMs / 1000),
               stage_ == "tls" ? "perhaps the port speaks no TLS" : "");
  });
  limit_->start(kLimitMs);
  begin_stage("resolve");
  DialOptions o;
  o.to = {target_.host, target_.port};
  o.transport = target_.transport;
  o.source_address = target_.source_address;
  o.own_listeners = parts_.own_listeners;
  o.timeout_ms = kConnectMs;
  o.resolve = parts_.resolve;
  Dial::Callbacks c;
  c.resolved = [this](const std::vector<IpAddress>& addresses) {
    json::array list;
    for (const auto& a : addresses) list.push_back(json::value(a.text()));
    end_stage(true, {{"addresses", list}, {"used", addresses.front().text()}}, "");
    begin_stage("connect");
  };
  c.connected = [this](Link link) { on_link(std::move(link)); };
  c.failed = [this](DialStage stage, const Error& error) { on_dial_failed(stage, error); };
  c.datagram_error = [this](const Error& error) { on_datagram_error(error); };
  dial_ = std::make_unique<Dial>(loop_, std::move(o), std::move(c));
}

Tester::~Tester() = default;

void Tester::make_message() {
  const std::int64_t now_us = parts_.clock.unix_us();
  MessageMaker maker(message_settings(target_), parts_.node, parts_.zone);
  const bool database = target_.transport == Transport::kPostgresql;
  EventRecord sample;
  Message m;
  if (kind_ == TestKind::kSample) {
    sample = sample_event(EventId::make(parts_.random), parts_.node, now_us, parts_.zone);
    result_.event_id = sample.id.text();
    RecordView view;
    view.time_ms = sample.time_ms;
    view.id = sample.id;
    view.attack_type = sample.attack_type;
    view.risk = sample.risk;
    view.action = sample.action;
    view.src_ip = sample.src_ip;
    view.site_uuid = sample.site_uuid;
    view.rule_id = sample.rule_id;
    view.detail = sample.detail;
    view.json = sample.json;
    m = maker.event(view, 0);
    if (database) make_row(&view, m.content);
  } else if (database) {
    make_row(nullptr, "");
  } else {
    m = maker.connectivity(now_us);
  }
  if (database) {
    // make_row() has made it
  } else if (target_.transport == Transport::kUdp || target_.transport == Transport::kKafka) {
    bytes_.append(m.header).append(m.content);
  } else if (target_.transport == Transport::kRelp) {
    relp_ = std::make_unique<RelpSession>(RelpSession::Options{});
    opening_ = relp_->open(parts_.clock.monotonic_us());
    relp_->append(m.header, m.content, parts_.clock.monotonic_us(), bytes_);
  } else {
    append_frame(target_.framing, m.header, m.content, bytes_);
  }
  result_.message = escape_bytes(bytes_);
}

void Tester::begin_stage(std::string name) {
  stage_ = std::move(name);
  stage_began_us_ = parts_.clock.monotonic_us();
}

void Tester::end_stage(bool ok, json::object detail, std::string error) {
  TestStage stage;
  stage.name = stage_;
  stage.ok = ok;
  stage.ms = static_cast<double>(parts_.clock.monotonic_us() - stage_began_us_) / 1000.0;
  stage.detail = std::move(detail);
  stage.error = std::move(error);
  result_.stages.push_back(std::move(stage));
}

void Tester::on_dial_failed(DialStage, const Error& error) {
  const std::string what = error.what;  // a copy: the Dial goes
  fail_stage(what, hint_for(stage_, what));
}

void Tester::on_link(Link link) {
  link_ = std::move(link);
  const auto local = link_.stream ? link_.stream->local() : link_.datagrams->local();
  end_stage(true, {{"peer", link_.peer.text()}, {"local", local ? local->text() : ""}}, "");
  if (target_.transport == Transport::kPostgresql) return try_postgres();
  if (uses_tls(target_)) return begin_tls();
  if (link_.stream) link_.stream->start(*this);
  write_message();
}

void Tester::write_message() {
  begin_stage("write");
  if (relp_) return write_relp();
  if (target_.transport == Transport::kKafka) return write_kafka();
  json::object detail{{"octets", bytes_.size()}};
  if (link_.stream)
    detail["framing"] = target_.framing == Framing::kLf ? "lf" : "octet_counting";
  else if (bytes_.size() > 1472)
    detail["warning"] = "above 1472 bytes a UDP datagram is fragmented on ordinary networks";
  if (link_.stream) {
    if (!link_.stream->write(bytes_)) return fail_stage("the connection does not take the message", "");
  } else if (const auto sent = link_.datagrams->send(bytes_); !sent) {
    return fail_stage(sent.error().what, hint_for("write", sent.error().what));
  }
  end_stage(true, std::move(detail), "");
  begin_stage("after");
  pause_ = std::make_unique<kit::Timer>(loop_, [this] { half_ ? after_half() : after_quarter(); });
  pause_->start(kQuarterMs);
}

void Tester::after_quarter() {
  half_ = true;
  if (link_.datagrams) {  // a closed port answers the first; this one is refused, or makes it answer again
    if (const auto sent = link_.datagrams->send(""); !sent) return on_datagram_error(sent.error());
  }
  pause_->start(kQuarterMs);
}

void Tester::after_half() {
  if (link_.datagrams) {
    end_stage(true, {{"icmp", "none"}}, "");
    return finish("sent", "Sent; UDP cannot confirm delivery.");
  }
  const int left =
      unacknowledged_bytes(link_.stream->descriptor()) + static_cast<int>(link_.stream->queued_bytes());
  end_stage(left == 0, {{"open", true}, {"unacknowledged_octets", left}},
            left == 0 ? "" : "the receiver's TCP has not acknowledged the message within half a second");
  if (left == 0)
    finish(
        "accepted",
        "Accepted by the next hop's TCP (the receiver, or a load balancer before it); TCP cannot say more.");
  else
    finish("sent", "Sent, but not acknowledged by the receiver's TCP within half a second.");
}

void Tester::on_datagram_error(const Error& error) {
  if (!done_ || stage_ != "after") return;  // the write itself tells
  const std::string what = error.what;
  end_stage(false, {{"icmp", what.ends_with("connection refused") ? "port unreachable" : "error"}}, what);
  if (what.ends_with("connection refused"))
    finish("closed", fmt::format("Port closed: {} answers that nothing listens on UDP port {}.",
                                 link_.peer.address.text(), link_.peer.port));
  else
    finish("failed", fmt::format("Failed at after: {}.", what));
}

void Tester::on_end(const kit::StreamEnd& end) noexcept {
  if (!done_) return;
  const bool eof = end.kind == kit::StreamEndKind::kEof;
  const std::string what = eof ? "closed by the receiver" : end.error.what;
  if (stage_ == "tls") return tls_ended(what);
  if (relp_) return relp_ended(what);
  if (stage_ != "after") return fail_stage(what, "");
  end_stage(false, {{"open", false}, {"how", eof ? "closed" : "reset"}}, what);
  if (uses_tls(target_))  // TLS 1.3 tells of a client's certificate only behind the handshake
    return finish("closed",
                  fmt::format("The receiver {} the connection after the first message: perhaps it wants a "
                              "client certificate, does not know ours, or takes another protocol.",
                              eof ? "closed" : "ended"));
  const std::string_view other = target_.framing == Framing::kLf ? "octet counting" : "LF";
  finish(
      "closed",
      fmt::format("The receiver {} the connection after the first message: try the other framing ({}), or it "
                  "expects TLS or another protocol.",
                  eof ? "closed" : "reset", other));
}

void Tester::fail_stage(const std::string& error, std::string_view hint, json::object detail) {
  end_stage(false, std::move(detail), error);
  finish("failed", hint.empty() ? fmt::format("Failed at {}: {}.", stage_, error)
                                : fmt::format("Failed at {}: {} ({}).", stage_, error, hint));
}

void Tester::finish(std::string verdict, std::string text) {
  result_.verdict = std::move(verdict);
  result_.text = std::move(text);
  limit_->stop();
  if (pause_) pause_->stop();
  if (link_.stream && result_.verdict != "failed") link_.stream->close();
  const auto done = std::exchange(done_, nullptr);
  TestResult result = std::move(result_);
  if (done) done(std::move(result));  // may destroy this
}

}  // namespace wafd::forward
