#include "forward/io/target_runner.h"

#include <algorithm>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "forward/destination.h"
#include "forward/framing.h"
#include "forward/io/kafka_producer.h"

namespace wafd::forward {
namespace {

constexpr std::size_t kMaxExtras = 1000;
constexpr int kBatchesATurn = 4;

std::uint64_t seed_of(Random& random) {
  std::uint64_t seed = 0;
  random.fill(std::as_writable_bytes(std::span(&seed, 1)));
  return seed;
}

bool has(const std::vector<std::string>& list, std::string_view what) {
  return std::find(list.begin(), list.end(), what) != list.end();
}

bool acknowledges(Transport t) { return t == Transport::kRelp || t == Transport::kKafka; }

MachineOptions machine_options(const RunnerParts& parts, const TargetSettings& t) {
  MachineOptions o = parts.machine;
  o.stream = t.transport != Transport::kUdp;
  // What the receiver itself answered it has: no window behind that.
  if (acknowledges(t.transport)) o.replay.min_octets = 0;
  o.endpoints =
      t.transport == Transport::kKafka ? 1 : 1 + t.backups.size();  // Kafka knows all of its brokers
  o.rate_limit = t.rate_limit;
  if (!parts.paced) o.datagram_rate = 0, o.datagram_burst = 1 << 20;
  return o;
}

}  // namespace

TargetRunner::TargetRunner(const RunnerParts& parts, TargetSettings target, EventQuery filter, Position start)
    : parts_(parts),
      target_(std::move(target)),
      filter_(std::move(filter)),
      wants_events_(has(target_.streams, "event")),
      wants_audit_(has(target_.streams, "audit")),
      wants_health_(has(target_.streams, "health")),
      maker_(target_, parts_.node, parts_.zone),
      machine_(machine_options(parts_, target_), start, seed_of(parts_.random)),
      reader_(parts_.ring),
      tls_(target_.tls),
      timer_(parts_.loop, [this] {
        apply(machine_.on_tick(parts_.clock.monotonic_us()));
        wake();
      }) {
  reader_.seek(start.seq);
}

TargetRunner::~TargetRunner() = default;

void TargetRunner::start() {
  if (target_.enabled) apply(machine_.start(parts_.clock.monotonic_us()));
}

std::uint32_t TargetRunner::next_id(std::uint32_t id) const {
  return target_.sequence_id ? next_sequence_id(id) : 0;
}

void TargetRunner::apply(const TargetActions& actions) {
  if (actions.close) drop_link();
  if (actions.rewind) {
    reader_.seek(actions.rewind->seq);
    requeue_extras();
  }
  if (actions.connect) dial(*actions.connect);
  if (actions.scout) scout(*actions.scout);
  if (actions.check_name) check_name();
  arm(parts_.clock.monotonic_us());
}

HostPort TargetRunner::endpoint(std::size_t index) const {
  return index == 0 ? HostPort{target_.host, target_.port} : target_.backups[index - 1];
}

std::unique_ptr<TargetLink> TargetRunner::make_link(std::size_t index, TargetLink::Callbacks callbacks) {
  DialOptions o;
  o.to = endpoint(index);
  o.transport = target_.transport;
  o.source_address = target_.source_address;
  o.own_listeners = parts_.own_listeners;
  o.resolve = parts_.resolve;
  if (target_.transport == Transport::kUdp)
    o.attempt = attempts_;  // UDP notices a closed port only afterwards
  ++attempts_;
  const std::string name = tls_name(target_.tls, o.to);
  std::shared_ptr<const kit::TlsContext> context;
  if (uses_tls(target_)) {
    auto made = tls_.current();
    if (!made) {
      // As late as any other failure, so that nothing here is called from within itself.
      parts_.loop.post([failed = std::move(callbacks.failed), why = made.error().what,
                        alive = std::weak_ptr<bool>(alive_)] {
        if (!alive.expired()) failed(why);
      });
      return nullptr;
    }
    context = std::move(*made);
  }
  return std::make_unique<TargetLink>(parts_.loop, std::move(o), std::move(context), name,
                                      std::move(callbacks));
}

TargetLink::Callbacks TargetRunner::callbacks() {
  TargetLink::Callbacks c;
  c.resolved = [this] { machine_.on_resolved(); };
  c.up = [this] { up(); };
  c.failed = [this](std::string why) { failed(std::move(why)); };
  c.writable = [this] { wake(); };
  c.answered = [this] {
    settle(link_->relp()->window(), fmt::format("status {:03}", link_->relp()->refusal()));
    if (!link_->relp()->failed()) wake();
  };
  c.left = [this] { left(); };
  return c;
}

void TargetRunner::dial(std::size_t index) {
  put_aside_seen_ = 0;
  if (target_.transport == Transport::kKafka) return dial_kafka();
  link_ = make_link(index, callbacks());
}

void TargetRunner::settle(const AckWindow& window, const std::string& refusal) {
  const std::int64_t now_us = parts_.clock.monotonic_us();
  machine_.on_acked(window.settled_octets(), 0, now_us);
  settle_extras(window.settled_octets());
  const std::uint64_t aside = window.put_aside() - std::exchange(put_aside_seen_, window.put_aside());
  if (aside == 0) return;
  machine_.counters().put_aside += aside;
  machine_.counters().acknowledged -= aside;  // the machine takes every settled message for a taken one
  machine_.counters().last_error =
      fmt::format("a message was put aside: the receiver refused it, {}", refusal);
  last_error_ms_ = parts_.clock.unix_us() / 1000;
}

// A second connection beside the first, which goes on until this one can take over.
void TargetRunner::scout(std::size_t index) {
  TargetLink::Callbacks c;
  c.up = [this] {
    machine_.on_scout_up(parts_.clock.monotonic_us());
    timer_.start(0);
  };
  c.failed = [this](const std::string& why) {
    note_error(why);
    scout_.reset();
    const std::int64_t now_us = parts_.clock.monotonic_us();
    machine_.on_scout_failed(now_us);
    if (link_ && link_->ending()) return failed("the connection was ended for one that did not last");
    wake();
  };
  scout_ = make_link(index, std::move(c));
}

void TargetRunner::hand_over(std::int64_t now_us) {
  if (!scout_ || !scout_->is_up() || !link_) return;
  if (link_->stream()) poll_facts(now_us);
  if (!scout_ || !link_ || !machine_.handover_due(now_us)) return;  // the old one failed meanwhile
  if (!link_->stream()) return take_over(true, now_us);
  const bool acknowledged = machine_.all_acknowledged() && link_->stream()->queued_octets() == 0;
  if (link_->relp()) {
    if (acknowledged) link_->close_in_order();
    return take_over(acknowledged, now_us);
  }
  if (machine_.handover_late(now_us)) return take_over(false, now_us);
  if (acknowledged) link_->end_writing();  // left() goes on
}

// The receiver has answered our end of the connection by its own.
void TargetRunner::left() {
  const std::int64_t now_us = parts_.clock.monotonic_us();
  if (machine_.state() == TargetState::kStopping) return end_in_order(true);
  if (scout_ && scout_->is_up()) {
    take_over(true, now_us);
    return wake();
  }
  machine_.on_left();
  failed(fmt::format("connection to {}: closed by the receiver", link_->peer().text()));
}

void TargetRunner::take_over(bool clean, std::int64_t now_us) {
  if (clean) extras_sent_.clear();
  link_ = std::move(scout_);
  put_aside_seen_ = 0;
  link_->set_callbacks(callbacks());
  apply(machine_.on_handover(clean, now_us));
}

// Where the name leads may have changed while the connection goes on: a receiver that moved is followed.
void TargetRunner::check_name() {
  if (!link_) return;  // librdkafka resolves by itself
  const HostPort to = endpoint(machine_.endpoint());
  if (uses_tls(target_) && tls_.current().value_or(nullptr).get() != link_->tls())
    return apply(machine_.on_moved());
  if (IpAddress::parse(to.host)) return;
  name_check_ = std::make_unique<kit::ResolveQuery>(
      parts_.loop, to.host, parts_.resolve, [this, to](kit::ResolveResult result) {
        if (!result || !link_ || !link_->is_up()) return;  // a name server that is away moves nobody
        const IpAddress& at = link_->peer().address;
        const bool stays = std::find(result->begin(), result->end(), at) != result->end();
        const bool elsewhere = std::any_of(result->begin(), result->end(), [&](const IpAddress& a) {
          return check_destination(a, to.port, target_.transport, parts_.own_listeners).has_value();
        });
        if (!stays && elsewhere) apply(machine_.on_moved());
      });
}

void TargetRunner::look_at_files(std::int64_t now_us) {
  if (!uses_tls(target_) || !link_ || machine_.state() != TargetState::kUp) return;
  if (files_at_us_ != INT64_MIN && now_us - files_at_us_ < parts_.file_look_ms * 1000) return;
  files_at_us_ = now_us;
  const std::string before = tls_.error();
  if (tls_.refresh()) return apply(machine_.on_moved());
  if (tls_.error() != before && !tls_.error().empty())
    note_error(tls_.error() + " (the certificates read before stay in use)");
}

void TargetRunner::note_error(std::string why) {
  ++machine_.counters().errors;
  machine_.counters().last_error = std::move(why);
  last_error_ms_ = parts_.clock.unix_us() / 1000;
}

// Under load the timer never fires, because every batch starts it anew: what is due is looked at here.
void TargetRunner::wake() {
  const std::int64_t now_us = parts_.clock.monotonic_us();
  if (now_us >= machine_.tick_at()) apply(machine_.on_tick(now_us));
  look_at_files(now_us);
  if (scout_ && scout_->is_up()) hand_over(now_us);
  bool more = true;  // several batches a turn: a turn of the loop costs as much as a dozen messages
  for (int batch = 0; batch < kBatchesATurn && more; ++batch) more = pump();
  if (more) timer_.start(0);
}

void TargetRunner::up() {
  const std::int64_t now_us = parts_.clock.monotonic_us();
  apply(machine_.on_connected(now_us));
  wake();
}

void TargetRunner::drop_link() {
  link_.reset();
  kafka_.reset();
  scout_.reset();
  name_check_.reset();
}

void TargetRunner::failed(std::string why) {
  if (finished()) return;
  last_error_ms_ = parts_.clock.unix_us() / 1000;
  const std::int64_t now_us = parts_.clock.monotonic_us();
  if (link_ && !link_->relp())
    if (const auto facts = link_->facts())  // what was acknowledged last
      machine_.on_acked(facts->acked_octets, facts->peer_window, now_us);
  const bool up = machine_.state() == TargetState::kUp;
  if (up && link_ && link_->stream() && scout_ && scout_->is_up()) {  // somebody is there to go on with
    note_error(std::move(why));
    take_over(false, now_us);
    return timer_.start(0);
  }
  apply(machine_.on_failed(std::move(why), now_us));
  told_finished();
}

void TargetRunner::poll_facts(std::int64_t now_us) {
  facts_at_us_ = now_us;
  const auto facts = link_->facts();
  if (!facts) return;
  if (!link_->relp()) machine_.on_acked(facts->acked_octets, facts->peer_window, now_us);
  if (peer_silent(*facts, parts_.silent_ms))
    failed(fmt::format("connection to {}: no answer for {} s, although octets are on their way",
                       link_->peer().text(), facts->since_ack_ms / 1000));
}

// One timer for everything that is due: a retry, tokens, acknowledgements to look at, the age of the replay
// window.
void TargetRunner::arm(std::int64_t now_us) {
  std::int64_t at = machine_.wake_at(now_us);
  const bool connected = machine_.state() == TargetState::kUp || machine_.state() == TargetState::kStopping;
  if (connected && at <= now_us) at = INT64_MAX;  // tokens are there: new events wake us
  if (connected && link_ && link_->stream())
    at = std::min(at, now_us + (machine_.all_acknowledged() || link_->relp() ? 1'000'000 : 20'000));
  if (connected && link_ && link_->datagrams()) at = std::min<std::int64_t>(at, now_us + 1'000'000);
  if (connected && std::exchange(retry_soon_, false)) at = std::min(at, now_us + 2'000);
  if (connected) at = std::min({at, std::max(machine_.tick_at(), now_us + 1000), hold_until_us_});
  if (finishing_) at = std::min(at, now_us + 5'000);
  if (at == INT64_MAX) return timer_.stop();
  timer_.start(std::max<std::int64_t>((at - now_us + 999) / 1000, 1));
}

void TargetRunner::audit(const std::string& json) {
  if (!wants_audit_ || !target_.enabled) return;
  if (extras_.size() >= kMaxExtras) {
    extras_.pop_front();
    ++machine_.counters().lines_lost;
  }
  extras_.push_back({json, parts_.clock.unix_us(), 0});
}

// Before what waits: what was not settled is sent again, in order.
void TargetRunner::requeue_extras() {
  for (; !extras_sent_.empty(); extras_sent_.pop_back()) extras_.push_front(std::move(extras_sent_.back()));
}

void TargetRunner::settle_extras(std::uint64_t octets) {
  while (!extras_sent_.empty() && extras_sent_.front().end <= octets) extras_sent_.pop_front();
}

void TargetRunner::health(std::int64_t uptime_s) {
  // Told only to who is there: a receiver that was away learns of it by the missing ones.
  if (!wants_health_ || machine_.state() != TargetState::kUp ||
      machine_.budget(parts_.clock.monotonic_us()) == 0)
    return;
  if (!link_ && !kafka_) return;
  if (link_ && link_->stream() && link_->stream()->queued_octets() != 0) return;
  if (link_ && link_->relp() && link_->relp()->room() == 0) return;
  Health h;
  h.now_us = parts_.clock.unix_us();
  h.uptime_s = uptime_s;
  h.ring_oldest = parts_.ring.oldest();
  h.ring_end = parts_.ring.end();
  h.lag_events = h.ring_end > machine_.next().seq ? h.ring_end - machine_.next().seq : 0;
  h.sent = machine_.counters().sent;
  h.lost = machine_.counters().lost;
  Position behind = machine_.next();
  behind.sequence_id = next_id(behind.sequence_id);
  const Message m = maker_.health(h, behind.sequence_id);
  std::string octets;
  if (kafka_) {
    octets.append(m.header).append(m.content);
    if (kafka_->room() == 0 || kafka_->produce({.key = {}, .value = octets}) != KafkaProducer::Taken::kYes)
      return;
  } else if (link_->stream()) {
    if (link_->relp())
      link_->relp()->append(m.header, m.content, parts_.loop.turn_start_us(), octets);
    else
      append_frame(target_.framing, m.header, m.content, octets);
    if (!link_->stream()->write(octets)) return;
  } else {
    octets.append(m.header).append(m.content);
    if (!link_->datagrams()->send(octets)) return;
  }
  machine_.on_written(octets.size(), behind, parts_.clock.monotonic_us());
  last_sent_ms_ = parts_.clock.unix_us() / 1000;
}

void TargetRunner::finish(bool drain, std::int64_t deadline_us, std::function<void()> done) {
  finishing_ = true;
  drain_to_ = drain ? parts_.ring.end() : 0;
  finish_deadline_us_ = deadline_us;
  on_finished_ = std::move(done);
  const bool was_up = machine_.state() == TargetState::kUp;
  scout_.reset();
  apply(machine_.stop(parts_.clock.monotonic_us()));
  if (was_up)
    wake();
  else
    told_finished();
}

void TargetRunner::after_finish(std::int64_t now_us) {
  if (machine_.state() != TargetState::kStopping) return;
  const bool late = now_us >= finish_deadline_us_;
  kit::Stream* stream = link_ ? link_->stream() : nullptr;
  // A window proves nothing: a receiver that stands still may hold dozens of messages before its window shows
  // it.
  if (link_ && link_->ending()) return late ? end_in_order(false) : void();
  const bool drained = machine_.next().seq >= drain_to_ && extras_.empty();
  const bool settled = machine_.all_acknowledged() && (!stream || stream->queued_octets() == 0);
  const bool clean = drained && settled;
  if (!clean && !late) return;
  if (!stream || link_->relp()) {
    if (clean && stream) link_->close_in_order();
    return end_in_order(clean);
  }
  if (late) return end_in_order(false);
  link_->end_writing();  // left() goes on
}

void TargetRunner::end_in_order(bool clean) {
  if (clean) extras_sent_.clear();
  drop_link();
  machine_.on_finished(clean);
  told_finished();
}

void TargetRunner::told_finished() {
  if (!finished()) return;
  timer_.stop();
  if (const auto done = std::exchange(on_finished_, nullptr)) done();
}

TargetStatus TargetRunner::status() {
  TargetCounters c = machine_.counters();
  TargetStatus s;
  s.id = target_.id;
  s.state = target_.enabled ? to_string(machine_.state()) : "disabled";
  if (link_ && link_->is_up()) s.connected_to = link_->peer().text();
  if (kafka_) {  // librdkafka connects and asks again by itself
    s.connected_to = kafka_->broker();
    if (machine_.state() == TargetState::kUp && kafka_->broker().empty())
      s.state = to_string(TargetState::kConnecting);
    if (!kafka_->last_error().empty()) c.last_error = kafka_->last_error();
  }
  s.cursor = machine_.settled().seq;
  const std::uint64_t next = machine_.next().seq, end = parts_.ring.end();
  if (wants_events_ && next < end) {
    RingReader peek(parts_.ring);
    peek.seek(next);
    // A target that is down or disabled notices what the ring overtakes only when it goes on: it is told here
    // already.
    const std::uint64_t oldest = std::clamp(parts_.ring.oldest(), next, end);
    s.lag_events = end - oldest;
    if (oldest > next) c.add_lost(next, oldest - 1);
    std::uint64_t overtaken = 0;
    if (const auto first = peek.read(1, 1, overtaken); !first.empty())
      s.lag_ms = std::max<std::int64_t>(parts_.clock.unix_us() / 1000 - first[0].time_ms, 0);
  }
  s.sent = c.sent;
  s.acknowledged = c.acknowledged;
  s.resent = c.resent;
  s.truncated = c.truncated;
  s.filtered = c.filtered;
  s.put_aside = c.put_aside;
  s.lost = c.lost;
  s.lost_ranges = std::move(c.lost_ranges);
  s.octets = c.octets;
  s.reconnects = c.reconnects;
  s.lines_lost = c.lines_lost;
  s.errors = c.errors;
  s.last_error = c.last_error;
  s.last_error_ms = last_error_ms_;
  s.last_sent_ms = last_sent_ms_;
  return s;
}

bool TargetRunner::trouble() const noexcept {
  if (kafka_ && machine_.state() == TargetState::kUp)
    return kafka_->broker().empty() && !kafka_->last_error().empty();
  const bool well = machine_.state() == TargetState::kUp || machine_.state() == TargetState::kIdle;
  return !well && !machine_.counters().last_error.empty();
}

std::string TargetRunner::summary() const {
  switch (machine_.state()) {
    case TargetState::kUp:
      if (kafka_ && kafka_->broker().empty()) return fmt::format("down, {}", kafka_->last_error());
      return fmt::format("up, {}", kafka_ ? kafka_->broker() : link_->peer().text());
    case TargetState::kIdle:
      return "disabled";
    default:
      return machine_.counters().last_error.empty() ? "connecting"
                                                    : fmt::format("down, {}", machine_.counters().last_error);
  }
}

void TargetRunner::adopt_counters(const TargetRunner& other) {
  machine_.counters() = other.machine_.counters();
  last_error_ms_ = other.last_error_ms_;
  last_sent_ms_ = other.last_sent_ms_;
  last_event_ms_ = other.last_event_ms_;
  extras_ = other.extras_;
  extras_.insert(extras_.begin(), other.extras_sent_.begin(), other.extras_sent_.end());
}

}  // namespace wafd::forward
