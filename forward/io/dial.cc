#include "forward/io/dial.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "forward/target/destination.h"
#include "ingest/io/kit/system.h"

namespace wafd::forward {
namespace {

// Enough for any sane receiver, few enough that a hostile name server cannot make us scan a network.
constexpr std::size_t kMaxAddresses = 8;

}  // namespace

Dial::Dial(kit::Loop& loop, DialOptions options, Callbacks callbacks)
    : loop_(loop), options_(std::move(options)), callbacks_(std::move(callbacks)) {
  query_ = std::make_unique<kit::ResolveQuery>(loop_, options_.to.host, options_.resolve,
                                               [this](kit::ResolveResult r) { on_addresses(std::move(r)); });
}

// By value: it may be a member of what is destroyed here.
void Dial::fail_with(DialStage stage, Error error) {  // NOLINT(performance-unnecessary-value-param)
  const auto failed = std::move(callbacks_.failed);   // may destroy this
  failed(stage, error);
}

void Dial::on_addresses(kit::ResolveResult result) {
  if (!result) {
    const bool missing = result.error().failure == kit::ResolveFailure::kNotFound;
    return fail_with(DialStage::kResolve,
                     {missing ? ErrorCode::kUnknown : ErrorCode::kIo, 0, result.error().what});
  }
  const auto source = IpAddress::parse(options_.source_address);
  Error refused{ErrorCode::kUnknown, 0, fmt::format("resolve {}: no address", options_.to.host)};
  const std::vector<IpAddress> local = kit::local_addresses();
  for (const IpAddress& address : *result) {
    const auto allowed =
        check_destination(address, options_.to.port, options_.transport, options_.own_listeners, local);
    if (!allowed)
      refused = allowed.error();
    else if (source && source->is_v4() != address.is_v4())
      refused = {ErrorCode::kInvalid, 0,
                 fmt::format("source_address: {} cannot reach {}: another address family", source->text(),
                             address.text())};
    else if (addresses_.size() < kMaxAddresses)
      addresses_.push_back(address);
  }
  if (addresses_.empty()) return fail_with(DialStage::kResolve, std::move(refused));
  std::rotate(addresses_.begin(),
              addresses_.begin() + static_cast<std::ptrdiff_t>(options_.attempt % addresses_.size()),
              addresses_.end());
  deadline_ms_ = loop_.turn_start_ms() + options_.timeout_ms;
  if (callbacks_.resolved) callbacks_.resolved(addresses_);
  next_address();
}

void Dial::next_address() {
  if (index_ == addresses_.size()) return fail_with(DialStage::kConnect, std::move(last_error_));
  const Endpoint to{addresses_[index_++], options_.to.port};
  const auto source = IpAddress::parse(options_.source_address);
  if (options_.transport == Transport::kUdp) {
    auto socket = kit::UdpSocket::connect(loop_, to, source, callbacks_.datagram_error);
    if (!socket) {
      last_error_ = socket.error();
      return next_address();
    }
    Link link{to, nullptr, std::move(*socket)};
    const auto connected = std::move(callbacks_.connected);
    return connected(std::move(link));
  }
  const std::int64_t left = deadline_ms_ - loop_.turn_start_ms();
  if (left <= 0 && index_ > 1) return fail_with(DialStage::kConnect, std::move(last_error_));
  const auto tries = static_cast<std::int64_t>(addresses_.size() - index_ + 1);
  kit::ConnectOptions o;
  o.to = to;
  o.source = source;
  o.timeout_ms = std::max<std::int64_t>(left / tries, 1);  // one dead address leaves time for the others
  connector_ =
      std::make_unique<kit::Connector>(loop_, o, [this, to](Result<std::unique_ptr<kit::Stream>> stream) {
        if (!stream) {
          last_error_ = stream.error();
          return next_address();
        }
        // Of a port of this machine that nobody listens on TCP can make a connection to itself, which takes
        // all.
        if ((*stream)->local() == to) {
          last_error_ = {ErrorCode::kIo, 0, fmt::format("connect to {}: connection refused", to.text())};
          return next_address();
        }
        Link link{to, std::move(*stream), nullptr};
        const auto connected = std::move(callbacks_.connected);
        connected(std::move(link));
      });
}

}  // namespace wafd::forward
