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

#include "console/events/action_counts.h"
#include "console/events/flat_json.h"
#include "console/events/scan.h"
#include "console/events/search.h"
#include "detect/core/verdict.h"

namespace wafd::console {
namespace {

struct Field {
  std::string_view name;
  std::string_view member;  // of the record; empty: in the head
};

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

std::string value_of(const Field& field, const forward::RecordView& record) {
  if (!field.member.empty()) return plain_text(flat_member(record.json, field.member));
  if (field.name == "type") return to_string(record.attack_type);
  if (field.name == "risk") return to_string(record.risk);
  if (field.name == "action") return to_string(record.action);
  if (field.name == "src") return std::string(record.src_ip);
  if (field.name == "site") return std::string(record.site_uuid);
  return std::string(record.rule_id);
}

struct Count {
  ActionCounts actions;
  std::int64_t last_ms = 0;
  std::uint64_t seq = 0;  // of a record that has the value

  void add(Action action, std::int64_t time_ms, std::uint64_t at) noexcept {
    actions.add(action);
    last_ms = std::max(last_ms, time_ms);
    seq = std::max(seq, at);
  }
};

template <class Key, class Hash = std::hash<Key>>
struct Tally {
  using Counts = std::unordered_map<Key, Count, Hash>;
  using Item = typename Counts::value_type;
  Counts counts;
  std::uint64_t total = 0;

  void add(Key key, Action action, std::int64_t time_ms, std::uint64_t seq) {
    ++total;
    auto found = counts.find(key);
    if (found == counts.end()) {
      if (counts.size() >= kMaxDistinct) return;
      found = counts.emplace(std::move(key), Count{}).first;
    }
    found->second.add(action, time_ms, seq);
  }

  std::vector<const Item*> most(std::size_t limit) const {
    std::vector<const Item*> order;
    order.reserve(counts.size());
    for (const Item& item : counts) order.push_back(&item);
    const std::size_t shown = std::min(limit, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
                      [](const Item* a, const Item* b) {
                        const auto left = a->second.actions.total();
                        const auto right = b->second.actions.total();
                        return left != right ? left > right : a->first < b->first;
                      });
    order.resize(shown);
    return order;
  }
};

// What a head says of a field: the octets of an address, a digest of a text, a number.
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
  static_assert(sizeof key == sizeof head.source->octets);
  std::memcpy(key.data(), head.source->octets.data(), sizeof key);
  return key;
}

boost::json::object row(const std::string& value, const Count& count) {
  return {{"value", value},
          {"count", count.actions.total()},
          {"last_ms", count.last_ms},
          {"deny", count.actions.deny},
          {"monitor", count.actions.monitor},
          {"allow", count.actions.allow}};
}

std::string answer(std::string_view field, std::uint64_t total, std::size_t distinct,
                   boost::json::array values) {
  boost::json::object out;
  out["field"] = field;
  out["total"] = total;
  out["distinct"] = distinct;
  out["values"] = std::move(values);
  return boost::json::serialize(out);
}

// Nothing if a head among them does not hold the field.
std::optional<std::string> top_of_heads(const forward::Ring& ring, const EventFilter& filter,
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
    values.emplace_back(row(value_of(field, records[0]), item->second));
  }
  return answer(field.name, tally.total, tally.counts.size(), std::move(values));
}

}  // namespace

std::vector<std::string_view> top_fields() {
  std::vector<std::string_view> names;
  for (const Field& field : kFields) names.push_back(field.name);
  return names;
}

Result<std::string> top_values(const forward::Ring& ring, const EventFilter& filter, std::string_view name,
                               std::size_t limit) {
  const auto field =
      std::find_if(std::begin(kFields), std::end(kFields), [&](const Field& f) { return f.name == name; });
  if (field == std::end(kFields)) {
    return fail(ErrorCode::kInvalid, fmt::format("field: expected one of {}", fmt::join(top_fields(), ", ")));
  }
  if (field->member.empty() && filter.head_only()) {
    if (auto text = top_of_heads(ring, filter, *field, limit)) return std::move(*text);
  }
  forward::RingReader reader(ring);
  Tally<std::string> tally;
  scan_all(reader, filter, ring.end(), [&](const forward::RecordView& record) {
    tally.add(value_of(*field, record), record.action, record.time_ms, record.seq);
    return true;
  });
  boost::json::array values;
  for (const auto* item : tally.most(limit)) values.emplace_back(row(item->first, item->second));
  return answer(name, tally.total, tally.counts.size(), std::move(values));
}

}  // namespace wafd::console
