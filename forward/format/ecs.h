// Writes an event as one JSON object in the Elastic Common Schema.
#pragma once

#include "forward/format/keyed_content.h"

namespace wafd::forward {

// Counts up when a field gets another meaning or goes; new fields leave it. Sent as wafd.format.
inline constexpr std::string_view kEcsMapping = "1";
inline constexpr std::string_view kEcsVersion = "8.11.0";  // of the schema; sent as ecs.version

// Which member of the record goes to which field, dots for nested objects, in the order of the message;
// forward/format/FORMATS.md shows it. What the schema has no field for is `wafd.` and the member's name.
std::span<const KeyRow> ecs_rows() noexcept;

// Texts are escaped by append_json_text.
class EcsContent final : public KeyedContent {
 public:
  EcsContent(ZoneTime zone, int precision);

 private:
  void write(std::span<const KeyValue> values, std::string& out) const override;
  void escape(std::string_view text, std::string& out) const override;
  void append_time(std::int64_t time_ms, std::string& out) override;

  ZoneTime zone_;
  int precision_;
  std::vector<std::string> leads_;  // by row, behind the row before it: `},"source":{"address":`
};

}  // namespace wafd::forward
