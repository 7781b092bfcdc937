// Remembers fields in which nothing was found: header values, cookies, paths and names of parameters come
// again in request after request, and a comparison is all that they then cost.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "detect/extract/fields.h"
#include "detect/huge_pages.h"

namespace wafd::detect {

// Whom the prefilter woke for a field.
enum class PrefilterOutcome : bool { kNoMatcher, kSomeMatcher };

// Of fixed size: a table of sets of two entries. A new one takes the place of the set's second, and the first
// is one that was asked for again: what comes once cannot drive out what comes often. Whole values are
// compared, never their hashes alone, so that a verdict does not depend on what came before; who makes hashes
// collide only makes fields be judged that need not be. A field's name and decode path count only where
// somebody was asked: the prefilter sees neither. One thread.
class CleanFieldCache {
 public:
  // 2 MiB. With an eighth of the entries, of the ordinary fields that were not known six of ten had only been
  // driven out.
  static constexpr int kSetBits = 15;
  static constexpr std::size_t kSets = std::size_t{1} << kSetBits;
  static constexpr std::size_t kBytes = 4u << 20;  // of all fields kept
  // Name, names above it, decode path and value together; a longer field is not kept.
  static constexpr std::size_t kMaxFieldBytes = 16u << 10;

  // Where a field stands in the table or would stand, and what it is compared by.
  struct Key {
    std::uint64_t hash = 0;
    std::uint64_t first = 0;  // of a value of at most kShortBytes: its bytes, in two words
    std::uint64_t last = 0;
    std::uint32_t set = kSets;  // kSets: the field is too long
    std::uint32_t kind = 0;
  };
  // The cost of judging a field, in blocks of kBlockUnits of the budget (core/cost_budget.h), rounded up: its
  // own decoding, and what was decoded further.
  struct Cost {
    std::uint16_t roots = 0;
    std::uint16_t deep = 0;
    bool operator==(const Cost&) const = default;
  };
  static constexpr std::uint64_t kBlockUnits = 256;
  static constexpr std::uint64_t kMaxBlocks = 0xffff;  // of what is kept
  // How many units are missing to the next whole block.
  static constexpr std::uint64_t to_whole_block(std::uint64_t units) noexcept {
    return (kBlockUnits - units % kBlockUnits) % kBlockUnits;
  }
  struct Answer {
    bool known = false;
    Cost cost;  // if it is known
  };

  CleanFieldCache();
  // Of a field that will be asked about soon: has its part of the table fetched meanwhile.
  Key key_of(const Field& field) const noexcept {
    const std::size_t size = field.raw.size();
    Key key;
    if (field.name.size() + field.parent.size() + field.outermost.size() + field.decode_path.size() + size >
        kMaxFieldBytes)
      return key;
    key.kind = kind_of(field);
    if (size <= kShortBytes) {
      const Ends ends = ends_of(field.raw.data(), size);
      key.first = ends.first;
      key.last = ends.last;
      key.hash = mixed(key.kind + size, ends);
    } else {
      key.hash = mixed(key.kind, field.raw);
    }
    key.set = set_of(key.hash);
    __builtin_prefetch(&sets_[key.set]);
    return key;
  }
  // The same for the bytes that it will be compared with, when the part of the table is there.
  void fetch_bytes(const Field& field, const Key& key) const noexcept {
    if (field.raw.size() <= kShortBytes || key.set == kSets) return;
    for (const Entry& entry : sets_[key.set].ways) {
      if (entry.hash == static_cast<std::uint32_t>(key.hash))
        __builtin_prefetch(bytes_.data() + entry.first % kBytes);
    }
  }
  // `key`: that of the field.
  Answer find(const Field& field, const Key& key) noexcept {
    const std::size_t size = field.raw.size();
    if (key.set == kSets) return {};
    if (size > kShortBytes) return find_other(field, key);
    const Entry* entry = find_in(key.set, [&](const Entry& e) {
      return e.first == key.first && e.last == key.last && e.kind == key.kind && e.raw == size;
    });
    return entry == nullptr ? find_other(field, key) : Answer{true, entry->cost};
  }
  Answer find(const Field& field) noexcept { return find(field, key_of(field)); }
  // Whether two fields are the same to everybody who judges them. A field that is too long is like none.
  static bool alike(const Field& a, const Key& key_of_a, const Field& b, const Key& key_of_b) noexcept {
    return key_of_a.hash == key_of_b.hash && key_of_a.kind == key_of_b.kind && key_of_a.set != kSets &&
           a.raw == b.raw && a.name == b.name && a.parent == b.parent && a.decode_path == b.decode_path;
  }
  // `field` was judged, took `cost`, held no further fields, and nothing at all was found in it. `key` is
  // its own.
  void keep(const Key& key, const Field& field, Cost cost, PrefilterOutcome asked) noexcept;

 private:
  static constexpr std::size_t kShortBytes = 16;
  struct alignas(32) Entry {
    // Of a value of at most kShortBytes, kept with nobody asked: all its bytes, in two words. Else `first`
    // is where its bytes are, counted from the first ever written; they stand there modulo kBytes. `last`
    // is then the lengths of name, path, parent and outermost name, sixteen bits each.
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::uint32_t hash = 0;
    Cost cost;
    std::uint32_t kind = 0;  // kind_of(), and what is kept; 0: free
    std::uint32_t raw = 0;   // its length
  };
  static std::uint64_t eight(const char* at) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    return word;
  }

  static std::uint32_t four(const char* at) noexcept {
    std::uint32_t word = 0;
    std::memcpy(&word, at, 4);
    return word;
  }

  // Both halves of the product.
  static std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) noexcept {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }

  // Digits of pi; any odd numbers with as many ones as zeros do.
  static constexpr std::uint64_t kFirst = 0x243f6a8885a308d3u;
  static constexpr std::uint64_t kSecond = 0x13198a2e03707345u;

  struct Ends {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
  };

  // All bytes of the last 16, or of a shorter text; some are read twice.
  static Ends ends_of(const char* at, std::size_t size) noexcept {
    if (size >= 8) return {eight(at), eight(at + size - 8)};
    if (size >= 4) return {four(at), four(at + size - 4)};
    if (size == 0) return {};
    return {static_cast<unsigned char>(at[0]) |
                static_cast<std::uint64_t>(static_cast<unsigned char>(at[size / 2])) << 8,
            static_cast<unsigned char>(at[size - 1])};
  }

  static std::uint64_t mixed(std::uint64_t hash, Ends ends) noexcept {
    return folded_product(ends.first ^ kFirst ^ hash, ends.last ^ kSecond);
  }

  // Never 0. The bytes that stand beside each other in a field are read as one word.
  static std::uint32_t kind_of(const Field& field) noexcept {
    return static_cast<std::uint32_t>(field.location) | (field.in_name ? 1u : 0u) << 8 |
           (field.binary ? 1u : 0u) << 16 | (field.code ? 1u : 0u) << 17 | (field.prose ? 1u : 0u) << 18 |
           (field.stored ? 1u : 0u) << 19 | (field.media ? 1u : 0u) << 24 |
           static_cast<std::uint32_t>(field.coding) << 9 | (field.depth >= kMaxFieldDepth ? 1u : 0u) << 12 |
           1u << 13;
  }

  // Flags of an entry beside its kind.
  static constexpr std::uint32_t kAsks = 1u << 30;   // only that a name and a path belong to it
  static constexpr std::uint32_t kNamed = 1u << 31;  // kept with both

  struct alignas(64) Set {
    Entry ways[2];
  };

  static std::uint32_t set_of(std::uint64_t hash) noexcept {
    return static_cast<std::uint32_t>(hash >> (64 - kSetBits));
  }
  // The entry of a set of which is(entry) holds, now the set's first; null: there is none.
  template <class Is>
  const Entry* find_in(std::size_t set, Is&& is) noexcept {
    Entry(&ways)[2] = sets_[set].ways;
    if (!is(ways[0])) {
      if (!is(ways[1])) return nullptr;
      std::swap(ways[0], ways[1]);
    }
    return &ways[0];
  }
  // Where an entry is put that has this hash and kind: in the place of what was kept of the same.
  Entry& place_for(std::size_t set, std::uint64_t hash, std::uint32_t kind) noexcept;
  static std::uint64_t mixed(std::uint64_t hash, std::string_view text) noexcept;
  // Of a field with its name, path and parent.
  static std::uint64_t hash_of_named(const Key& key, const Field& field) noexcept;
  // Of a longer field, or a short one that the table does not have with nobody asked.
  Answer find_other(const Field& field, const Key& key) noexcept;
  bool overwritten(const Entry& entry) const noexcept { return written_ - entry.first > kBytes; }
  std::uint64_t write(std::span<const std::string_view> parts) noexcept;
  std::vector<Set, HugePages<Set>> sets_;
  std::vector<char, HugePages<char>> bytes_;
  std::uint64_t written_ = 0;
};

}  // namespace wafd::detect
