#include <algorithm>

#include "console/events/flat_json.h"
#include "console/events/streams.h"
#include "detect/core/record_members.h"

namespace wafd::console {
namespace {

constexpr std::size_t kBatchRecords = 128;
constexpr std::size_t kBatchOctets = 512u << 10;

void append_csv_row(std::string_view record, std::string& out) {
  FlatJson json(record);
  std::string_view name;
  std::string_view value;
  bool first = true;
  while (json.next(name, value)) {
    if (!first) out += ',';
    first = false;
    append_csv_cell(value == "null" ? std::string() : plain_text(value), out);
  }
  out += "\r\n";
}

class Export final : public BodySource {
 public:
  Export(const forward::Ring& ring, EventFilter filter, ExportFormat format)
      : reader_(ring), filter_(std::move(filter)), format_(format), before_(ring.end()) {}

  Next pull(std::string& out, std::size_t, std::int64_t) override {
    if (!begun_ && format_ == ExportFormat::kCsv) {
      for (std::size_t i = 0; i < kMembers.size(); ++i) {
        if (i > 0) out += ',';
        out += kMembers[i].name;
      }
      out += "\r\n";
    }
    begun_ = true;
    const auto batch = reader_.read_before(before_, kBatchRecords, kBatchOctets);
    if (batch.empty()) return Next::kEnd;
    for (const forward::RecordView& record : batch) {
      if (filter_.is_past(record)) return Next::kEnd;
      if (!filter_.matches(record)) continue;
      const std::string json = reader_.merged_json(record);
      if (format_ == ExportFormat::kCsv) {
        append_csv_row(json, out);
      } else {
        out += json;
        out += '\n';
      }
    }
    before_ = batch.back().seq;
    return Next::kMore;
  }

 private:
  forward::RingReader reader_;
  EventFilter filter_;
  ExportFormat format_;
  std::uint64_t before_;
  bool begun_ = false;
};

}  // namespace

void append_csv_cell(std::string_view text, std::string& out) {
  const bool formula =
      !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
  const bool quoted = text.find_first_of(",\"\r\n") != std::string_view::npos;
  if (quoted) out += '"';
  if (formula) out += '\'';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  if (quoted) out += '"';
}

std::unique_ptr<BodySource> export_events(const forward::Ring& ring, EventFilter filter,
                                          ExportFormat format) {
  return std::make_unique<Export>(ring, std::move(filter), format);
}

}  // namespace wafd::console
