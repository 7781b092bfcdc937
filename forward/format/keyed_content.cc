#include "forward/format/keyed_content.h"

#include <algorithm>
#include <charconv>

#include "detect/core/ip_address.h"
#include "detect/core/record_cut.h"
#include "forward/format/cef.h"
#include "forward/format/ecs.h"
#include "forward/format/leef.h"

namespace wafd::forward {
namespace {

constexpr std::size_t kHost = member_number("host"), kPath = member_number("urlpath"),
                      kQuery = member_number("query_string"), kBody = member_number("body"),
                      kBodyCut = member_number("req_http_body_is_truncate"),
                      kAction = member_number("action"), kRisk = member_number("risk_level"),
                      kType = member_number("attack_type"), kSource = member_number("src_ip"),
                      kDestination = member_number("dest_ip");
constexpr std::size_t kMadeBytes = 512;  // times and separators beside the URL

// Keys that identify the event are never left out, however small the maximum is.
bool may_go(const KeyRow& row) noexcept {
  return row.source != KeySource::kFixed && row.source != KeySource::kEventTime && row.member != kAction &&
         row.member != member_of("event_id") && (row.source != KeySource::kAddress || row.member != kSource);
}

// Half an address is none, and would not be taken as one.
bool may_be_shortened(const KeyRow& row) noexcept {
  return may_go(row) && row.source != KeySource::kAddress && row.source != KeySource::kAddressV6;
}

}  // namespace

std::string_view severity_text(std::string_view risk) noexcept {
  return risk == "high" ? "9" : risk == "low" ? "3" : "6";
}

std::string_view attack_words(std::string_view type) noexcept {
  const auto known = parse_attack_type(type);
  return known ? to_words(*known) : type;
}

void KeyedContent::append_text(const KeyValue& value, std::string& out) const {
  escape(value.text, out);
  if (value.cut_bytes > 0) out += cut_mark(value.cut_bytes);
}

bool KeyedContent::append(std::int64_t time_ms, std::string_view record_json, std::uint16_t response_status,
                          std::size_t max, std::string& out) {
  texts_.load(record_json);
  fill(time_ms, response_status);
  const std::size_t begin = out.size();
  write(values_, out);
  if (out.size() - begin <= max) return false;
  cut(out.size() - begin - max);
  out.resize(begin);
  write(values_, out);
  if (out.size() - begin > max) leave_out(begin, max, out);
  return true;
}

void KeyedContent::fill(std::int64_t time_ms, std::uint16_t response_status) {
  values_.clear();
  made_.clear();
  made_.reserve(kMadeBytes + texts_[member_of("scheme")].size() + texts_[kHost].size() +
                texts_[kPath].size() + texts_[kQuery].size());
  const auto family = [this](std::size_t member) {
    const auto address = IpAddress::parse(texts_[member]);
    return !address ? Family::kNone : address->is_v4() ? Family::kV4 : Family::kV6;
  };
  source_ = family(kSource);
  destination_ = family(kDestination);
  // Made where it stays: a copy would wait for stores that have just been made.
  for (const KeyRow& row : rows_)
    if (!fill_row(row, time_ms, response_status, values_.emplace_back())) values_.pop_back();
}

// Whether the record's source or destination is of the family that the row wants.
bool KeyedContent::has_address(const KeyRow& row) const noexcept {
  const Family family = row.member == kSource ? source_ : destination_;
  if ((family == Family::kNone) != (row.source == KeySource::kNoAddress)) return false;
  return row.source != KeySource::kAddressV6 || family == Family::kV6;
}

bool KeyedContent::make_url(KeyValue& value) {
  if (texts_[kHost].empty() && texts_[kPath].empty()) return false;
  const std::size_t made_at = made_.size();
  made_.append(texts_[member_of("scheme")]).append("://").append(texts_[kHost]);
  value.path_at = made_.size() - made_at;
  made_ += texts_[kPath];
  value.query_at = made_.size() - made_at;
  if (!texts_[kQuery].empty()) made_.append("?").append(texts_[kQuery]);
  return true;
}

void KeyedContent::make_member_time(KeyValue& value) {
  std::int64_t ms = 0;
  std::from_chars(value.text.data(), value.text.data() + value.text.size(), ms);
  append_time(ms, made_);
  value.bare = false;
}

// False: this record has no value for the key.
bool KeyedContent::fill_row(const KeyRow& row, std::int64_t time_ms, std::uint16_t response_status,
                            KeyValue& value) {
  value.row = &row;
  if (row.member != 0) {
    value.text = texts_[row.member];
    value.json = texts_.json(row.member);
    value.bare = kMembers[row.member - 1].type != MemberType::kString;
    if (value.text.empty() || value.text == "null") return false;
  }
  const std::size_t made_at = made_.size();
  switch (row.source) {
    case KeySource::kMember: {
      const bool port = row.member == member_of("src_port") || row.member == member_of("dest_port");
      if (port && value.text == "0") return false;
      break;
    }
    case KeySource::kAddress:
    case KeySource::kAddressV6:
    case KeySource::kNoAddress:
      if (!has_address(row)) return false;
      break;
    case KeySource::kUrl:
      if (!make_url(value)) return false;
      break;
    case KeySource::kEventTime:
      append_time(time_ms, made_);
      break;
    case KeySource::kMemberTime:
      make_member_time(value);
      break;
    case KeySource::kSeverity:
      value.text = severity_text(texts_[kRisk]);
      value.bare = true;
      break;
    case KeySource::kWords:
      value.text = attack_words(texts_[kType]);
      break;
    case KeySource::kEventType:
      value.text = texts_[kAction] == "deny" ? R"(["access","denied"])" : R"(["access","allowed"])";
      value.bare = true;
      break;
    case KeySource::kStatus:
      if (response_status == 0) return false;
      made_ += std::to_string(response_status);
      value.bare = true;
      break;
    case KeySource::kFixed:
      value.text = row.text;
      value.bare = row.text.starts_with('[');
      break;
  }
  if (made_.size() > made_at) {
    value.text = std::string_view(made_).substr(made_at);
    value.json = {};
  }
  return true;
}

// Shortens what `over` bytes have to be saved for, in the order of the record; of the URL its query first,
// with the path what stands before that, with the host the rest.
void KeyedContent::cut(std::size_t over) {
  for (const std::uint8_t member : record_cut_order()) {
    if (over == 0) return;
    for (KeyValue& value : values_) {
      const bool url =
          value.row->source == KeySource::kUrl && (member == kQuery || member == kPath || member == kHost);
      if (!url && (value.row->member != member || !may_be_shortened(*value.row))) continue;
      const std::size_t keep = url && member == kQuery  ? value.query_at
                               : url && member == kPath ? value.path_at
                                                        : 0;
      if (over > 0) over -= std::min(over, shorten(value, over, keep));
    }
    if (member == kBody) tell_cut_body();
  }
}

// A body that was shortened or left out is told by the member for it.
void KeyedContent::tell_cut_body() {
  const auto of = [this](std::size_t member) {
    return std::find_if(values_.begin(), values_.end(),
                        [member](const KeyValue& value) { return value.row->member == member; });
  };
  const auto body = of(kBody), flag = of(kBodyCut);
  if (body == values_.end() || flag == values_.end()) return;
  if (body->cut_bytes > 0 || body->left_out) flag->text = "1";
}

// Returns how many bytes fewer the value takes as written.
std::size_t KeyedContent::shorten(KeyValue& value, std::size_t over, std::size_t keep_at_least) {
  scratch_.clear();
  append_text(value, scratch_);
  const std::size_t before = scratch_.size();
  KeyValue shorter = value;
  if (value.bare) {  // a list: back to the end of a whole number, no mark
    std::size_t keep = before > over ? before - over : 0;
    while (keep > 0 && value.text[keep] != ',') --keep;
    shorter.text = value.text.substr(0, keep);
    if (keep == 0) shorter.left_out = true;
  } else {
    const ShortText cut = shorten_text(
        {value.text, value.cut_bytes}, before > over ? before - over : 0, keep_at_least,
        [this](std::string_view text, std::string& out) { escape(text, out); }, scratch_);
    shorter.text = cut.text;
    shorter.cut_bytes = cut.cut_bytes;
  }
  scratch_.clear();
  append_text(shorter, scratch_);
  if (scratch_.size() >= before) return 0;
  value = shorter;
  return before - scratch_.size();
}

// Whole keys, in the same order, then numbers, until the rest fits; written anew only when the estimate says
// so.
void KeyedContent::leave_out(std::size_t begin, std::size_t max, std::string& out) {
  std::size_t over = out.size() - begin - max;
  const auto drop = [&](KeyValue& value) {
    value.left_out = true;
    if (value.row->member == kBody) tell_cut_body();
    scratch_.clear();
    append_text(value, scratch_);
    const std::size_t saved = value.row->key.size() + scratch_.size();
    over -= std::min(over, saved);
    if (over > 0) return false;
    out.resize(begin);
    write(values_, out);
    over = out.size() - begin > max ? out.size() - begin - max : 0;
    return over == 0;
  };
  for (const std::uint8_t member : record_cut_order())
    for (KeyValue& value : values_) {
      const bool url = value.row->source == KeySource::kUrl && member == kHost;
      if (!value.left_out && may_go(*value.row) && (url || value.row->member == member) && drop(value))
        return;
    }
  for (KeyValue& value : values_)
    if (!value.left_out && may_go(*value.row) && drop(value)) return;
  out.resize(begin);
  write(values_, out);
}

std::unique_ptr<ContentFormat> make_content_format(Content content, ZoneTime zone, int precision) {
  class Json final : public ContentFormat {
    bool append(std::int64_t, std::string_view record, std::uint16_t, std::size_t max,
                std::string& out) override {
      return cut_record_json(record, max, out);
    }
  };
  switch (content) {
    case Content::kCef:
      return std::make_unique<CefContent>();
    case Content::kLeef:
      return std::make_unique<LeefContent>(std::move(zone));
    case Content::kEcs:
      return std::make_unique<EcsContent>(std::move(zone), precision);
    case Content::kJson:
      break;
  }
  return std::make_unique<Json>();
}

}  // namespace wafd::forward
