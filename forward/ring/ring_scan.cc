#include "forward/ring/ring_scan.h"

#include <algorithm>
#include <cstring>

#include "detect/core/digest.h"

namespace wafd::forward::ring {
namespace {

constexpr std::uint64_t kWordsOfHeader = sizeof(RecordHeader) / 8;

void read_header(const Map& map, std::uint64_t position, RecordHeader& header) noexcept {
  std::uint64_t words[kWordsOfHeader];
  map.copy_out(position, sizeof(RecordHeader), words);
  std::memcpy(&header, words, sizeof header);
}

bool is_kind(std::uint32_t mark) noexcept {
  return mark == mark_of(RecordKind::kEvent) || mark == mark_of(RecordKind::kAmendment) ||
         mark == mark_of(RecordKind::kFill);
}

bool sane(const Map& map, const RecordHeader& h) noexcept {
  if (!is_kind(h.mark) || h.bytes % 8 != 0 || h.bytes < sizeof(RecordHeader)) return false;
  if (h.mark == mark_of(RecordKind::kFill)) return h.bytes <= map.data_bytes();
  const std::uint64_t texts = std::uint64_t{h.source_bytes} + h.site_bytes + h.rule_bytes;
  const std::uint64_t whole =
      sizeof(RecordHeader) + padded(texts) + padded(h.json_bytes) + padded(h.detail_bytes);
  return h.bytes == whole && whole <= map.max_record_bytes();
}

std::uint32_t fill_crc(const RecordHeader& h) noexcept {
  const auto* bytes = reinterpret_cast<const char*>(&h);
  return place_crc(h, crc32c({bytes + 32, sizeof h - 32}));
}

// First sound record in [begin, end), or `end`.
std::uint64_t search(const Map& map, std::uint64_t begin, std::uint64_t end,
                     std::vector<std::uint64_t>& buffer) {
  RecordHeader header;
  for (std::uint64_t at = begin; at < end; at += 8) {
    // Cheap first: the record's second word is its own position.
    if (map.load(kDataBegin + (at + 8) % map.data_bytes()) != at) continue;
    if (sound_at(map, at, true, header, buffer)) return at;
  }
  return end;
}

}  // namespace

std::uint32_t place_crc(const RecordHeader& header, std::uint32_t content_crc) noexcept {
  return crc32c({reinterpret_cast<const char*>(&header), kPlacePart}, content_crc);
}

bool crc_matches(const std::uint64_t* record) noexcept {
  RecordHeader h;
  std::memcpy(&h, record, sizeof h);
  if (h.mark == mark_of(RecordKind::kFill)) return h.crc == fill_crc(h);
  const char* bytes = reinterpret_cast<const char*>(record);
  const std::uint64_t texts = std::uint64_t{h.source_bytes} + h.site_bytes + h.rule_bytes;
  std::uint64_t at = sizeof h;
  std::uint32_t crc = crc32c({bytes + 32, sizeof h - 32});
  crc = crc32c({bytes + at, texts}, crc);
  at += padded(texts);
  crc = crc32c({bytes + at, h.json_bytes}, crc);
  at += padded(h.json_bytes);
  crc = crc32c({bytes + at, h.detail_bytes}, crc);
  return h.crc == place_crc(h, crc);
}

bool sound_at(const Map& map, std::uint64_t position, bool check_crc, RecordHeader& header,
              std::vector<std::uint64_t>& buffer) {
  read_header(map, position, header);
  if (header.position != position || !sane(map, header)) return false;
  if (!check_crc) return true;
  const std::uint64_t bytes = header.mark == mark_of(RecordKind::kFill) ? sizeof header : header.bytes;
  buffer.resize(std::max<std::size_t>(buffer.size(), bytes / 8));
  map.copy_out(position, bytes, buffer.data());
  return crc_matches(buffer.data());
}

Walk walk(const Map& map, std::uint64_t begin, std::uint64_t trusted_end, bool check_crc,
          const std::function<bool(std::uint64_t)>& overtaken, const RecordSink& sink) {
  Walk result;
  result.end = begin;
  std::vector<std::uint64_t> buffer;
  const std::uint64_t limit = begin + map.data_bytes();
  std::uint64_t at = begin;
  while (at < limit) {
    RecordHeader header;
    const bool sound = sound_at(map, at, check_crc, header, buffer) && at + header.bytes <= limit &&
                       header.epoch >= result.epoch &&
                       (header.mark != mark_of(RecordKind::kEvent) || header.seq > result.last_seq);
    if (overtaken(at)) return result;
    if (!sound) {
      if (at >= trusted_end) {
        result.torn_tail = header.position == at && is_kind(header.mark) && header.epoch >= result.epoch;
        return result;
      }
      const std::uint64_t next = search(map, at + 8, trusted_end, buffer);
      if (overtaken(at) || next == trusted_end) return result;
      result.gaps.push_back({at, next, result.epoch});
      at = next;
      continue;
    }
    result.epoch = header.epoch;
    if (header.mark == mark_of(RecordKind::kEvent)) {
      result.last_seq = header.seq;
      ++result.events;
    }
    at += header.bytes;
    result.end = at;
    if (!sink(header)) return result;
  }
  return result;
}

Walk salvage(const Map& map, std::uint64_t& begin, const RecordSink& sink) {
  std::vector<RecordHeader> found;
  std::vector<std::uint64_t> buffer;
  for (std::uint64_t offset = 0; offset < map.data_bytes();) {
    RecordHeader header;
    const std::uint64_t position = map.load(kDataBegin + (offset + 8) % map.data_bytes());
    if (position % 8 == 0 && position % map.data_bytes() == offset && position < (std::uint64_t{1} << 62) &&
        sound_at(map, position, true, header, buffer)) {
      found.push_back(header);
      offset += header.bytes;
    } else {
      offset += 8;
    }
  }
  std::sort(found.begin(), found.end(),
            [](const RecordHeader& a, const RecordHeader& b) { return a.position < b.position; });
  // The newest record is that of the highest epoch that lies last; what lies behind it is older than the
  // crash that ended its epoch, what lies more than one round before it has been overwritten in part.
  const auto newest =
      std::max_element(found.begin(), found.end(), [](const RecordHeader& a, const RecordHeader& b) {
        return a.epoch != b.epoch ? a.epoch < b.epoch : a.position < b.position;
      });
  Walk result;
  begin = 0;
  if (newest == found.end()) return result;
  const std::uint64_t end = newest->position + newest->bytes;
  const std::uint64_t window = end > map.data_bytes() ? end - map.data_bytes() : 0;
  bool first = true;
  for (const RecordHeader& header : found) {
    const bool event = header.mark == mark_of(RecordKind::kEvent);
    if (header.position < window || header.position > newest->position) continue;
    if (!first && header.position < result.end) continue;
    if (header.epoch < result.epoch || (event && header.seq <= result.last_seq)) continue;
    if (first) {
      begin = header.position;
    } else if (header.position > result.end) {
      result.gaps.push_back({result.end, header.position, result.epoch});
    }
    first = false;
    result.epoch = header.epoch;
    result.end = header.position + header.bytes;
    if (event) {
      result.last_seq = header.seq;
      ++result.events;
    }
    if (!sink(header)) break;
  }
  return result;
}

}  // namespace wafd::forward::ring
