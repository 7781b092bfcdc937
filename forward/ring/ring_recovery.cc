// How a ring comes to life: new, as it was left, damaged, of another size, or read beside its writer.
#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include "detect/core/digest.h"
#include "forward/ring/ring_file.h"

namespace wafd::forward {
namespace ring {
namespace {

std::uint64_t data_bytes_for(std::uint64_t size_bytes) noexcept {
  const std::uint64_t whole = std::max(size_bytes, kDataBegin + kMinDataBytes);
  return (whole - kDataBegin) / kPageBytes * kPageBytes;
}

bool live_words_sound(const Map& map, std::uint64_t oldest, std::uint64_t end) noexcept {
  return oldest <= end && end - oldest <= map.data_bytes() && oldest % 8 == 0 && end % 8 == 0 &&
         end < (std::uint64_t{1} << 62);
}

void say(std::string& text, const std::string& more) {
  if (!text.empty()) text += "; ";
  text += more;
}

}  // namespace

bool RingFile::take_record(const RecordHeader& header) {
  Index& index = store_.index;
  if (header.mark == mark_of(RecordKind::kEvent)) {
    const Entry entry = entry_of(header);
    index.reserve();
    index.push(entry);
    recent_.put(entry.id_prefix, index.end() - 1);
  } else if (header.mark == mark_of(RecordKind::kAmendment)) {
    const std::uint64_t ordinal = index.lower_bound(header.seq);
    Entry entry;
    if (index.get(ordinal, entry) && entry.seq == header.seq) index.set_amendment(ordinal, header.position);
  }
  return true;
}

// Lets a damaged stretch be skipped at once by those who read it later.
void RingFile::heal(const Gap& gap) noexcept {
  if (gap.end - gap.begin < sizeof(RecordHeader) || gap.end - gap.begin > UINT32_MAX) return;
  RecordHeader header{};
  header.epoch = gap.epoch;
  header.position = gap.begin;
  header.bytes = static_cast<std::uint32_t>(gap.end - gap.begin);
  header.mark = mark_of(RecordKind::kFill);
  const std::string_view bytes(reinterpret_cast<const char*>(&header), sizeof header);
  header.crc = place_crc(header, crc32c(bytes.substr(32)));
  store_.map->copy_in(gap.begin, bytes);
}

void RingFile::recover(bool head_sound, std::uint64_t min_next_seq) {
  Map& map = *store_.map;
  const std::uint64_t oldest = map.load(kOldestWord);
  const std::uint64_t end = map.load(kEndWord);
  const bool live_sound = head_sound && live_words_sound(map, oldest, end);
  const auto never = [](std::uint64_t) { return false; };
  const auto sink = [this](const RecordHeader& header) { return take_record(header); };
  std::uint64_t begin = oldest;
  std::uint64_t trusted_end = end;
  Walk walked;
  if (live_sound) {
    walked = walk(map, oldest, end, true, never, sink);
  }
  // A whole area that lost even its first record is read byte by byte, too.
  if (!live_sound || (walked.events == 0 && end > oldest)) {
    store_.index.clear();
    walked = salvage(map, begin, sink);
    trusted_end = walked.end;
    say(recovery_.text,
        head_sound ? "ring: its live page was not readable" : "ring: its head was not readable");
    if (store_.read_only) store_.frozen = true, store_.frozen_oldest = begin;
  }
  Entry first;
  if (store_.index.get(store_.index.first(), first)) begin = first.position;
  oldest_position_ = store_.index.empty() ? walked.end : begin;
  end_position_ = walked.end;
  recovery_.records = walked.events;
  std::uint64_t damaged = 0;
  for (const Gap& gap : walked.gaps) {
    damaged += gap.end - gap.begin;
    if (!store_.read_only && gap.begin >= oldest_position_) heal(gap);
  }
  if (live_sound && begin > oldest) damaged += std::min(begin, walked.end) - oldest;
  if (damaged > 0) say(recovery_.text, fmt::format("ring: {} bytes were damaged and are left out", damaged));
  recovery_.dropped_bytes = damaged;
  if (trusted_end > walked.end) {
    recovery_.dropped_bytes += trusted_end - walked.end;
    say(recovery_.text,
        fmt::format("ring: {} bytes behind the last sound record were dropped", trusted_end - walked.end));
  } else if (walked.torn_tail) {
    say(recovery_.text, "ring: a record that was being written when the program ended was dropped");
  }
  next_seq_.store(std::max(walked.last_seq + 1, min_next_seq), std::memory_order_release);
  store_.scanned_to = walked.end;
  epoch_ = std::max(head_sound ? map.head().epoch : 0, walked.epoch) + 1;
}

void RingFile::read_beside(bool head_sound) {
  const std::uint64_t oldest = store_.map->load(kOldestWord);
  const std::uint64_t end = store_.map->load(kEndWord);
  if (head_sound && live_words_sound(*store_.map, oldest, end)) {
    store_.refresh();
  } else {
    recover(head_sound, 1);
  }
}

void RingFile::begin_new(const std::uint8_t (&generation)[16], std::uint32_t epoch, std::uint64_t next_seq) {
  FileHead head{};
  std::memcpy(head.generation, generation, sizeof head.generation);
  head.epoch = epoch_ = epoch;
  next_seq_.store(next_seq, std::memory_order_release);
  store_.map->store(kOldestWord, oldest_position_);
  store_.map->store(kEndWord, end_position_);
  store_.map->write_head(head);
}

void RingFile::take_over(const RingFile& old) {
  const Index& from = old.store_.index;
  const std::uint64_t room = store_.map->data_bytes();
  // From the newest back, as many as fit, amendments included.
  std::uint64_t ordinal = from.end();
  std::uint64_t used = 0;
  Entry entry;
  while (ordinal > from.first() && from.get(ordinal - 1, entry)) {
    std::uint64_t bytes = entry.bytes;
    if (entry.amendment != 0) bytes += sizeof(RecordHeader) + sizeof(AmendmentBody) + 1024;
    if (used + bytes > room || entry.bytes > store_.map->max_record_bytes()) break;
    used += bytes;
    --ordinal;
  }
  std::vector<std::uint64_t> buffer;
  const auto copy = [&](std::uint64_t position, std::uint64_t bytes) {
    buffer.resize(bytes / 8);
    old.store_.map->copy_out(position, bytes, buffer.data());
    RecordHeader header;
    std::memcpy(&header, buffer.data(), sizeof header);
    const char* image = reinterpret_cast<const char*>(buffer.data());
    const std::uint64_t texts = std::uint64_t{header.source_bytes} + header.site_bytes + header.rule_bytes;
    const Pieces pieces{
        {image + sizeof header, texts},
        {image + sizeof header + padded(texts), header.json_bytes},
        {image + sizeof header + padded(texts) + padded(header.json_bytes), header.detail_bytes}};
    std::uint32_t crc = crc32c({image + 32, sizeof header - 32});
    for (const std::string_view piece : {pieces.texts, pieces.json, pieces.detail}) crc = crc32c(piece, crc);
    write(header, pieces, crc);
    take_record(header);
  };
  for (; ordinal < from.end() && from.get(ordinal, entry); ++ordinal) {
    copy(entry.position, entry.bytes);
    if (entry.amendment == 0) continue;
    std::uint64_t words[sizeof(RecordHeader) / 8];
    RecordHeader header;
    old.store_.map->copy_out(entry.amendment - 1, sizeof header, words);
    std::memcpy(&header, words, sizeof header);
    copy(entry.amendment - 1, header.bytes);
  }
  recovery_ = old.recovery_;
  recovery_.records = store_.index.end() - store_.index.first();
  recovery_.resized = true;
}

void Store::refresh() const {
  if (!read_only || frozen) return;
  const std::lock_guard guard(refresh_lock);
  for (;;) {
    const std::uint64_t end = map->load(kEndWord);
    const std::uint64_t oldest = map->load(kOldestWord);
    Entry entry;
    while (!index.empty() && index.get(index.first(), entry) && entry.position < oldest) index.pop();
    if (scanned_to < oldest) scanned_to = oldest;
    if (scanned_to >= end) return;
    // Bytes before `oldest` change under the reader; a walk that was overtaken begins again at the new
    // oldest.
    const auto overtaken = [this](std::uint64_t position) { return map->load(kOldestWord) > position; };
    const Walk walked = walk(*map, scanned_to, end, false, overtaken, [&](const RecordHeader& header) {
      if (header.mark == mark_of(RecordKind::kEvent)) {
        index.reserve();
        index.push(entry_of(header));
      } else if (header.mark == mark_of(RecordKind::kAmendment)) {
        const std::uint64_t ordinal = index.lower_bound(header.seq);
        if (index.get(ordinal, entry) && entry.seq == header.seq)
          index.set_amendment(ordinal, header.position);
      }
      return header.position + header.bytes < end;
    });
    scanned_to = walked.end;
    if (walked.end >= end || !overtaken(walked.end)) {
      scanned_to = std::max(scanned_to, end);
      return;
    }
  }
}

}  // namespace ring

namespace {

using ring::Map;
using ring::RingFile;

struct Generation {
  std::uint8_t bytes[16];
};

Result<Generation> new_generation(const std::string& path) {
  Generation generation{};
  if (::getrandom(generation.bytes, sizeof generation.bytes, 0) != sizeof generation.bytes) {
    return fail(ErrorCode::kIo, ring::system_error("no random numbers for the ring", path, errno));
  }
  return generation;
}

// Written beside and renamed into place, so that a crash leaves either no ring or a whole one.
Result<std::unique_ptr<RingFile>> create(const RingOptions& options, std::uint64_t data_bytes,
                                         const RingFile* old) {
  const std::string beside = options.path + ".new";
  ::unlink(beside.c_str());
  auto map = Map::create(beside, data_bytes);
  if (!map) return tl::unexpected(map.error());
  auto file = std::make_unique<RingFile>(std::move(*map), false);
  if (old != nullptr) {
    const auto& head = old->store().map->head();
    file->begin_new(head.generation, head.epoch + 1, 1);
    file->take_over(*old);
    file->begin_new(head.generation, head.epoch + 1, std::max(old->end(), options.min_next_seq));
  } else {
    const auto generation = new_generation(options.path);
    if (!generation) return tl::unexpected(generation.error());
    file->begin_new(generation->bytes, 1, std::max<std::uint64_t>(1, options.min_next_seq));
  }
  if (!file->store().map->sync_data(0, data_bytes) || !file->store().map->sync_head() ||
      ::rename(beside.c_str(), options.path.c_str()) != 0) {
    const int error = errno;
    ::unlink(beside.c_str());
    return fail(ErrorCode::kIo, ring::system_error("cannot put the new ring in place", options.path, error));
  }
  return file;
}

}  // namespace

Result<std::unique_ptr<Ring>> Ring::open(const RingOptions& options) {
  const std::uint64_t data_bytes = ring::data_bytes_for(options.size_bytes);
  bool head_sound = false;
  std::string said;
  std::unique_ptr<RingFile> file;
  auto map = Map::open(options.path, Map::Access::kWrite, head_sound);
  if (map) {
    file = std::make_unique<RingFile>(std::move(*map), false);
    file->recover(head_sound, options.min_next_seq);
    if (!head_sound && file->recovery().records == 0) {
      file.reset();  // nothing in it is ours
      map = fail(ErrorCode::kTruncated, "");
    }
  }
  if (!map && map.error().code == ErrorCode::kTruncated) {
    const std::string aside = options.path + ".unreadable";
    if (::rename(options.path.c_str(), aside.c_str()) != 0) {
      return fail(ErrorCode::kIo,
                  ring::system_error("cannot move the unreadable ring aside", options.path, errno));
    }
    said = fmt::format("ring: {} held no ring and was moved to {}", options.path, aside);
  } else if (!map && map.error().code != ErrorCode::kMissing) {
    return tl::unexpected(map.error());
  }

  if (file == nullptr) {
    auto made = create(options, data_bytes, nullptr);
    if (!made) return tl::unexpected(made.error());
    file = std::move(*made);
    file->recovery_to_fill().created = true;
    file->recovery_to_fill().text = said;
  } else {
    ring::FileHead head = file->store().map->head();
    if (!head_sound) {
      const auto generation = new_generation(options.path);
      if (!generation) return tl::unexpected(generation.error());
      std::memcpy(head.generation, generation->bytes, sizeof head.generation);
    }
    file->begin_new(head.generation, file->next_epoch(), file->end());
    if (file->store().map->data_bytes() != data_bytes) {
      auto made = create(options, data_bytes, file.get());
      if (made) {
        file = std::move(*made);
      } else {
        ring::say(file->recovery_to_fill().text, fmt::format("ring: keeps its size of {} MiB: {}",
                                                             file->size_bytes() >> 20, made.error().what));
      }
    }
  }
  file->start_sync(options.sync_interval_ms);
  return file;
}

Result<std::unique_ptr<Ring>> Ring::open_read_only(const std::string& path) {
  bool head_sound = false;
  auto map = Map::open(path, Map::Access::kRead, head_sound);
  if (!map) return tl::unexpected(map.error());
  auto file = std::make_unique<RingFile>(std::move(*map), true);
  file->read_beside(head_sound);
  return file;
}

}  // namespace wafd::forward
