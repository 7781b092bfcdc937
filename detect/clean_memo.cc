#include "detect/clean_memo.h"

#include <cstring>

namespace wafd::detect {
namespace {

std::uint64_t eight(const char* at) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, at, 8);
  return word;
}

std::uint32_t four(const char* at) noexcept {
  std::uint32_t word = 0;
  std::memcpy(&word, at, 4);
  return word;
}

// Both halves of the product.
std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// Digits of pi; any odd numbers with as many ones as zeros do.
constexpr std::uint64_t kFirst = 0x243f6a8885a308d3u;
constexpr std::uint64_t kSecond = 0x13198a2e03707345u;

struct Ends {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

// All octets of the last 16, or of a shorter text; some are read twice.
Ends ends_of(const char* at, std::size_t size) noexcept {
  if (size >= 8) return {eight(at), eight(at + size - 8)};
  if (size >= 4) return {four(at), four(at + size - 4)};
  if (size == 0) return {};
  return {static_cast<unsigned char>(at[0]) |
              static_cast<std::uint64_t>(static_cast<unsigned char>(at[size / 2])) << 8,
          static_cast<unsigned char>(at[size - 1])};
}

std::uint64_t mixed(std::uint64_t hash, Ends ends) noexcept {
  return folded_product(ends.first ^ kFirst ^ hash, ends.last ^ kSecond);
}

std::uint64_t mixed(std::uint64_t hash, std::string_view text) noexcept {
  const char* at = text.data();
  std::size_t left = text.size();
  hash += left;
  for (; left > 16; left -= 16, at += 16) hash = mixed(hash, {eight(at), eight(at + 8)});
  return mixed(hash, ends_of(at, left));
}

std::uint32_t kind_of(const Field& field) noexcept {
  return 1u | static_cast<std::uint32_t>(field.location) << 1 | (field.in_name ? 1u : 0u) << 8 |
         static_cast<std::uint32_t>(field.coding) << 9 | (field.binary ? 1u : 0u) << 12 |
         (field.media ? 1u : 0u) << 13 | static_cast<std::uint32_t>(field.depth) << 16;
}

// What an entry says of a value beside its kind.
constexpr std::uint32_t kAsks = 1u << 30;   // only that a name and a path belong to it
constexpr std::uint32_t kNamed = 1u << 31;  // kept with both

std::uint64_t lengths_of(const Field& field) noexcept {
  return field.name.size() | std::uint64_t{field.decode_path.size()} << 32;
}

bool same(const char* at, std::string_view text) noexcept {
  return text.empty() || std::memcmp(at, text.data(), text.size()) == 0;
}

}  // namespace

CleanMemo::CleanMemo() : entries_(kSlots), octets_(std::make_unique_for_overwrite<char[]>(kOctets)) {}

std::size_t CleanMemo::slot_of(std::uint64_t hash) noexcept {
  static_assert(kSlots == std::size_t{1} << 13);
  return hash >> 51;
}

CleanMemo::Place CleanMemo::find(const Field& field) const noexcept {
  Place place;
  const std::size_t size = field.name.size() + field.decode_path.size() + field.raw.size();
  if (size > kMaxFieldBytes) return place;
  const std::uint32_t kind = kind_of(field);
  const bool is_short = field.raw.size() <= kShortBytes;
  const Ends ends = is_short ? ends_of(field.raw.data(), field.raw.size()) : Ends{};
  place.hash = is_short ? mixed(kind + field.raw.size(), ends) : mixed(kind, field.raw);
  place.slot = slot_of(place.hash);
  const Entry& entry = entries_[place.slot];
  if (entry.hash != static_cast<std::uint32_t>(place.hash)) return place;
  if (entry.kind == kind) {
    if (entry.raw != field.raw.size()) return place;
    place.known = is_short ? entry.first == ends.first && entry.last == ends.last
                           : !overwritten(entry) && same(octets_.get() + entry.first % kOctets, field.raw);
    place.work = entry.work;
  } else if (entry.kind == (kind | kAsks)) {
    const std::uint64_t hash = mixed(mixed(place.hash, field.decode_path), field.name);
    const Entry& named = entries_[slot_of(hash)];
    if (named.hash != static_cast<std::uint32_t>(hash) || named.kind != (kind | kNamed) ||
        named.last != lengths_of(field) || named.raw != field.raw.size() || overwritten(named))
      return place;
    const char* at = octets_.get() + named.first % kOctets;
    place.known = same(at, field.raw) && same(at + named.raw, field.name) &&
                  same(at + named.raw + field.name.size(), field.decode_path);
    place.work = named.work;
  }
  return place;
}

std::uint64_t CleanMemo::write(std::span<const std::string_view> parts) noexcept {
  std::size_t size = 0;
  for (const std::string_view part : parts) size += part.size();
  if (const std::size_t left = kOctets - written_ % kOctets; size > left) written_ += left;
  const std::uint64_t at = written_;
  char* to = octets_.get() + at % kOctets;
  for (const std::string_view part : parts) {
    if (!part.empty()) std::memcpy(to, part.data(), part.size());
    to += part.size();
  }
  written_ += size;
  return at;
}

void CleanMemo::keep(const Place& place, const Field& field, std::uint32_t work, Asked asked) noexcept {
  if (place.slot >= kSlots) return;
  Entry entry;
  entry.hash = static_cast<std::uint32_t>(place.hash);
  entry.work = work;
  entry.kind = kind_of(field);
  entry.raw = static_cast<std::uint32_t>(field.raw.size());
  if (asked == Asked::kNobody) {
    const std::string_view parts[] = {field.raw};
    if (field.raw.size() <= kShortBytes) {
      const Ends ends = ends_of(field.raw.data(), field.raw.size());
      entry.first = ends.first;
      entry.last = ends.last;
    } else {
      entry.first = write(parts);
    }
    entries_[place.slot] = entry;
    return;
  }
  Entry& asks = entries_[place.slot];
  asks = {};
  asks.hash = entry.hash;
  asks.kind = entry.kind | kAsks;
  const std::uint64_t hash = mixed(mixed(place.hash, field.decode_path), field.name);
  const std::string_view parts[] = {field.raw, field.name, field.decode_path};
  entry.hash = static_cast<std::uint32_t>(hash);
  entry.kind |= kNamed;
  entry.last = lengths_of(field);
  entry.first = write(parts);
  entries_[slot_of(hash)] = entry;
}

}  // namespace wafd::detect
