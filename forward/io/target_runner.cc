#include "forward/io/target_runner.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "forward/io/producers/producer.h"
#include "forward/target/destination.h"

namespace wafd::forward {
namespace {

constexpr int kBatchesATurn = 4;

std::uint64_t seed_of(Random& random) {
  std::uint64_t seed = 0;
  random.fill(std::as_writable_bytes(std::span(&seed, 1)));
  return seed;
}

bool has(const std::vector<std::string>& list, std::string_view what) {
  return std::find(list.begin(), list.end(), what) != list.end();
}

// By a producer, which knows all of its receivers itself.
bool is_produced(Transport t) { return t == Transport::kKafka || t == Transport::kPostgresql; }
bool acknowledges(Transport t) { return t == Transport::kRelp || is_produced(t); }

MachineOptions machine_options(const RunnerParts& parts, const TargetSettings& t) {
  MachineOptions o = parts.machine;
  o.stream = t.transport != Transport::kUdp;
  // For messages that the receiver itself acknowledged: no window behind that.
  if (acknowledges(t.transport)) o.replay.min_bytes = 0;
  o.endpoints = is_produced(t.transport) ? 1 : 1 + t.backups.size();
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
      maker_(message_settings(target_), parts_.node, parts_.zone),
      machine_(machine_options(parts_, target_), start, seed_of(parts_.random)),
      reader_(parts_.ring),
      reports_reader_(parts_.ring),
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
    requeue_extras(*actions.rewind);
  }
  if (actions.connect) dial(*actions.connect);
  if (actions.standby) standby(*actions.standby);
  if (actions.check_name) check_name();
  arm(parts_.clock.monotonic_us());
}

std::unique_ptr<TargetLink> TargetRunner::make_link(std::size_t index, TargetLink::Callbacks callbacks) {
  DialOptions o;
  o.to = receiver_at(target_, index);
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
  rejected_seen_ = 0;
  if (is_produced(target_.transport)) return dial_producer();
  link_ = make_link(index, callbacks());
}

void TargetRunner::settle(const AckWindow& window, const std::string& refusal) {
  const std::int64_t now_us = parts_.clock.monotonic_us();
  machine_.on_acked(window.settled_bytes(), 0, now_us);
  settle_extras(window.settled_bytes());
  const std::uint64_t aside = window.rejected() - std::exchange(rejected_seen_, window.rejected());
  if (aside == 0) return;
  machine_.counters().rejected += aside;
  machine_.counters().acknowledged -= aside;  // the machine takes every settled message for a taken one
  machine_.counters().last_error =
      fmt::format("a message was put aside: the receiver refused it, {}", refusal);
  last_error_ms_ = parts_.clock.unix_us() / 1000;
}

// A second connection beside the first, which goes on until this one can take over.
void TargetRunner::standby(std::size_t index) {
  TargetLink::Callbacks c;
  c.up = [this] {
    machine_.on_standby_up(parts_.clock.monotonic_us());
    timer_.start(0);
  };
  c.failed = [this](const std::string& why) {
    note_error(why);
    standby_.reset();
    const std::int64_t now_us = parts_.clock.monotonic_us();
    machine_.on_standby_failed(now_us);
    if (link_ && link_->ending()) return failed("the connection was ended for one that did not last");
    wake();
  };
  standby_ = make_link(index, std::move(c));
}

void TargetRunner::hand_over(std::int64_t now_us) {
  if (!standby_ || !standby_->is_up() || !link_) return;
  if (link_->stream()) poll_facts(now_us);
  if (!standby_ || !link_ || !machine_.handover_due(now_us)) return;  // the old one failed meanwhile
  if (!link_->stream()) return take_over(true, now_us);
  const bool acknowledged = machine_.all_acknowledged() && link_->stream()->queued_bytes() == 0;
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
  if (standby_ && standby_->is_up()) {
    take_over(true, now_us);
    return wake();
  }
  machine_.on_left();
  failed(fmt::format("connection to {}: closed by the receiver", link_->peer().text()));
}

void TargetRunner::take_over(bool clean, std::int64_t now_us) {
  if (clean)
    extras_sent_.clear();
  else if (link_ && link_->stream() && !link_->relp())
    settle_extras(machine_.settled_bytes());
  link_ = std::move(standby_);
  rejected_seen_ = 0;
  link_->set_callbacks(callbacks());
  apply(machine_.on_handover(clean, now_us));
}

// Where the name leads may have changed while the connection goes on: a receiver that moved is followed.
void TargetRunner::check_name() {
  if (!link_) return;  // a producer resolves by itself
  const HostPort to = receiver_at(target_, machine_.endpoint());
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
  if (standby_ && standby_->is_up()) hand_over(now_us);
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
  producer_.reset();
  standby_.reset();
  name_check_.reset();
}

void TargetRunner::failed(std::string why) {
  if (finished()) return;
  last_error_ms_ = parts_.clock.unix_us() / 1000;
  const std::int64_t now_us = parts_.clock.monotonic_us();
  if (link_ && link_->stream() && !link_->relp()) {
    if (const auto facts = link_->facts())  // what was acknowledged last
      machine_.on_acked(facts->acked_bytes, facts->peer_window, now_us);
    settle_extras(machine_.settled_bytes());
  }
  const bool up = machine_.state() == TargetState::kUp;
  if (up && link_ && link_->stream() && standby_ && standby_->is_up()) {  // somebody is there to go on with
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
  if (!link_->relp()) machine_.on_acked(facts->acked_bytes, facts->peer_window, now_us);
  if (peer_silent(*facts, parts_.silent_ms))
    failed(fmt::format("connection to {}: no answer for {} s, although bytes are on their way",
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

void TargetRunner::finish(bool drain, std::int64_t deadline_us, std::function<void()> done) {
  finishing_ = true;
  drain_to_ = drain ? parts_.ring.end() : 0;
  finish_deadline_us_ = deadline_us;
  on_finished_ = std::move(done);
  const bool was_up = machine_.state() == TargetState::kUp;
  standby_.reset();
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
  const bool settled = machine_.all_acknowledged() && (!stream || stream->queued_bytes() == 0);
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

}  // namespace wafd::forward
