#include <algorithm>

#include "console/base/csv.h"
#include "console/events/export_text.h"
#include "console/events/flat_json.h"
#include "console/events/scan.h"
#include "console/events/streams.h"
#include "console/events/viewer_mask.h"
#include "detect/core/record_members.h"

namespace wafd::console {
namespace {

// The console loop's own time is spent here: little in one turn.
constexpr ScanTurn kTurn{128, 512u << 10, 65'536};

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

}  // namespace

void append_csv_head(std::string& out) {
  for (std::size_t i = 0; i < kMembers.size(); ++i) {
    if (i > 0) out += ',';
    out += kMembers[i].name;
  }
  out += "\r\n";
}

void append_exported(std::string_view record, ExportFormat format, std::string& out) {
  if (format == ExportFormat::kCsv) return append_csv_row(record, out);
  out += record;
  out += '\n';
}

namespace {

class Export final : public BodySource {
 public:
  Export(const forward::Ring& ring, EventFilter filter, ExportFormat format)
      : reader_(ring), filter_(std::move(filter)), format_(format), scan_(reader_, filter_, ring.end()) {}

  Next pull(std::string& out, std::size_t, std::int64_t) override {
    if (!begun_ && format_ == ExportFormat::kCsv) append_csv_head(out);
    begun_ = true;
    const bool more = scan_.turn(kTurn, [&](const forward::RecordView& record) {
      std::string json = reader_.merged_json(record);
      if (filter_.masked) json = masked_record(json);
      append_exported(json, format_, out);
      return true;
    });
    return more ? Next::kMore : Next::kEnd;
  }

 private:
  forward::RingReader reader_;
  EventFilter filter_;
  ExportFormat format_;
  BackScan scan_;
  bool begun_ = false;
};

}  // namespace

std::unique_ptr<BodySource> export_events(const forward::Ring& ring, EventFilter filter,
                                          ExportFormat format) {
  return std::make_unique<Export>(ring, std::move(filter), format);
}

}  // namespace wafd::console
