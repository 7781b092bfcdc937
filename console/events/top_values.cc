// The commonest values of a field: counted over the heads in memory where they hold the field, else over the
// records.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <unordered_map>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "console/events/event_answers.h"
#include "console/events/flat_json.h"
#include "console/events/scan.h"
#include "console/events/search.h"
#include "console/events/tally.h"
#include "console/events/viewer_mask.h"
#include "detect/core/verdict.h"

namespace wafd::console {
namespace {

constexpr Field kFields[] = {
    {"type", ""},
    {"risk", ""},
    {"action", ""},
    {"src", ""},
    {"site", ""},
    {"rule", ""},
    {"host", "host"},
    {"path", "urlpath"},
    {"method", "method"},
    {"location", "location"},
    {"module", "module"},
    {"country", "country"},
    {"province", "province"},
    {"city", "city"},
    {"ua", "user_agent"},
    {"referer", "referer"},
    {"node", "node"},
    {"session", "session"},
};

// A field's value as the ring's heads in memory hold it: the bytes of an address, a digest of a text, a
// number.
using HeadKey = std::array<std::uint64_t, 2>;
struct HeadKeyHash {
  std::size_t operator()(const HeadKey& key) const noexcept {
    return static_cast<std::size_t>((key[0] ^ (key[1] * 0x9e3779b97f4a7c15ull)) * 0xff51afd7ed558ccdull);
  }
};

// Nothing: the head does not hold it.
std::optional<HeadKey> head_key(std::string_view field, const forward::RecordHead& head) noexcept {
  if (field == "type") return HeadKey{static_cast<std::uint64_t>(head.attack_type), 0};
  if (field == "risk") return HeadKey{static_cast<std::uint64_t>(head.risk), 0};
  if (field == "action") return HeadKey{static_cast<std::uint64_t>(head.action), 0};
  if (field == "site") return HeadKey{head.site_hash, 0};
  if (field == "rule") return HeadKey{head.rule_hash, 0};
  if (field != "src" || !head.source) return std::nullopt;
  HeadKey key{};
  static_assert(sizeof key == sizeof head.source->bytes);
  std::memcpy(key.data(), head.source->bytes.data(), sizeof key);
  return key;
}

}  // namespace

std::string value_of(const Field& field, const forward::RecordView& record, bool masked) {
  if (masked && is_masked_member(field.member)) return "***";
  if (!field.member.empty()) return plain_text(flat_member(record.json, field.member));
  if (field.name == "type") return to_string(record.attack_type);
  if (field.name == "risk") return to_string(record.risk);
  if (field.name == "action") return to_string(record.action);
  if (field.name == "src") return std::string(record.src_ip);
  if (field.name == "site") return std::string(record.site_uuid);
  return std::string(record.rule_id);
}

boost::json::object top_row(const std::string& value, const Count& count) {
  return {{"value", value},
          {"count", count.actions.total()},
          {"last_ms", count.last_ms},
          {"deny", count.actions.deny},
          {"monitor", count.actions.monitor},
          {"allow", count.actions.allow}};
}

boost::json::object top_answer(std::string_view field, std::uint64_t total, std::size_t distinct,
                               boost::json::array values) {
  boost::json::object out;
  out["field"] = field;
  out["total"] = total;
  out["distinct"] = distinct;
  out["values"] = std::move(values);
  return out;
}

std::optional<boost::json::object> top_of_heads(const forward::Ring& ring, const EventFilter& filter,
                                                const Field& field, std::size_t limit) {
  forward::RingReader reader(ring);
  Tally<HeadKey, HeadKeyHash> tally;
  bool whole = true;
  visit_matching_heads(reader, filter, ring.end(), [&](const forward::RecordHead& head) {
    const auto key = head_key(field.name, head);
    whole = key.has_value();
    if (whole) tally.add(*key, head.action, head.time_ms, head.seq);
    return whole;
  });
  if (!whole) return std::nullopt;
  boost::json::array values;
  for (const auto* item : tally.most(limit)) {
    const auto records = reader.read_before(item->second.seq + 1, 1, 1);
    if (records.empty() || records[0].seq != item->second.seq) continue;  // overtaken meanwhile
    values.emplace_back(top_row(value_of(field, records[0], false), item->second));
  }
  return top_answer(field.name, tally.total, tally.counts.size(), std::move(values));
}

std::vector<std::string_view> top_fields() {
  std::vector<std::string_view> names;
  for (const Field& field : kFields) names.push_back(field.name);
  return names;
}

const Field* find_field(std::string_view name) {
  const auto* found =
      std::find_if(std::begin(kFields), std::end(kFields), [&](const Field& f) { return f.name == name; });
  return found == std::end(kFields) ? nullptr : found;
}

boost::json::object top_of(const Field& field, const Tally<std::string>& tally, std::size_t limit) {
  boost::json::array values;
  for (const auto* item : tally.most(limit)) values.emplace_back(top_row(item->first, item->second));
  return top_answer(field.name, tally.total, tally.counts.size(), std::move(values));
}

namespace {

Error no_field() {
  return {ErrorCode::kInvalid, 0, fmt::format("field: expected one of {}", fmt::join(top_fields(), ", "))};
}

}  // namespace

Result<std::string> top_values(const forward::Ring& ring, const EventFilter& filter, std::string_view name,
                               std::size_t limit) {
  const Field* field = find_field(name);
  if (field == nullptr) return tl::unexpected(no_field());
  if (field->member.empty() && filter.head_only()) {
    if (const auto top = top_of_heads(ring, filter, *field, limit)) return boost::json::serialize(*top);
  }
  forward::RingReader reader(ring);
  Tally<std::string> tally;
  scan_all(reader, filter, ring.end(), [&](const forward::RecordView& record) {
    tally.add(value_of(*field, record, filter.masked), record.action, record.time_ms, record.seq);
    return true;
  });
  return boost::json::serialize(top_of(*field, tally, limit));
}

Result<std::string> count_events(const forward::Ring& ring, const EventFilter& filter,
                                 const CountOptions& options) {
  const std::int64_t oldest_ms = ring.oldest() == ring.end() ? filter.to_ms - 1 : ring.oldest_time_ms();
  TimeCounts times(histogram_begin(filter, oldest_ms), filter.to_ms, options.buckets);
  boost::json::array tops;
  std::vector<std::pair<std::size_t, Tally<std::string>>> open;  // place in `tops`, counted by reading
  std::vector<const Field*> fields;
  const bool heads = filter.head_only();
  for (const std::string& name : options.fields) {
    const Field* field = find_field(name);
    if (field == nullptr) return tl::unexpected(no_field());
    fields.push_back(field);
    auto top =
        heads && field->member.empty() ? top_of_heads(ring, filter, *field, options.values) : std::nullopt;
    if (!top) open.emplace_back(tops.size(), Tally<std::string>{});
    tops.emplace_back(top ? std::move(*top) : boost::json::object{});
  }
  forward::RingReader reader(ring);
  if (heads)
    visit_matching_heads(reader, filter, ring.end(), [&](const forward::RecordHead& head) {
      times.add(head.time_ms, head.action);
      return true;
    });
  if (!heads || !open.empty())
    scan_all(reader, filter, ring.end(), [&](const forward::RecordView& record) {
      if (!heads) times.add(record.time_ms, record.action);
      for (auto& [at, tally] : open)
        tally.add(value_of(*fields[at], record, filter.masked), record.action, record.time_ms, record.seq);
      return true;
    });
  for (const auto& [at, tally] : open) tops[at] = top_of(*fields[at], tally, options.values);
  const std::string oldest = ring.oldest() == ring.end() ? "null" : fmt::format("{}", ring.oldest_time_ms());
  return fmt::format(R"({{"histogram":{},"top":{},"oldest_ms":{}}})", times.json(),
                     boost::json::serialize(tops), oldest);
}

}  // namespace wafd::console
