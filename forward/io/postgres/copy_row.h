// An event, or a line beside events, as one row of COPY ... FROM STDIN in its text format (PostgreSQL manual,
// "COPY", "Text Format"). Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "forward/ring/ring.h"

namespace wafd::forward {

// The staging table: its columns, in the order of rows, and how it keeps them. A row whose record is
// compressed there would be short enough to stay whole in its day's table, where record and detail are to
// stand beside the rows (migrations/0008_questions.sql): the server looks at that only above 2 KB.
inline constexpr std::string_view kStagingOptions = "toast_tuple_target = 8160";
inline constexpr std::string_view kStagingColumns =
    "kind text, day date, id text, time timestamptz, node text, seq bigint, site text, action text, "
    "attack_type "
    "text, risk text, src_ip inet, rule text, status integer, size bigint, record jsonb, detail jsonb, "
    "trigrams bit(1024)";

// `json`: the record as the target sends it; `detail`: false where request text is left out. jsonb takes no
// NUL
// (`\u0000`), and a text no other way: it stands as the text `\x00`, as bytes that are no UTF-8 do.
void append_event_row(const RecordView& record, std::string_view json, bool detail, std::string_view node,
                      std::string& out);

// A row for the response report of a stored event: its status, the body's bytes, and of `json`, the
// record with the report, the members that a report sets.
void append_report_row(const RecordView& record, std::string_view json, std::string_view node,
                       std::string& out);

// A gap, a line of the audit log, a sign of life, a test. Its id comes from its content, so a line that is
// written again has the same key again.
void append_notice_row(std::string_view kind, std::string_view json, std::int64_t time_ms,
                       std::string_view node, std::string& out);

std::string time_text(std::int64_t time_ms);  // 2026-01-31 12:00:00.000+00

// Days since 1970-01-01 of a Unix time, in UTC.
std::int64_t day_of(std::int64_t time_ms) noexcept;
std::string date_text(std::int64_t day);  // 2026-01-31

}  // namespace wafd::forward
