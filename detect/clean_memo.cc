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

std::uint64_t mixed(std::uint64_t hash, std::string_view text) noexcept {
  const char* at = text.data();
  std::size_t left = text.size();
  hash += left;
  for (; left > 16; left -= 16, at += 16)
    hash = folded_product(eight(at) ^ kFirst ^ hash, eight(at + 8) ^ kSecond);
  // The last octets; of a longer text some are read twice.
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  if (left >= 8) {
    a = eight(at);
    b = eight(at + left - 8);
  } else if (left >= 4) {
    a = four(at);
    b = four(at + left - 4);
  } else if (left != 0) {
    a = static_cast<unsigned char>(at[0]) |
        static_cast<std::uint64_t>(static_cast<unsigned char>(at[left / 2])) << 8;
    b = static_cast<unsigned char>(at[left - 1]);
  }
  return folded_product(a ^ kFirst ^ hash, b ^ kSecond);
}

std::uint32_t kind_of(const Field& field) noexcept {
  return 1u | static_cast<std::uint32_t>(field.location) << 1 | (field.in_name ? 1u : 0u) << 8 |
         static_cast<std::uint32_t>(field.coding) << 9 | (field.binary ? 1u : 0u) << 12 |
         (field.media ? 1u : 0u) << 13 | static_cast<std::uint32_t>(field.depth) << 16;
}

std::uint64_t hash_of(const Field& field, std::uint32_t kind) noexcept {
  std::uint64_t hash = mixed(kind, field.raw);
  if (!field.decode_path.empty()) hash = mixed(hash, field.decode_path);
  // A name is its own value's name.
  return field.name.data() == field.raw.data() ? hash : mixed(hash, field.name);
}

bool same(const char* at, std::string_view text) noexcept {
  return text.empty() || std::memcmp(at, text.data(), text.size()) == 0;
}

}  // namespace

CleanMemo::CleanMemo() : entries_(kSlots), octets_(std::make_unique_for_overwrite<char[]>(kOctets)) {}

CleanMemo::Place CleanMemo::find(const Field& field) const noexcept {
  Place place;
  const std::size_t size = field.name.size() + field.decode_path.size() + field.raw.size();
  if (size > kMaxFieldBytes) return place;
  const std::uint32_t kind = kind_of(field);
  const std::uint64_t hash = hash_of(field, kind);
  static_assert(kSlots == std::size_t{1} << 13);
  place.slot = hash >> 51;
  place.hash = static_cast<std::uint32_t>(hash);
  const Entry& entry = entries_[place.slot];
  if (entry.hash != place.hash || entry.kind != kind || entry.name != field.name.size() ||
      entry.path != field.decode_path.size() || entry.raw != field.raw.size() ||
      written_ - entry.at > kOctets)
    return place;
  const char* at = octets_.get() + entry.at % kOctets;
  place.known = same(at, field.raw) && same(at + entry.raw, field.name) &&
                same(at + entry.raw + entry.name, field.decode_path);
  place.work = entry.work;
  return place;
}

void CleanMemo::keep(const Place& place, const Field& field, std::uint32_t work) noexcept {
  if (place.slot >= kSlots) return;
  const std::size_t size = field.name.size() + field.decode_path.size() + field.raw.size();
  if (const std::size_t left = kOctets - written_ % kOctets; size > left) written_ += left;
  Entry& entry = entries_[place.slot];
  entry.at = written_;
  entry.hash = place.hash;
  entry.work = work;
  entry.kind = kind_of(field);
  entry.name = static_cast<std::uint16_t>(field.name.size());
  entry.path = static_cast<std::uint16_t>(field.decode_path.size());
  entry.raw = static_cast<std::uint16_t>(field.raw.size());
  char* to = octets_.get() + written_ % kOctets;
  for (const std::string_view part : {field.raw, field.name, field.decode_path}) {
    if (!part.empty()) std::memcpy(to, part.data(), part.size());
    to += part.size();
  }
  written_ += size;
}

}  // namespace wafd::detect
