// The part common to CEF, LEEF and ECS: a table says which member of the record goes to which key, and what
// is too long is cut by one rule.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "detect/core/verdict.h"
#include "forward/format/content_format.h"
#include "forward/format/record_texts.h"
#include "forward/format/text_cut.h"

namespace wafd::forward {

// Where the value of a key comes from.
enum class KeySource : std::uint8_t {
  kMember,      // the member as it is; empty text, null, port 0 and an empty list give no key
  kAddress,     // the member if it is an IP address
  kAddressV6,   // the member if it is an IPv6 address
  kNoAddress,   // the member if it is not empty and no IP address
  kUrl,         // scheme://host + path + ?query, as these members stand in the record
  kEventTime,   // of the event, as the format writes times
  kMemberTime,  // a member in Unix ms, likewise
  kSeverity,    // 3, 6, 9 for low, medium, high
  kWords,       // the attack type for people
  kEventType,   // ECS event.type: what became of the request
  kStatus,      // of the response, if it is known
  kFixed,       // always the same
};

struct KeyRow {
  std::string_view key;
  KeySource source = KeySource::kMember;
  std::uint8_t member = 0;     // 1..58; 0: none
  std::string_view text = {};  // kFixed: the value; else CEF's label of the key

  static consteval KeyRow of(std::string_view key, std::string_view name, std::string_view text = {},
                             KeySource source = KeySource::kMember) {
    return {key, source, static_cast<std::uint8_t>(member_of(name)), text};
  }
  static consteval KeyRow made(std::string_view key, KeySource source, std::string_view text = {}) {
    return {key, source, 0, text};
  }
};

// One key with its value, on its way to the wire.
struct KeyValue {
  const KeyRow* row = nullptr;
  std::string_view text;  // UTF-8, not escaped
  std::string_view json;  // the same as the record escapes it; empty: not from there
  bool bare = false;      // a number, a list or fixed JSON: no quotes, nothing to escape
  bool left_out = false;
  std::size_t cut_bytes = 0;              // told by the mark behind the text
  std::size_t path_at = 0, query_at = 0;  // kUrl: where path and query begin
};

class KeyedContent : public ContentFormat {
 public:
  explicit KeyedContent(std::span<const KeyRow> rows) : rows_(rows) {}
  bool append(std::int64_t time_ms, std::string_view record_json, std::uint16_t response_status,
              std::size_t max, std::string& out) final;

 protected:
  virtual void write(std::span<const KeyValue> values, std::string& out) const = 0;
  virtual void escape(std::string_view text, std::string& out) const = 0;
  virtual void append_time(std::int64_t time_ms, std::string& out) = 0;

  const RecordTexts& texts() const noexcept { return texts_; }
  std::span<const KeyRow> rows() const noexcept { return rows_; }
  // Which row of the table the value is of.
  std::size_t index_of(const KeyValue& value) const noexcept {
    return static_cast<std::size_t>(value.row - rows_.data());
  }
  // escape(), and the mark of a value that was shortened.
  void append_text(const KeyValue& value, std::string& out) const;

 private:
  enum class Family : std::uint8_t { kNone, kV4, kV6 };
  void fill(std::int64_t time_ms, std::uint16_t response_status);
  bool has_address(const KeyRow& row) const noexcept;
  bool make_url(KeyValue& value);
  void make_member_time(KeyValue& value);
  bool fill_row(const KeyRow& row, std::int64_t time_ms, std::uint16_t response_status, KeyValue& value);
  void cut(std::size_t over);
  std::size_t shorten(KeyValue& value, std::size_t over, std::size_t keep_at_least);
  void tell_cut_body();
  void leave_out(std::size_t begin, std::size_t max, std::string& out);

  std::span<const KeyRow> rows_;
  RecordTexts texts_;
  std::vector<KeyValue> values_;
  Family source_ = Family::kNone, destination_ = Family::kNone;  // of src_ip and dest_ip
  std::string made_;  // what texts point to that is in no member; never grows while they do
  std::string scratch_;
};

std::string_view severity_text(std::string_view risk) noexcept;  // "3", "6", "9"
std::string_view attack_words(std::string_view type) noexcept;   // "SQL injection"; of an unknown type itself

}  // namespace wafd::forward
