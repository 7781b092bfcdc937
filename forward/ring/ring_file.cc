#include "forward/ring/ring_file.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "detect/core/bytes.h"
#include "detect/core/digest.h"

namespace wafd::forward::ring {
namespace {

constexpr std::uint64_t kFetchAhead = 16u << 20;

std::string_view bytes_of(const RecordHeader& header) noexcept {
  return {reinterpret_cast<const char*>(&header), sizeof header};
}

// Texts of the head come from outside: printable ASCII stays, so that nothing in them looks like a record.
void put_text(std::string_view text, char*& to, std::uint8_t& bytes) noexcept {
  bytes = static_cast<std::uint8_t>(std::min<std::size_t>(text.size(), 255));
  for (std::size_t i = 0; i < bytes; ++i) *to++ = text[i] >= 0x20 && text[i] < 0x7f ? text[i] : '?';
}

}  // namespace

void RecentIds::put(std::uint64_t id_prefix, std::uint64_t ordinal) noexcept {
  Place* bucket = &places_[(id_prefix * 4) % kPlaces];
  Place* oldest = std::min_element(bucket, bucket + 4, [](const Place& a, const Place& b) {
    return a.ordinal_plus_one.load(std::memory_order_relaxed) <
           b.ordinal_plus_one.load(std::memory_order_relaxed);
  });
  oldest->id_prefix.store(id_prefix, std::memory_order_relaxed);
  oldest->ordinal_plus_one.store(ordinal + 1, std::memory_order_relaxed);
}

std::uint64_t RecentIds::find(std::uint64_t id_prefix) const noexcept {
  const Place* bucket = &places_[(id_prefix * 4) % kPlaces];
  for (const Place* place = bucket; place < bucket + 4; ++place) {
    if (place->id_prefix.load(std::memory_order_relaxed) != id_prefix) continue;
    if (const auto ordinal = place->ordinal_plus_one.load(std::memory_order_relaxed)) return ordinal;
  }
  return 0;
}

RingFile::RingFile(std::unique_ptr<Map> map, bool read_only) : store_(std::move(map), read_only) {}

std::string RingFile::generation() const {
  const auto& bytes = store_.map->head().generation;
  return to_hex({reinterpret_cast<const char*>(bytes), sizeof bytes});
}

std::uint64_t RingFile::oldest() const noexcept {
  store_.refresh();
  Entry entry;
  for (;;) {
    const std::uint64_t first = store_.index.first();
    if (first == store_.index.end()) return next_seq_.load(std::memory_order_acquire);
    if (store_.index.get(first, entry)) return entry.seq;
  }
}

std::uint64_t RingFile::end() const noexcept {
  if (!store_.read_only) return next_seq_.load(std::memory_order_acquire);
  store_.refresh();
  Entry entry;
  for (;;) {
    const std::uint64_t last = store_.index.end();
    if (last == store_.index.first()) return next_seq_.load(std::memory_order_acquire);
    if (store_.index.get(last - 1, entry)) return entry.seq + 1;
  }
}

std::int64_t RingFile::oldest_time_ms() const noexcept {
  store_.refresh();
  Entry entry;
  while (!store_.index.empty()) {
    if (store_.index.get(store_.index.first(), entry)) return entry.time_ms;
  }
  return 0;
}

std::uint64_t RingFile::used_bytes() const noexcept {
  const std::uint64_t oldest = store_.map->load(kOldestWord);
  const std::uint64_t end = store_.map->load(kEndWord);
  return end > oldest ? std::min(end - oldest, store_.map->data_bytes()) : 0;
}

std::uint64_t RingFile::records() const noexcept {
  store_.refresh();
  const std::uint64_t first = store_.index.first();
  return store_.index.end() - first;
}

// --- writing
// -----------------------------------------------------------------------------------------------------

void RingFile::make_room(std::uint64_t bytes) noexcept {
  Index& index = store_.index;
  while (end_position_ + bytes - oldest_position_ > store_.map->data_bytes()) {
    if (index.empty()) {
      oldest_position_ = end_position_;
      break;
    }
    index.pop();
    Entry next;
    oldest_position_ = index.get(index.first(), next) ? next.position : end_position_;
  }
  store_.map->store(kOldestWord, oldest_position_);  // before the bytes are used again
}

void RingFile::write(RecordHeader& header, const Pieces& pieces, std::uint32_t content_crc) noexcept {
  Map& map = *store_.map;
  header.position = end_position_;
  header.epoch = epoch_;
  header.crc = place_crc(header, content_crc);
  std::uint64_t at = end_position_ + sizeof header;
  map.copy_in(end_position_ + 8, bytes_of(header).substr(8));
  for (const std::string_view piece : {pieces.texts, pieces.json, pieces.detail}) {
    map.copy_in(at, piece);
    at += padded(piece.size());
  }
  map.copy_in(end_position_, bytes_of(header).substr(0, 8));  // the sequence word, last
  end_position_ = at;
}

Result<std::uint64_t> RingFile::append(const EventRecord& record) noexcept try {
  RecordHeader header{};
  char texts[3 * 255];
  char* text_end = texts;
  put_text(record.src_ip, text_end, header.source_bytes);
  put_text(record.site_uuid, text_end, header.site_bytes);
  put_text(record.rule_id, text_end, header.rule_bytes);
  const Pieces pieces{{texts, static_cast<std::size_t>(text_end - texts)}, record.json, record.detail};
  const std::uint64_t bytes =
      sizeof header + padded(pieces.texts.size()) + padded(pieces.json.size()) + padded(pieces.detail.size());
  if (store_.read_only || bytes > store_.map->max_record_bytes()) {
    refused_.fetch_add(1, std::memory_order_relaxed);
    return store_.read_only ? fail(ErrorCode::kDenied, "the ring is open for reading")
                            : fail(ErrorCode::kTooLarge, fmt::format("event of {} bytes, expected at most {}",
                                                                     bytes, store_.map->max_record_bytes()));
  }
  header.bytes = static_cast<std::uint32_t>(bytes);
  header.mark = mark_of(RecordKind::kEvent);
  header.time_ms = record.time_ms;
  std::memcpy(header.id, record.id.bytes.data(), sizeof header.id);
  if (const auto address = IpAddress::parse(record.src_ip)) {
    std::memcpy(header.source, address->bytes.data(), sizeof header.source);
    header.source_is_address = 1;
  }
  header.site_hash = text_hash(record.site_uuid);
  header.rule_hash = text_hash(record.rule_id);
  header.attack_type = static_cast<std::uint8_t>(record.attack_type);
  header.risk = static_cast<std::uint8_t>(record.risk);
  header.action = static_cast<std::uint8_t>(record.action);
  header.flags = record.report_expected ? kReportExpected : std::uint8_t{0};
  header.json_bytes = static_cast<std::uint32_t>(pieces.json.size());
  header.detail_bytes = static_cast<std::uint32_t>(pieces.detail.size());
  header.offsets[0] = record.offsets.rsp_start_time;
  header.offsets[1] = record.offsets.rsp_end_time;
  header.offsets[2] = record.offsets.resp_reason_phrase;
  std::uint32_t crc = crc32c(bytes_of(header).substr(32));
  for (const std::string_view piece : {pieces.texts, pieces.json, pieces.detail}) crc = crc32c(piece, crc);

  std::uint64_t seq = 0;
  {
    const std::lock_guard guard(lock_);
    seq = next_seq_.load(std::memory_order_relaxed);
    header.seq = seq;
    store_.index.reserve();
    make_room(bytes);
    write(header, pieces, crc);
    store_.index.push(entry_of(header));
    recent_.put(entry_of(header).id_prefix, store_.index.end() - 1);
    store_.map->store(kEndWord, end_position_);
    next_seq_.store(seq + 1, std::memory_order_release);
  }
  if (wakeup_) wakeup_();
  return seq;
} catch (const std::exception& problem) {
  // Only memory for the index can be missing, and that shows before anything is written.
  refused_.fetch_add(1, std::memory_order_relaxed);
  return fail(ErrorCode::kResource, "no memory for the ring's index");
}

bool RingFile::amend(const ResponseReport& report) noexcept try {
  const auto drop = [this] {
    dropped_.fetch_add(1, std::memory_order_relaxed);
    return false;
  };
  std::uint64_t id_prefix = 0;
  std::memcpy(&id_prefix, report.id.bytes.data(), 8);
  const std::uint64_t found = store_.read_only ? 0 : recent_.find(id_prefix);
  if (found == 0) return drop();  // the usual case for clean requests: no lock was taken

  std::unique_lock guard(lock_);
  const std::uint64_t ordinal = found - 1;
  Entry entry;
  if (!store_.index.get(ordinal, entry) || entry.id_prefix != id_prefix) return drop();
  ResponseReport merged = report;
  merged.reason_phrase.resize(std::min<std::size_t>(merged.reason_phrase.size(), 1024));
  ResponseReport earlier;
  if (read_amendment(store_, entry, earlier)) {
    // The first report stays: it may have been sent already, and a peer that lies can add little.
    merged.time_ms = earlier.time_ms;
    if (earlier.rsp_start_time_ms) merged.rsp_start_time_ms = earlier.rsp_start_time_ms;
    if (earlier.rsp_end_time_ms) merged.rsp_end_time_ms = earlier.rsp_end_time_ms;
    if (earlier.status != 0) merged.status = earlier.status;
    if (earlier.size != 0) merged.size = earlier.size;
    if (!earlier.reason_phrase.empty()) merged.reason_phrase = earlier.reason_phrase;
    if (merged == earlier) return true;
  }
  AmendmentBody body{};
  body.rsp_start_time_ms = merged.rsp_start_time_ms.value_or(0);
  body.rsp_end_time_ms = merged.rsp_end_time_ms.value_or(0);
  body.has_start = merged.rsp_start_time_ms.has_value();
  body.has_end = merged.rsp_end_time_ms.has_value();
  body.size = merged.size;
  body.status = merged.status;
  body.phrase_bytes = static_cast<std::uint32_t>(merged.reason_phrase.size());
  std::string content(reinterpret_cast<const char*>(&body), sizeof body);
  content += merged.reason_phrase;

  RecordHeader header{};
  header.seq = entry.seq;
  header.mark = mark_of(RecordKind::kAmendment);
  header.time_ms = merged.time_ms;
  header.bytes = static_cast<std::uint32_t>(sizeof header + padded(content.size()));
  header.json_bytes = static_cast<std::uint32_t>(content.size());
  std::memcpy(header.id, report.id.bytes.data(), sizeof header.id);
  const std::uint32_t crc = crc32c(content, crc32c(bytes_of(header).substr(32)));
  const std::uint64_t position = end_position_;
  make_room(header.bytes);
  if (ordinal < store_.index.first()) return drop();
  write(header, {{}, content, {}}, crc);
  store_.index.set_amendment(ordinal, position);
  store_.map->store(kEndWord, end_position_);
  guard.unlock();
  if (wakeup_) wakeup_();
  return true;
} catch (const std::exception& problem) {
  dropped_.fetch_add(1, std::memory_order_relaxed);
  return false;
}

// --- syncing
// -----------------------------------------------------------------------------------------------------

void RingFile::sync() noexcept {
  Map& map = *store_.map;
  const std::uint64_t end = map.load(kEndWord);
  if (end == synced_to_) return;
  map.fetch_ahead(end, std::min(kFetchAhead, map.data_bytes() / 2));
  if (map.sync_data(synced_to_, end) && map.sync_head()) {
    synced_to_ = end;
  } else {
    sync_errors_.fetch_add(1, std::memory_order_relaxed);
  }
}

void RingFile::start_sync(std::int64_t interval_ms) {
  synced_to_ = store_.map->load(kEndWord);
  syncer_ = std::make_unique<PeriodicThread>(interval_ms, [this] { sync(); });
}

}  // namespace wafd::forward::ring
