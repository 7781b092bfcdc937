#include "forward/io/target_link.h"

#include <utility>

#include <fmt/format.h>

namespace wafd::forward {
namespace {

constexpr std::int64_t kHandshakeMs = 5000;
constexpr std::int64_t kRelpLookMs = 250;

}  // namespace

TargetLink::TargetLink(kit::Loop& loop, DialOptions options, std::shared_ptr<const kit::TlsContext> tls,
                       std::string tls_name, Callbacks callbacks)
    : loop_(loop),
      relp_wanted_(options.transport == Transport::kRelp),
      tls_(std::move(tls)),
      tls_name_(std::move(tls_name)),
      callbacks_(std::move(callbacks)),
      relp_timer_(loop,
                  [this] {
                    if (!relp_->on_time(loop_.turn_start_us())) look_at_relp(false);
                  }),
      handshake_timer_(loop, [this] {
        fail_with(fmt::format("connection to {}: TLS: the handshake took longer than {} s", link_.peer.text(),
                              kHandshakeMs / 1000));
      }) {
  Dial::Callbacks c;
  c.resolved = [this](const std::vector<IpAddress>&) {
    if (callbacks_.resolved) callbacks_.resolved();
  };
  c.connected = [this](Link link) { on_link(std::move(link)); };
  c.failed = [this](DialStage, const Error& error) { fail_with(error.what); };
  c.datagram_error = [this](const Error& error) { fail_with(error.what); };
  dial_ = std::make_unique<Dial>(loop, std::move(options), std::move(c));
}

TargetLink::~TargetLink() = default;

void TargetLink::on_link(Link link) {
  link_ = std::move(link);
  if (!link_.stream) return open();
  set_keepalive(link_.stream->descriptor());
  if (const auto now = tcp_facts(link_.stream->descriptor())) acked_base_ = now->acked_bytes;
  if (!tls_) {
    link_.stream->start(*this);
    return open();
  }
  link_.stream = kit::make_tls_client(std::move(link_.stream), tls_, tls_name_);
  // All of it has one deadline: a receiver that sends a byte now and then would never be idle.
  handshake_timer_.start(kHandshakeMs);
  link_.stream->start(*this);
}

// From here on bytes are counted; of TLS as ciphertext, which is what the peer's kernel acknowledges.
void TargetLink::open() noexcept {
  if (tls_ && link_.stream) {
    handshake_timer_.stop();
    wire_seen_ = link_.stream->wire_bytes();
    acked_base_ += wire_seen_;
  }
  if (!relp_wanted_) return tell_up();
  relp_ = std::make_unique<RelpSession>(RelpSession::Options{});
  link_.stream->write(relp_->open(loop_.turn_start_us()));
  relp_timer_.start(kRelpLookMs, kRelpLookMs);
}

void TargetLink::tell_up() noexcept {
  up_ = true;
  const auto up = callbacks_.up;
  if (up) up();
}

void TargetLink::fail_with(std::string why) noexcept {
  const auto failed = std::exchange(callbacks_.failed, nullptr);
  if (failed) failed(std::move(why));
}

// Of RELP the answers matter; nothing else a receiver says does, and nothing is kept.
void TargetLink::on_data(std::string_view bytes) noexcept {
  if (!relp_) return;
  const std::uint64_t before = relp_->window().first();
  const bool sound = relp_->on_bytes(bytes, loop_.turn_start_us());
  const auto answered = callbacks_.answered;
  // Messages answered before the failure are settled.
  if (!sound && answered && relp_->window().first() != before) answered();
  look_at_relp(sound);
}

void TargetLink::look_at_relp(bool sound) noexcept {
  if (!sound) return fail_with(fmt::format("connection to {}: {}", link_.peer.text(), relp_->error()));
  if (!relp_->is_open()) return;
  if (!up_) return tell_up();
  const auto answered = callbacks_.answered;
  if (answered) answered();
}

void TargetLink::end_writing() {
  if (!link_.stream || std::exchange(ending_, true)) return;
  link_.stream->end_writing();
}

void TargetLink::close_in_order() {
  if (!link_.stream) return;
  if (relp_ && relp_->is_open()) link_.stream->write(relp_->close());
  link_.stream->close();
}

void TargetLink::on_end(const kit::StreamEnd& end) noexcept {
  const bool eof = end.kind == kit::StreamEndKind::kEof;
  if (eof && ending_) {
    const auto left = std::exchange(callbacks_.left, nullptr);
    callbacks_.failed = nullptr;
    if (left) left();
    return;
  }
  const std::string what = eof ? "closed by the receiver" : end.error.what;
  fail_with(fmt::format("connection to {}: {}", link_.peer.text(), what));
}

void TargetLink::on_writable() noexcept {
  const auto writable = callbacks_.writable;
  if (writable) writable();
}

std::optional<TcpFacts> TargetLink::facts() const noexcept {
  if (!link_.stream) return std::nullopt;
  auto now = tcp_facts(link_.stream->descriptor());
  if (now) now->acked_bytes = now->acked_bytes > acked_base_ ? now->acked_bytes - acked_base_ : 0;
  return now;
}

std::uint64_t TargetLink::take_wire_bytes() noexcept {
  const std::uint64_t now = link_.stream ? link_.stream->wire_bytes() : 0;
  return now - std::exchange(wire_seen_, now);
}

}  // namespace wafd::forward
