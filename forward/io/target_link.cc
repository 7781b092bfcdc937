#include "forward/io/target_link.h"

#include <utility>

#include <fmt/format.h>

namespace wafd::forward {
namespace {

constexpr std::int64_t kHandshakeMs = 5000;

}  // namespace

TargetLink::TargetLink(kit::Loop& loop, DialOptions options, std::shared_ptr<const kit::TlsContext> tls,
                       std::string tls_name, Callbacks callbacks)
    : tls_(std::move(tls)), tls_name_(std::move(tls_name)), callbacks_(std::move(callbacks)) {
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
  if (const auto now = tcp_facts(link_.stream->descriptor())) acked_base_ = now->acked_octets;
  if (!tls_) {
    link_.stream->start(*this);
    return open();
  }
  link_.stream = kit::make_tls_client(std::move(link_.stream), tls_, tls_name_);
  link_.stream->start(*this);
  link_.stream->set_idle_timeout_ms(kHandshakeMs);
}

// From here on octets are counted; of TLS as ciphertext, which is what the peer's kernel acknowledges.
void TargetLink::open() noexcept {
  if (tls_ && link_.stream) {
    link_.stream->set_idle_timeout_ms(0);
    wire_seen_ = link_.stream->wire_octets();
    acked_base_ += wire_seen_;
  }
  up_ = true;
  const auto up = callbacks_.up;
  if (up) up();
}

void TargetLink::fail_with(std::string why) noexcept {
  const auto failed = std::exchange(callbacks_.failed, nullptr);
  if (failed) failed(std::move(why));
}

void TargetLink::on_data(std::string_view octets) noexcept {
  const auto received = callbacks_.received;
  if (received) received(octets);
}

void TargetLink::on_end(const kit::StreamEnd& end) noexcept {
  const bool eof = end.kind == kit::StreamEnd::Kind::kEof;
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
  if (now) now->acked_octets = now->acked_octets > acked_base_ ? now->acked_octets - acked_base_ : 0;
  return now;
}

std::uint64_t TargetLink::take_wire_octets() noexcept {
  const std::uint64_t now = link_.stream ? link_.stream->wire_octets() : 0;
  return now - std::exchange(wire_seen_, now);
}

}  // namespace wafd::forward
