#include "console/events/exception_preview.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "console/base/json_text.h"
#include "console/events/flat_json.h"
#include "console/events/scan.h"
#include "detect/core/bytes.h"
#include "detect/policy/glob.h"

namespace wafd::console {
namespace {

using boost::json::object;
using boost::json::value;

// A member that was cut ends so; what stood behind is not known.
bool is_cut(std::string_view text) noexcept {
  return text.ends_with("]") && text.find("\xe2\x80\xa6[cut ") != std::string_view::npos;
}

// Whether the conditions on the request (host, path) hold for a record.
enum class Holds : std::uint8_t { kNo, kYes, kUnknown };

Holds request_holds(const detect::ExceptionSettings& exception, const forward::RecordView& record) {
  if (!exception.host.empty()) {
    const std::string host = plain_text(flat_member(record.json, "host"));
    if (!detect::host_match(exception.host, detect::HostKey(host).text())) return Holds::kNo;
  }
  if (exception.path.empty()) return Holds::kYes;
  const std::string path = plain_text(flat_member(record.json, "urlpath"));
  if (is_cut(path)) return Holds::kUnknown;
  return path.size() <= detect::kMaxExceptionPathBytes && detect::glob_match(exception.path, path, '/')
             ? Holds::kYes
             : Holds::kNo;
}

bool accepts(const detect::ExceptionSettings& exception, const object& finding) {
  if (exception.attack_type && text_member(finding, "attack_type") != to_string(*exception.attack_type))
    return false;
  if (!exception.rule_id.empty() && text_member(finding, "rule_id") != exception.rule_id) return false;
  if (!exception.location.empty() && text_member(finding, "location") != exception.location) return false;
  return exception.name.empty() || detect::glob_match(exception.name, text_member(finding, "name"), '.');
}

// The sensitivity by which a finding is judged; none: its type is switched off.
std::optional<Sensitivity> sensitivity_for(const std::vector<detect::SiteSettings>& sites,
                                           std::string_view site_uuid, const object& detail,
                                           std::string_view attack_type) {
  for (const detect::SiteSettings& site : sites) {
    if (site.uuid != site_uuid) continue;
    for (const auto& [type, sensitivity] : site.sensitivity_by_type) {
      if (attack_type == to_string(type)) return sensitivity;
    }
    return site.sensitivity;
  }
  const value* then = detail.if_contains("site");
  const object* site = then == nullptr ? nullptr : then->if_object();
  return parse_sensitivity(site == nullptr ? "balanced" : text_member(*site, "sensitivity"))
      .value_or(Sensitivity::kBalanced);
}

bool is_set(const object& detail, std::string_view list, std::size_t index) {
  const value* found = detail.if_contains(list);
  const auto* items = found == nullptr ? nullptr : found->if_array();
  if (items == nullptr) return false;
  return std::any_of(items->begin(), items->end(), [&](const value& item) {
    boost::system::error_code error;
    return item.to_number<std::size_t>(error) == index && !error;
  });
}

// Without reading the detail: whether it can hold a finding that the exception names.
bool may_accept(const detect::ExceptionSettings& exception, const forward::RecordView& record) {
  const auto holds = [&](std::string_view text) {
    return record.detail.find(text) != std::string_view::npos;
  };
  return (exception.rule_id.empty() || holds(exception.rule_id)) &&
         (!exception.attack_type || holds(to_string(*exception.attack_type))) &&
         (exception.location.empty() || holds(exception.location));
}

struct Source {
  std::uint64_t passes = 0;
  std::uint64_t unknown = 0;
  std::uint64_t other = 0;  // blocked or would-block events that the exception leaves so
  std::int64_t last_ms = 0;
  std::string event_id;  // the newest that would pass
};

}  // namespace

const char* to_string(PreviewOutcome outcome) noexcept {
  switch (outcome) {
    case PreviewOutcome::kPasses:
      return "passes";
    case PreviewOutcome::kStillDenied:
      return "denied";
    case PreviewOutcome::kUnknown:
      return "unknown";
    case PreviewOutcome::kUntouched:
      break;
  }
  return "untouched";
}

PreviewOutcome preview_outcome(const detect::ExceptionSettings& exception,
                               const std::vector<detect::SiteSettings>& sites,
                               const forward::RecordView& record) {
  const Holds request = request_holds(exception, record);
  if (request == Holds::kNo || !may_accept(exception, record)) return PreviewOutcome::kUntouched;
  boost::system::error_code error;
  const value parsed = boost::json::parse(record.detail, error);
  const object* detail = error ? nullptr : parsed.if_object();
  const value* list = detail == nullptr ? nullptr : detail->if_contains("findings");
  const auto* findings = list == nullptr ? nullptr : list->if_array();
  if (findings == nullptr || findings->empty()) return PreviewOutcome::kUntouched;  // of a list, or a limit
  bool touched = false;
  bool denied = false;
  for (std::size_t i = 0; i < findings->size(); ++i) {
    const object* finding = (*findings)[i].if_object();
    if (finding == nullptr || is_set(*detail, "excepted", i) || is_set(*detail, "documents", i)) continue;
    const std::string_view type = text_member(*finding, "attack_type");
    const auto sensitivity = sensitivity_for(sites, record.site_uuid, *detail, type);
    const auto from = parse_sensitivity(text_member(*finding, "denies_from"));
    const bool denies = sensitivity && from && *from <= *sensitivity;
    if (accepts(exception, *finding)) {
      touched = touched || denies;
    } else {
      denied = denied || denies;
    }
  }
  if (!touched) return PreviewOutcome::kUntouched;
  if (denied) return request == Holds::kUnknown ? PreviewOutcome::kUntouched : PreviewOutcome::kStillDenied;
  const value* left_out = detail->if_contains("findings_left_out");
  const bool more = left_out != nullptr && *left_out != 0;
  return request == Holds::kUnknown || more ? PreviewOutcome::kUnknown : PreviewOutcome::kPasses;
}

namespace {

// Judges the stored findings again as if the exception were in force.
class Preview {
 public:
  Preview(const detect::ExceptionSettings& exception, const std::vector<detect::SiteSettings>& sites,
          const EventId* event)
      : exception_(exception), sites_(sites), event_(event) {}

  // False: enough was looked at.
  bool add(const forward::RecordView& record) {
    if (looked_at_ == kMaxPreviewEvents || details_ == kMaxPreviewDetails) return false;
    ++looked_at_;
    oldest_ms_ = record.time_ms;
    details_ += may_accept(exception_, record) ? 1u : 0u;
    const PreviewOutcome outcome = preview_outcome(exception_, sites_, record);
    ++counts_[static_cast<std::size_t>(outcome)];
    if (event_ != nullptr && record.id == *event_) {
      own_ = to_string(outcome);
      own_source_ = std::string(record.src_ip);
    }
    Source& source = sources_[std::string(record.src_ip)];
    if (outcome == PreviewOutcome::kPasses) {
      ++source.passes;
      source.last_ms = std::max(source.last_ms, record.time_ms);
      if (source.event_id.empty()) source.event_id = record.id.text();
    } else if (outcome == PreviewOutcome::kUnknown) {
      ++source.unknown;
    } else {
      ++source.other;
    }
    return true;
  }

  object answer(bool whole) {
    const std::vector<const Item*> others = other_sources();
    boost::json::array listed;
    std::uint64_t attackers = 0;
    for (const Item* item : others) {
      attackers += item->second.other > 0 ? 1u : 0u;
      if (listed.size() == kMaxPreviewSources) continue;
      listed.push_back({{"src", item->first},
                        {"would_pass", item->second.passes},
                        {"other_events", item->second.other},
                        {"last_ms", item->second.last_ms},
                        {"event_id", item->second.event_id}});
    }
    object out;
    out["event"] = std::move(own_);
    out["would_pass"] = count(PreviewOutcome::kPasses);
    out["still_denied"] = count(PreviewOutcome::kStillDenied);
    out["unknown"] = count(PreviewOutcome::kUnknown);
    out["untouched"] = count(PreviewOutcome::kUntouched);
    out["looked_at"] = looked_at_;
    out["complete"] = whole;
    out["oldest_ms"] = looked_at_ == 0 ? value() : value(oldest_ms_);
    out["other_sources"] = others.size();
    out["attacking_sources"] = attackers;
    out["sources"] = std::move(listed);
    return out;
  }

 private:
  using Item = std::pair<const std::string, Source>;

  std::uint64_t count(PreviewOutcome outcome) const { return counts_[static_cast<std::size_t>(outcome)]; }

  // Those that would pass besides the event's own. Who does other things that are stopped is more likely an
  // attacker: those come first.
  std::vector<const Item*> other_sources() const {
    std::vector<const Item*> others;
    for (const Item& item : sources_) {
      if (item.second.passes > 0 && item.first != own_source_) others.push_back(&item);
    }
    std::sort(others.begin(), others.end(), [](const Item* a, const Item* b) {
      if (a->second.other != b->second.other) return a->second.other > b->second.other;
      if (a->second.passes != b->second.passes) return a->second.passes > b->second.passes;
      return a->first < b->first;
    });
    return others;
  }

  const detect::ExceptionSettings& exception_;
  const std::vector<detect::SiteSettings>& sites_;
  const EventId* event_;
  std::unordered_map<std::string, Source> sources_;
  std::uint64_t counts_[4]{};
  std::size_t looked_at_ = 0;
  std::size_t details_ = 0;
  std::int64_t oldest_ms_ = 0;
  value own_;
  std::string own_source_;
};

}  // namespace

object preview_exception(const forward::Ring& ring, const detect::ExceptionSettings& exception,
                         const std::vector<detect::SiteSettings>& sites, const EventId* event) {
  forward::RingReader reader(ring);
  EventFilter filter;
  filter.query = forward::EventQuery::parse("action:deny,monitor").value();
  Preview preview(exception, sites, event);
  const bool whole = scan_all(reader, filter, ring.end(),
                              [&](const forward::RecordView& record) { return preview.add(record); });
  return preview.answer(whole);
}

}  // namespace wafd::console
