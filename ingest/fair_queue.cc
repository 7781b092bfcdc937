#include "ingest/fair_queue.h"

#include <algorithm>
#include <utility>

#include "detect/core/ip_address.h"

namespace wafd::ingest {
namespace {

// FNV-1a with a seed, its bits mixed by the end of MurmurHash3.
std::uint64_t hash(std::uint64_t seed, std::string_view bytes) noexcept {
  std::uint64_t h = 0xcbf29ce484222325u ^ seed;
  for (const char c : bytes) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  h = (h ^ h >> 33) * 0xff51afd7ed558ccdu;
  h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53u;
  return h ^ h >> 33;
}

}  // namespace

Source FairQueue::source_of(std::string_view address) const noexcept {
  constexpr std::size_t kNetworkBytes = 8;
  const auto ip = IpAddress::parse(address);
  if (!ip || ip->is_v4()) return hash(seed_, address);
  char network[kNetworkBytes];
  std::copy_n(ip->bytes.begin(), kNetworkBytes, network);
  return hash(seed_, {network, kNetworkBytes});
}

Source FairQueue::source_of_connection(const void* connection) const noexcept {
  char bytes[sizeof connection];
  std::copy_n(reinterpret_cast<const char*>(&connection), sizeof bytes, bytes);
  return hash(~seed_, {bytes, sizeof bytes});
}

bool FairQueue::at_once(Source source, std::size_t bytes, std::int64_t turn_start_us) noexcept {
  if (turn_start_us != turn_us_ && waiting_.empty()) now_ = highest_;
  turn_us_ = turn_start_us;
  return bytes <= kSmallBytes && used(source) <= now_ + kAheadUnits;
}

void FairQueue::charge(Source source, std::uint64_t units) noexcept {
  std::uint64_t& until = used(source);
  until = std::max(until, now_) + units;
  highest_ = std::max(highest_, until);
}

FairQueue::Ticket FairQueue::push(Source source, bool bare, std::size_t bytes, std::int64_t arrived_us,
                                  std::shared_ptr<Work> work) {
  const Ticket ticket = next_ticket_++;
  bytes = std::max<std::size_t>(1, bytes);
  charge(source, bytes * kUnitsPerByte);
  Waiting waiting{std::move(work), source, bytes, arrived_us, {!bare, used(source)}, false};
  enter(ticket, waiting);
  by_finish_.emplace(Order{waiting.order, ticket}, ticket);
  waiting_.emplace(ticket, std::move(waiting));
  while (bytes_ > max_bytes_) shed();
  if (on_work) on_work();
  return ticket;
}

void FairQueue::enter(Ticket ticket, const Waiting& waiting) {
  bytes_ += waiting.bytes;
  Held& held = held_[waiting.source];
  by_bytes_.erase({held.bytes, waiting.source});
  held.bytes += waiting.bytes;
  held.tickets.insert(ticket);
  by_bytes_.emplace(held.bytes, waiting.source);
}

void FairQueue::leave(Ticket ticket, const Waiting& waiting) noexcept {
  bytes_ -= waiting.bytes;
  const auto held = held_.find(waiting.source);
  by_bytes_.erase({held->second.bytes, waiting.source});
  held->second.bytes -= waiting.bytes;
  held->second.tickets.erase(ticket);
  if (held->second.tickets.empty()) {
    held_.erase(held);
  } else {
    by_bytes_.emplace(held->second.bytes, waiting.source);
  }
}

void FairQueue::shed() {
  const Ticket ticket = *held_.find(by_bytes_.rbegin()->second)->second.tickets.rbegin();
  Waiting& waiting = waiting_.find(ticket)->second;
  leave(ticket, waiting);
  waiting.shed = true;
  shed_.push_back(ticket);
}

void FairQueue::cancel(Ticket ticket) noexcept {
  if (!waiting_.contains(ticket)) return;
  ++given_up_;
  take(ticket);
}

void FairQueue::cancel_all() noexcept {
  while (!waiting_.empty()) cancel(waiting_.begin()->first);
}

FairQueue::Taken FairQueue::take(Ticket ticket) noexcept {
  const auto at = waiting_.find(ticket);
  Waiting& waiting = at->second;
  if (!waiting.shed) leave(ticket, waiting);
  by_finish_.erase({waiting.order, ticket});
  Taken taken{std::move(waiting.work), waiting.source, !waiting.order.first, waiting.bytes * kUnitsPerByte};
  waiting_.erase(at);
  return taken;
}

std::optional<FairQueue::Taken> FairQueue::take_late(std::int64_t late_us) {
  while (!shed_.empty()) {
    const Ticket ticket = shed_.back();
    shed_.pop_back();
    if (waiting_.contains(ticket)) return take(ticket);
  }
  if (waiting_.empty() || waiting_.begin()->second.arrived_us >= late_us) return std::nullopt;
  return take(waiting_.begin()->first);
}

std::optional<FairQueue::Taken> FairQueue::take_next(bool bare_alone) {
  if (by_finish_.empty() || (bare_alone && !bare_waits())) return std::nullopt;
  const auto& [order, ticket] = *by_finish_.begin();
  const std::uint64_t finish = order.first.second;
  Taken taken = take(ticket);
  now_ = std::max(now_, finish - taken.guess);
  return taken;
}

void FairQueue::finish(const Taken& taken, std::uint64_t units) noexcept {
  // A guess that was too high is given back, but never below the present.
  std::uint64_t& until = used(taken.source);
  until = std::max(now_, until + units - std::min(taken.guess, until + units));
  highest_ = std::max(highest_, until);
}

}  // namespace wafd::ingest
