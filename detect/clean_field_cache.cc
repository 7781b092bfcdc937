#include "detect/clean_field_cache.h"

#include <array>

namespace wafd::detect {
namespace {

std::uint64_t lengths_of(const Field& field) noexcept {
  return field.name.size() | std::uint64_t{field.decode_path.size()} << 16 |
         std::uint64_t{field.parent.size()} << 32 | std::uint64_t{field.outermost.size()} << 48;
}

// The key of a field that a matcher was asked about, in this order.
std::array<std::string_view, 5> named_parts(const Field& field) noexcept {
  return {field.raw, field.name, field.decode_path, field.parent, field.outermost};
}

bool same(const char* at, std::string_view text) noexcept {
  return text.empty() || std::memcmp(at, text.data(), text.size()) == 0;
}

}  // namespace

CleanFieldCache::CleanFieldCache() : sets_(kSets), bytes_(kBytes) {}

std::uint64_t CleanFieldCache::mixed(std::uint64_t hash, std::string_view text) noexcept {
  const char* at = text.data();
  std::size_t left = text.size();
  hash += left;
  for (; left > 16; left -= 16, at += 16) hash = mixed(hash, {eight(at), eight(at + 8)});
  return mixed(hash, ends_of(at, left));
}

std::uint64_t CleanFieldCache::hash_of_named(const Key& key, const Field& field) noexcept {
  return mixed(mixed(mixed(mixed(key.hash, field.decode_path), field.name), field.parent), field.outermost);
}

CleanFieldCache::Answer CleanFieldCache::find_other(const Field& field, const Key& key) noexcept {
  const bool is_short = field.raw.size() <= kShortBytes;  // then it was looked for without a name
  const auto hash = static_cast<std::uint32_t>(key.hash);
  const Entry* entry = find_in(key.set, [&](const Entry& e) {
    return e.hash == hash && (e.kind == (key.kind | kAsks) || (!is_short && e.kind == key.kind));
  });
  if (entry == nullptr) return {};
  if (entry->kind == key.kind) {
    const bool known = entry->raw == field.raw.size() && !overwritten(*entry) &&
                       same(bytes_.data() + entry->first % kBytes, field.raw);
    return {known, entry->cost};
  }
  const std::uint64_t named_hash = hash_of_named(key, field);
  const Entry* named = find_in(set_of(named_hash), [&](const Entry& e) {
    return e.hash == static_cast<std::uint32_t>(named_hash) && e.kind == (key.kind | kNamed) &&
           e.last == lengths_of(field) && e.raw == field.raw.size();
  });
  if (named == nullptr || overwritten(*named)) return {};
  const char* at = bytes_.data() + named->first % kBytes;
  bool known = true;
  for (const std::string_view part : named_parts(field)) {
    known = known && same(at, part);
    at += part.size();
  }
  return {known, named->cost};
}

std::uint64_t CleanFieldCache::write(std::span<const std::string_view> parts) noexcept {
  std::size_t size = 0;
  for (const std::string_view part : parts) size += part.size();
  if (const std::size_t left = kBytes - written_ % kBytes; size > left) written_ += left;
  const std::uint64_t at = written_;
  char* to = bytes_.data() + at % kBytes;
  for (const std::string_view part : parts) {
    if (!part.empty()) std::memcpy(to, part.data(), part.size());
    to += part.size();
  }
  written_ += size;
  return at;
}

CleanFieldCache::Entry& CleanFieldCache::place_for(std::size_t set, std::uint64_t hash,
                                                   std::uint32_t kind) noexcept {
  Entry(&ways)[2] = sets_[set].ways;
  const Entry& first = ways[0];
  const bool again =
      first.kind == 0 || (first.hash == static_cast<std::uint32_t>(hash) && first.kind == kind);
  return ways[again ? 0 : 1];
}

void CleanFieldCache::keep(const Key& key, const Field& field, Cost cost, PrefilterOutcome asked) noexcept {
  if (key.set == kSets) return;
  Entry entry;
  entry.hash = static_cast<std::uint32_t>(key.hash);
  entry.cost = cost;
  entry.kind = key.kind;
  entry.raw = static_cast<std::uint32_t>(field.raw.size());
  if (asked == PrefilterOutcome::kNoMatcher) {
    const std::string_view parts[] = {field.raw};
    if (field.raw.size() <= kShortBytes) {
      entry.first = key.first;
      entry.last = key.last;
    } else {
      entry.first = write(parts);
    }
    place_for(key.set, key.hash, entry.kind) = entry;
    return;
  }
  Entry asks;
  asks.hash = entry.hash;
  asks.kind = entry.kind | kAsks;
  place_for(key.set, key.hash, asks.kind) = asks;
  const std::uint64_t hash = hash_of_named(key, field);
  const auto parts = named_parts(field);
  entry.hash = static_cast<std::uint32_t>(hash);
  entry.kind |= kNamed;
  entry.last = lengths_of(field);
  entry.first = write(parts);
  place_for(set_of(hash), hash, entry.kind) = entry;
}

}  // namespace wafd::detect
