#include "forward/io/notify/trend_store.h"

#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "files/small_file.h"
#include "forward/trend/trend_file.h"

namespace wafd::forward {
namespace {

constexpr std::size_t kMaxReadRecords = 512;
constexpr std::size_t kMaxReadBytes = 4u << 20;
constexpr std::int64_t kTrendSaveEveryMs = 5 * 60'000;

std::uint64_t grown(std::uint64_t now, std::uint64_t& before) {
  const std::uint64_t by = now > before ? now - before : 0;
  before = now;
  return by;
}

}  // namespace

TrendStore::TrendStore(const Ring& ring, std::string file, std::function<void(const std::string&)> log)
    : file_(std::move(file)), log_(std::move(log)), reader_(ring) {
  auto text = read_file(file_, kMaxTrendFileBytes);
  if (text) {
    auto counts = parse_trend_file(*text);
    if (counts)
      counts_ = std::move(*counts);
    else
      keep_damaged_file(counts.error().what);
  } else if (text.error().code != ErrorCode::kMissing) {
    keep_damaged_file(text.error().what);
  }
  const bool goes_on = counts_.generation == ring.generation() && counts_.next_seq <= ring.end();
  reader_.seek(goes_on ? counts_.next_seq : ring.oldest());
  counts_.generation = ring.generation();
  counts_.next_seq = reader_.next_seq();
}

void TrendStore::keep_damaged_file(const std::string& why) {
  const std::string aside = file_ + ".damaged";
  std::rename(file_.c_str(), aside.c_str());
  notice_ = fmt::format(
      "the file of trends {}; it was put aside as {}, and counting began with what the ring holds", why,
      aside);
  if (log_) log_(notice_);
}

bool TrendStore::turn() {
  std::uint64_t overtaken = 0;
  const auto records = reader_.read(kMaxReadRecords, kMaxReadBytes, overtaken);
  for (const RecordView& record : records) counts_.add(record);
  if (records.empty()) return false;
  counts_.next_seq = reader_.next_seq();
  changed_ = true;
  return true;
}

void TrendStore::requests(std::int64_t now_ms, std::uint64_t requests, std::uint64_t unjudged) {
  const std::uint64_t more = grown(requests, requests_), passed = grown(unjudged, unjudged_);
  if (more == 0 && passed == 0) return;
  counts_.add_requests(now_ms, more, passed);
  changed_ = true;
}

void TrendStore::save_sometimes(std::int64_t monotonic_ms) {
  if (saved_ms_ == 0) saved_ms_ = monotonic_ms;
  if (monotonic_ms - saved_ms_ < kTrendSaveEveryMs) return;
  saved_ms_ = monotonic_ms;
  save();
}

void TrendStore::save() {
  if (!changed_) return;
  auto written = write_file(file_, trend_file(counts_));
  if (written) {
    changed_ = false;
    return;
  }
  if (notice_ != written.error().what && log_) log_("trends: " + written.error().what);
  notice_ = written.error().what;
}

}  // namespace wafd::forward
