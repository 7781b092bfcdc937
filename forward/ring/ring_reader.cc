#include <algorithm>
#include <charconv>
#include <cstring>

#include "detect/core/record_json.h"
#include "forward/ring/ring_file.h"

namespace wafd::forward {

using ring::AmendmentBody;
using ring::Entry;
using ring::Index;
using ring::Map;
using ring::padded;
using ring::RecordHeader;
using ring::Store;

namespace ring {

bool read_amendment(const Store& store, const Entry& entry, ResponseReport& out) {
  if (entry.amendment == 0) return false;
  const std::uint64_t position = entry.amendment - 1;
  std::uint64_t words[(sizeof(RecordHeader) + sizeof(AmendmentBody) + 1024) / 8];
  store.map->copy_out(position, sizeof(RecordHeader), words);
  RecordHeader header;
  std::memcpy(&header, words, sizeof header);
  if (header.mark != mark_of(RecordKind::kAmendment) || header.seq != entry.seq ||
      header.bytes > sizeof words || header.json_bytes < sizeof(AmendmentBody) ||
      header.json_bytes > header.bytes - sizeof header) {
    return false;
  }
  store.map->copy_out(position, header.bytes, words);
  if (store.oldest_position() > position || !crc_matches(words)) return false;
  AmendmentBody body;
  const char* content = reinterpret_cast<const char*>(words) + sizeof header;
  std::memcpy(&body, content, sizeof body);
  if (body.phrase_bytes > header.json_bytes - sizeof body) return false;
  std::memcpy(out.id.bytes.data(), header.id, sizeof header.id);
  out.time_ms = header.time_ms;
  if (body.has_start != 0) out.rsp_start_time_ms = body.rsp_start_time_ms;
  if (body.has_end != 0) out.rsp_end_time_ms = body.rsp_end_time_ms;
  out.status = body.status;
  out.size = body.size;
  out.reason_phrase.assign(content + sizeof body, body.phrase_bytes);
  return true;
}

}  // namespace ring

namespace {

RecordHead head_of(const Entry& e) noexcept {
  RecordHead head;
  head.seq = e.seq;
  head.time_ms = e.time_ms;
  head.id_prefix = e.id_prefix;
  head.attack_type = static_cast<AttackType>(std::min<std::size_t>(e.attack_type, kAttackTypes - 1));
  head.risk = static_cast<Risk>(std::min<int>(e.risk, 2));
  head.action = static_cast<Action>(std::min<int>(e.action, 2));
  if (e.source_is_address != 0) {
    head.source.emplace();
    std::memcpy(head.source->bytes.data(), e.source.data(), e.source.size());
  }
  head.site_hash = e.site_hash;
  head.rule_hash = e.rule_hash;
  return head;
}

// The record that lies in `image`; lengths were checked when it was indexed and are checked again, because a
// copy that was overtaken may hold anything until it is dropped.
bool view_of(const std::uint64_t* image, const Entry& entry, RecordView& view) noexcept {
  RecordHeader h;
  std::memcpy(&h, image, sizeof h);
  const std::uint64_t texts = std::uint64_t{h.source_bytes} + h.site_bytes + h.rule_bytes;
  const std::uint64_t json = sizeof h + padded(texts);
  const std::uint64_t detail = json + padded(h.json_bytes);
  if (h.seq != entry.seq || h.bytes != entry.bytes || detail + padded(h.detail_bytes) != h.bytes)
    return false;
  const char* bytes = reinterpret_cast<const char*>(image);
  const RecordHead head = head_of(entry);
  view.seq = h.seq;
  view.time_ms = h.time_ms;
  std::memcpy(view.id.bytes.data(), h.id, sizeof h.id);
  view.attack_type = head.attack_type;
  view.risk = head.risk;
  view.action = head.action;
  view.report_expected = (h.flags & ring::kReportExpected) != 0;
  view.src_ip = {bytes + sizeof h, h.source_bytes};
  view.site_uuid = {bytes + sizeof h + h.source_bytes, h.site_bytes};
  view.rule_id = {bytes + sizeof h + h.source_bytes + h.site_bytes, h.rule_bytes};
  view.offsets = {h.offsets[0], h.offsets[1], h.offsets[2]};
  view.json = {bytes + json, h.json_bytes};
  view.detail = {bytes + detail, h.detail_bytes};
  return true;
}

// End of a JSON value that begins at `at`: a number, null or a string.
std::size_t value_end(std::string_view json, std::size_t at) noexcept {
  if (at < json.size() && json[at] == '"') {
    for (++at; at < json.size() && json[at] != '"'; ++at) {
      if (json[at] == '\\') ++at;
    }
    return std::min(at + 1, json.size());
  }
  while (at < json.size() && json[at] != ',' && json[at] != '}') ++at;
  return at;
}

}  // namespace

std::uint64_t text_hash(std::string_view text) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

struct RingReader::Impl {
  explicit Impl(const Ring& ring) : store(ring.store()) {}

  // Copies the chosen entries, drops what was overtaken meanwhile, fills `views` in the same order.
  void copy() {
    const std::uint64_t words = words_chosen();
    if (buffer.size() < words) buffer.resize(words);
    // Each is looked at while it is in the processor's cache; what turns out to be overtaken is dropped
    // behind.
    views.clear();
    std::uint64_t at = 0;
    for (const Entry& entry : chosen) {
      std::uint64_t* image = buffer.data() + at;
      store.map->copy_out(entry.position, entry.bytes, image);
      at += entry.bytes / 8;
      RecordView& view = views.emplace_back();
      if (!view_of(image, entry, view) || (store.read_only && !ring::crc_matches(image))) {
        views.pop_back();
        continue;
      }
      ResponseReport report;
      if (entry.amendment != 0 && ring::read_amendment(store, entry, report)) {
        view.reported = true;
        view.report_time_ms = report.time_ms;
        view.response_status = report.status;
        view.response_size = report.size;
      }
    }
    // The ring overtakes from the oldest on: what is gone has the lowest sequences.
    const std::uint64_t oldest = store.oldest_position();
    std::uint64_t gone_below = 0;
    for (const Entry& entry : chosen)
      if (entry.position < oldest) gone_below = std::max(gone_below, entry.seq + 1);
    if (gone_below == 0) return;
    std::erase_if(views, [gone_below](const RecordView& view) { return view.seq < gone_below; });
  }

  // Where hint_next() goes on: behind what was chosen, up to what the ring held then.
  void set_ahead() noexcept {
    const Entry& last = chosen.back();
    ahead = last.position + last.bytes;
    ahead_end = std::min(store.map->load(ring::kEndWord), ahead + words_chosen() * 8);
  }
  std::uint64_t words_chosen() const noexcept {
    std::uint64_t words = 0;
    for (const Entry& entry : chosen) words += entry.bytes / 8;
    return words;
  }

  const Store& store;
  std::uint64_t next = 0;
  std::uint64_t ahead = 0, ahead_end = 0;  // positions
  std::vector<std::uint64_t> buffer;
  std::vector<Entry> chosen;
  std::vector<RecordView> views;
};

RingReader::RingReader(const Ring& ring) : impl_(std::make_unique<Impl>(ring)) {
  impl_->next = ring.oldest();
}
RingReader::~RingReader() = default;

void RingReader::seek(std::uint64_t seq) { impl_->next = seq; }

void RingReader::hint_next(std::size_t bytes) const noexcept {
  Impl& impl = *impl_;
  if (impl.ahead >= impl.ahead_end) return;
  const std::uint64_t some = std::min<std::uint64_t>(bytes, impl.ahead_end - impl.ahead);
  impl.store.map->hint(impl.ahead, some);
  impl.ahead += some;
}

std::uint64_t RingReader::next_seq() const noexcept { return impl_->next; }

std::span<const RecordView> RingReader::read(std::size_t max_records, std::size_t max_bytes,
                                             std::uint64_t& overtaken) {
  Impl& impl = *impl_;
  const Index& index = impl.store.index;
  overtaken = 0;
  for (;;) {
    impl.store.refresh();
    impl.chosen.clear();
    std::size_t bytes = 0;
    std::uint64_t seq = impl.next;
    const std::uint64_t end = index.end();
    for (std::uint64_t ordinal = index.lower_bound(impl.next); ordinal < end; ++ordinal) {
      Entry entry;
      if (!index.get(ordinal, entry)) break;
      // A hole in the numbers ends the batch: it is told as overtaken before the record behind it.
      if (!impl.chosen.empty() && entry.seq != seq) break;
      if (!impl.chosen.empty() && bytes + entry.bytes > max_bytes) break;
      impl.chosen.push_back(entry);
      bytes += entry.bytes;
      seq = entry.seq + 1;
      if (impl.chosen.size() >= max_records) break;
    }
    if (impl.chosen.empty()) return {};
    const std::uint64_t behind = impl.chosen.back().seq + 1;
    impl.copy();
    impl.set_ahead();
    if (!impl.views.empty()) {
      overtaken += impl.views.front().seq - std::min(impl.next, impl.views.front().seq);
      impl.next = std::max(impl.next, impl.views.back().seq + 1);
      return impl.views;
    }
    // All of them gone: count them and try again further on.
    overtaken += behind - impl.next;
    impl.next = behind;
  }
}

std::span<const RecordView> RingReader::read_before(std::uint64_t before, std::size_t max_records,
                                                    std::size_t max_bytes) {
  std::uint64_t scanned_to = 0;
  return read_before(before, max_records, max_bytes, SIZE_MAX, {}, scanned_to);
}

std::span<const RecordView> RingReader::read_before(std::uint64_t before, std::size_t max_records,
                                                    std::size_t max_bytes, std::size_t max_heads,
                                                    const HeadFilter& wanted, std::uint64_t& scanned_to) {
  Impl& impl = *impl_;
  const Index& index = impl.store.index;
  impl.store.refresh();
  impl.chosen.clear();
  scanned_to = 0;
  std::size_t bytes = 0;
  std::size_t heads = 0;
  Entry entry;
  for (std::uint64_t ordinal = index.lower_bound(before); ordinal > index.first(); --ordinal) {
    if (!index.get(ordinal - 1, entry)) break;
    if (heads == max_heads || impl.chosen.size() == max_records) {
      scanned_to = entry.seq + 1;
      break;
    }
    ++heads;
    if (wanted && !wanted(head_of(entry))) continue;
    if (!impl.chosen.empty() && bytes + entry.bytes > max_bytes) {
      scanned_to = entry.seq + 1;
      break;
    }
    impl.chosen.push_back(entry);
    bytes += entry.bytes;
  }
  impl.copy();
  return impl.views;
}

void RingReader::visit_heads(std::uint64_t from, std::uint64_t to, const HeadFilter& visit) {
  impl_->store.refresh();
  const Index& index = impl_->store.index;
  const std::uint64_t end = index.end();
  Entry entry;
  for (std::uint64_t ordinal = index.lower_bound(from); ordinal < end; ++ordinal) {
    if (!index.get(ordinal, entry)) {
      ordinal = std::max(ordinal, index.first()) - 1;  // overtaken: on at the oldest
      continue;
    }
    if (entry.seq >= to || !visit(head_of(entry))) return;
  }
}

std::uint64_t RingReader::first_at(std::int64_t time_ms) {
  impl_->store.refresh();
  const Index& index = impl_->store.index;
  std::uint64_t low = index.first();
  std::uint64_t high = index.end();
  Entry entry;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (!index.get(middle, entry)) {
      low = index.first();
    } else if (entry.time_ms < time_ms) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (index.get(low, entry)) return entry.seq;
  return index.end() > index.first() && index.get(index.end() - 1, entry) ? entry.seq + 1 : impl_->next;
}

std::uint64_t RingReader::place_behind(std::uint64_t seq) const {
  const Store& store = impl_->store;
  store.refresh();
  Entry entry;
  if (store.index.get(store.index.lower_bound(seq), entry) && entry.seq == seq)
    return entry.position + entry.bytes;
  return store.oldest_position();
}

std::vector<std::uint64_t> RingReader::reported_behind(std::uint64_t& place, std::size_t max_records) const {
  const Store& store = impl_->store;
  const std::uint64_t end = store.map->load(ring::kEndWord);
  std::vector<std::uint64_t> out;
  for (std::size_t looked = 0; looked < max_records && place < end; ++looked) {
    place = std::max(place, store.oldest_position());
    if (place >= end) break;
    std::uint64_t words[sizeof(RecordHeader) / 8];
    store.map->copy_out(place, sizeof(RecordHeader), words);
    RecordHeader header;
    std::memcpy(&header, words, sizeof header);
    if (store.oldest_position() > place) continue;  // overtaken meanwhile
    if (header.position != place || header.bytes < sizeof header || header.bytes > end - place) {
      place = end;  // no record: nothing behind can be found
      break;
    }
    if (header.mark == mark_of(ring::RecordKind::kAmendment)) out.push_back(header.seq);
    place += header.bytes;
  }
  return out;
}

const RecordView* RingReader::find(const EventId& id) {
  Impl& impl = *impl_;
  std::uint64_t prefix = 0;
  std::memcpy(&prefix, id.bytes.data(), 8);
  impl.store.refresh();
  const Index& index = impl.store.index;
  Entry entry;
  for (std::uint64_t ordinal = index.end(); ordinal > index.first(); --ordinal) {
    if (!index.get(ordinal - 1, entry)) return nullptr;
    if (entry.id_prefix != prefix) continue;
    impl.chosen.assign(1, entry);
    impl.copy();
    if (!impl.views.empty() && impl.views.front().id == id) return &impl.views.front();
  }
  return nullptr;
}

std::string RingReader::merged_json(const RecordView& view) const {
  const Index& index = impl_->store.index;
  Entry entry;
  ResponseReport report;
  std::string out;
  if (!index.get(index.lower_bound(view.seq), entry) || entry.seq != view.seq ||
      !ring::read_amendment(impl_->store, entry, report)) {
    out = view.json;
    return out;
  }
  std::size_t from = 0;
  const auto replace = [&](std::uint32_t offset, const std::string& value) {
    if (value.empty() || offset < from || offset >= view.json.size()) return;
    out += view.json.substr(from, offset - from);
    out += value;
    from = value_end(view.json, offset);
  };
  const auto number = [](const std::optional<std::int64_t>& value) {
    return value ? std::to_string(*value) : std::string();
  };
  std::string phrase;
  if (!report.reason_phrase.empty()) {
    phrase = '"';
    append_json_text_capped(report.reason_phrase, kMembers[member_number("resp_reason_phrase") - 1].cap,
                            phrase);
    phrase += '"';
  }
  replace(view.offsets.rsp_start_time, number(report.rsp_start_time_ms));
  replace(view.offsets.rsp_end_time, number(report.rsp_end_time_ms));
  replace(view.offsets.resp_reason_phrase, phrase);
  out += view.json.substr(from);
  return out;
}

}  // namespace wafd::forward
