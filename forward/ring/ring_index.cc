#include "forward/ring/ring_index.h"

#include <cstring>

namespace wafd::forward::ring {
namespace {

constexpr auto kSet = std::memory_order_release;
constexpr auto kGet = std::memory_order_acquire;

}  // namespace

Entry entry_of(const RecordHeader& h) noexcept {
  Entry e;
  e.seq = h.seq;
  e.position = h.position;
  e.time_ms = h.time_ms;
  std::memcpy(&e.id_prefix, h.id, 8);
  std::memcpy(e.source.data(), h.source, 16);
  e.site_hash = h.site_hash;
  e.rule_hash = h.rule_hash;
  e.bytes = h.bytes;
  e.attack_type = h.attack_type;
  e.risk = h.risk;
  e.action = h.action;
  e.source_is_address = h.source_is_address;
  return e;
}

Index::Index(std::uint64_t data_bytes)
    : table_(static_cast<std::size_t>(data_bytes / sizeof(RecordHeader) / kChunk + 3)) {}

std::atomic<std::uint64_t>* Index::words_of(std::uint64_t ordinal) const noexcept {
  Chunk* chunk = table_[static_cast<std::size_t>(ordinal / kChunk % table_.size())].load(kGet);
  if (chunk == nullptr) return nullptr;
  return chunk->words.data() + static_cast<std::size_t>(ordinal % kChunk) * kWords;
}

void Index::reserve() {
  if (!free_.empty()) return;
  free_.reserve(chunks_.size() + 2);  // pop() must not allocate
  chunks_.push_back(std::make_unique<Chunk>());
  free_.push_back(chunks_.back().get());
}

void Index::push(const Entry& e) noexcept {
  const std::uint64_t ordinal = end_.load(std::memory_order_relaxed);
  auto& slot = table_[static_cast<std::size_t>(ordinal / kChunk % table_.size())];
  if (slot.load(std::memory_order_relaxed) == nullptr) {
    slot.store(free_.back(), kSet);
    free_.pop_back();
  }
  auto* w = words_of(ordinal);
  std::uint64_t source[2];
  std::memcpy(source, e.source.data(), 16);
  w[0].store(e.seq, kSet);
  w[1].store(e.position, kSet);
  w[2].store(e.amendment, kSet);
  w[3].store(static_cast<std::uint64_t>(e.time_ms), kSet);
  w[4].store(e.id_prefix, kSet);
  w[5].store(source[0], kSet);
  w[6].store(source[1], kSet);
  w[7].store(e.site_hash, kSet);
  w[8].store(e.rule_hash, kSet);
  w[9].store(std::uint64_t{e.bytes} | std::uint64_t{e.attack_type} << 32 | std::uint64_t{e.risk} << 40 |
                 std::uint64_t{e.action} << 48 | std::uint64_t{e.source_is_address} << 56,
             kSet);
  end_.store(ordinal + 1, kSet);
}

void Index::pop() noexcept {
  const std::uint64_t ordinal = first_.load(std::memory_order_relaxed);
  first_.store(ordinal + 1, kSet);
  if ((ordinal + 1) % kChunk == 0) {
    auto& slot = table_[static_cast<std::size_t>(ordinal / kChunk % table_.size())];
    free_.push_back(slot.exchange(nullptr, std::memory_order_acq_rel));
  }
}

void Index::clear() noexcept {
  while (!empty()) pop();
}

void Index::set_amendment(std::uint64_t ordinal, std::uint64_t position) noexcept {
  if (auto* w = words_of(ordinal)) w[2].store(position + 1, kSet);
}

bool Index::get(std::uint64_t ordinal, Entry& e) const noexcept {
  if (ordinal >= end()) return false;
  const auto* w = words_of(ordinal);
  if (w == nullptr) return false;
  e.seq = w[0].load(kGet);
  e.position = w[1].load(kGet);
  e.amendment = w[2].load(kGet);
  e.time_ms = static_cast<std::int64_t>(w[3].load(kGet));
  e.id_prefix = w[4].load(kGet);
  const std::uint64_t source[2] = {w[5].load(kGet), w[6].load(kGet)};
  std::memcpy(e.source.data(), source, 16);
  e.site_hash = w[7].load(kGet);
  e.rule_hash = w[8].load(kGet);
  const std::uint64_t packed = w[9].load(kGet);
  e.bytes = static_cast<std::uint32_t>(packed);
  e.attack_type = static_cast<std::uint8_t>(packed >> 32);
  e.risk = static_cast<std::uint8_t>(packed >> 40);
  e.action = static_cast<std::uint8_t>(packed >> 48);
  e.source_is_address = static_cast<std::uint8_t>(packed >> 56);
  return ordinal >= first();  // read last: what was popped meanwhile may be another's entry
}

std::uint64_t Index::lower_bound(std::uint64_t seq) const noexcept {
  std::uint64_t low = first();
  std::uint64_t high = end();
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    Entry e;
    if (!get(middle, e)) {
      low = first();  // overtaken while searching: everything before is gone
    } else if (e.seq < seq) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace wafd::forward::ring
