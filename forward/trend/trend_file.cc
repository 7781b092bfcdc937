#include "forward/trend/trend_file.h"

#include <type_traits>
#include <utility>

#include "detect/core/bytes.h"
#include "detect/core/digest.h"

namespace wafd::forward {
namespace {

constexpr std::string_view kTrendMagic = "WAFDTRENDS";
constexpr std::uint8_t kTrendFormat = 1;
constexpr std::size_t kHeadBytes = kTrendMagic.size() + 1 + 4;

template <class T>
void put(std::string& out, T value) {
  const auto bits = static_cast<std::uint64_t>(value);
  for (std::size_t i = 0; i < sizeof(T); ++i) out += static_cast<char>(bits >> (8 * i) & 0xff);
}

void put_text(std::string& out, std::string_view text) {
  put(out, static_cast<std::uint16_t>(text.size()));
  out += text;
}

// Reads what put() wrote; after the end everything is 0 and ok() is false.
class Input {
 public:
  Input(std::string_view bytes, std::size_t at) : bytes_(bytes), at_(at) {}
  template <class T>
  T take() {
    std::uint64_t bits = 0;
    if (bytes_.size() - at_ < sizeof(T)) ok_ = false;
    if (!ok_) return 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) bits |= std::uint64_t{byte(bytes_[at_ + i])} << (8 * i);
    at_ += sizeof(T);
    return static_cast<T>(bits);
  }
  std::string take_text() {
    const std::size_t size = take<std::uint16_t>();
    if (bytes_.size() - at_ < size) ok_ = false;
    if (!ok_) return {};
    at_ += size;
    return std::string(bytes_.substr(at_ - size, size));
  }
  bool ok() const noexcept { return ok_; }
  std::size_t at() const noexcept { return at_; }
  bool ended() const noexcept { return ok_ && at_ == bytes_.size(); }

 private:
  std::string_view bytes_;
  std::size_t at_;
  bool ok_ = true;
};

bool sound(const TrendEntry& entry, std::size_t names) {
  return entry.site < names && entry.rule < names && entry.action < kActions &&
         (entry.type < kAttackTypes || entry.type == TrendEntry::kOtherType);
}

bool take_hours(Input& in, std::size_t names, std::map<std::int64_t, TrendHour>& hours) {
  const std::size_t count = in.take<std::uint32_t>();
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    TrendHour hour;
    const std::int64_t at = in.take<std::uint32_t>();
    hour.requests = in.take<std::uint64_t>();
    hour.unjudged = in.take<std::uint64_t>();
    const std::size_t entries = in.take<std::uint8_t>();
    for (std::size_t k = 0; k < entries && in.ok(); ++k) {
      TrendEntry entry;
      entry.site = in.take<std::uint16_t>();
      entry.rule = in.take<std::uint16_t>();
      entry.type = in.take<std::uint8_t>();
      entry.action = in.take<std::uint8_t>();
      entry.count = in.take<std::uint32_t>();
      if (!sound(entry, names)) return false;
      hour.entries.push_back(entry);
    }
    if (!hours.emplace(at, std::move(hour)).second) return false;
  }
  return in.ended() && hours.size() <= TrendCounts::kHours;
}

}  // namespace

std::string trend_file(const TrendCounts& counts) {
  std::string body;
  put_text(body, counts.generation);
  put(body, counts.next_seq);
  put(body, static_cast<std::uint16_t>(counts.names().size()));
  for (const std::string& name : counts.names()) put_text(body, name);
  put(body, static_cast<std::uint32_t>(counts.hours().size()));
  for (const auto& [at, hour] : counts.hours()) {
    put(body, static_cast<std::uint32_t>(at));
    put(body, hour.requests);
    put(body, hour.unjudged);
    put(body, static_cast<std::uint8_t>(hour.entries.size()));
    for (const TrendEntry& entry : hour.entries) {
      put(body, entry.site);
      put(body, entry.rule);
      put(body, entry.type);
      put(body, entry.action);
      put(body, entry.count);
    }
  }
  std::string out(kTrendMagic);
  put(out, kTrendFormat);
  put(out, crc32c(body));
  return out + body;
}

Result<TrendCounts> parse_trend_file(std::string_view bytes) {
  if (bytes.size() < kHeadBytes) return fail(ErrorCode::kTruncated, "ends within its head", bytes.size());
  if (!bytes.starts_with(kTrendMagic)) return fail(ErrorCode::kInvalid, "holds no trends");
  if (byte(bytes[kTrendMagic.size()]) != kTrendFormat)
    return fail(ErrorCode::kUnknown, "is of another format than 1", kTrendMagic.size());
  Input head(bytes, kTrendMagic.size() + 1);
  if (head.take<std::uint32_t>() != crc32c(bytes.substr(kHeadBytes)))
    return fail(ErrorCode::kInvalid, "is damaged: its checksum differs", kTrendMagic.size() + 1);
  Input in(bytes, kHeadBytes);
  TrendCounts out;
  out.generation = in.take_text();
  out.next_seq = in.take<std::uint64_t>();
  std::vector<std::string> names(in.take<std::uint16_t>());
  if (names.empty() || names.size() > TrendCounts::kMaxNames)
    return fail(ErrorCode::kInvalid, "has no sound number of names", in.at());
  for (std::string& name : names) name = in.take_text();
  std::map<std::int64_t, TrendHour> hours;
  if (!names[0].empty() || !take_hours(in, names.size(), hours))
    return fail(ErrorCode::kInvalid, "has no sound counts", in.at());
  out.set(std::move(names), std::move(hours));
  return out;
}

}  // namespace wafd::forward
