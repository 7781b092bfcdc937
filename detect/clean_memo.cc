#include "detect/clean_memo.h"

#include <cstring>

namespace wafd::detect {
namespace {

constexpr std::uint64_t kMultiplier = 0x9e3779b97f4a7c15u;

std::uint64_t mixed(std::uint64_t hash, std::string_view text) noexcept {
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, 8);
    hash = (hash ^ word) * kMultiplier;
    hash ^= hash >> 32;
  }
  std::uint64_t word = text.size();
  for (; at < text.size(); ++at) word = word << 8 | static_cast<unsigned char>(text[at]);
  hash = (hash ^ word) * kMultiplier;
  return hash ^ hash >> 32;
}

std::uint32_t kind_of(const Field& field) noexcept {
  return 1u | static_cast<std::uint32_t>(field.location) << 1 | (field.in_name ? 1u : 0u) << 8 |
         static_cast<std::uint32_t>(field.coding) << 9 | (field.binary ? 1u : 0u) << 12 | (field.media ? 1u : 0u) << 13 |
         static_cast<std::uint32_t>(field.depth) << 16;
}

std::uint64_t hash_of(const Field& field, std::uint32_t kind) noexcept {
  return mixed(mixed(mixed(kind, field.name), field.decode_path), field.raw);
}

bool same(const char* at, std::string_view text) noexcept {
  return text.empty() || std::memcmp(at, text.data(), text.size()) == 0;
}

}  // namespace

CleanMemo::CleanMemo()
    : entries_(kSlots), octets_(std::make_unique_for_overwrite<char[]>(kSlots * kSlotBytes)) {}

CleanMemo::Place CleanMemo::find(const Field& field) const noexcept {
  Place place;
  if (field.name.size() + field.decode_path.size() + field.raw.size() > kSlotBytes) return place;
  const std::uint32_t kind = kind_of(field);
  const std::uint64_t hash = hash_of(field, kind);
  place.slot = hash >> 52;
  static_assert(kSlots == std::size_t{1} << 12);
  const Entry& entry = entries_[place.slot];
  if (entry.kind != kind || entry.hash != static_cast<std::uint32_t>(hash) ||
      entry.name != field.name.size() || entry.path != field.decode_path.size() ||
      entry.raw != field.raw.size())
    return place;
  const char* at = octets_.get() + place.slot * kSlotBytes;
  place.known = same(at, field.raw) && same(at + entry.raw, field.name) &&
                same(at + entry.raw + entry.name, field.decode_path);
  place.work = entry.work;
  return place;
}

void CleanMemo::keep(const Place& place, const Field& field, std::uint32_t work) noexcept {
  if (place.slot >= kSlots) return;
  Entry& entry = entries_[place.slot];
  entry.kind = kind_of(field);
  entry.hash = static_cast<std::uint32_t>(hash_of(field, entry.kind));
  entry.work = work;
  entry.name = static_cast<std::uint16_t>(field.name.size());
  entry.path = static_cast<std::uint16_t>(field.decode_path.size());
  entry.raw = static_cast<std::uint16_t>(field.raw.size());
  char* to = octets_.get() + place.slot * kSlotBytes;
  for (const std::string_view part : {field.raw, field.name, field.decode_path}) {
    if (!part.empty()) std::memcpy(to, part.data(), part.size());
    to += part.size();
  }
}

}  // namespace wafd::detect
