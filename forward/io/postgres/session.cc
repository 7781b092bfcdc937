#include "forward/io/postgres/session.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "forward/io/postgres/copy_row.h"

namespace wafd::forward {
namespace {

constexpr int kOldestServer = 130'000;
constexpr std::int64_t kDaysAhead = 7;
constexpr std::size_t kMaxDays = 1000;

constexpr std::string_view kDenied = "42501";

constexpr std::string_view kInsertEvents = R"(
INSERT INTO wafd_events (day, event_id, time, node, seq, site, action, attack_type, risk, src_ip,
                         host, path, rule, status, response_size, record, detail, trigrams)
SELECT day, id::uuid, time, node, seq, site, action, attack_type, risk, src_ip,
       record->>'host', record->>'urlpath', rule, status, size, record, detail, trigrams
FROM wafd_staging WHERE kind = 'event' ON CONFLICT DO NOTHING)";
constexpr std::string_view kInsertNotices = R"(
INSERT INTO wafd_notices (node, kind, notice_id, time, body)
SELECT node, kind, id, time, record FROM wafd_staging WHERE kind NOT IN ('event', 'report') ON CONFLICT DO NOTHING)";
// Behind the events of the same batch. An event that came with its report may be known without it.
constexpr std::string_view kAddReports = R"(
SELECT wafd_add_reports(array_agg(day), array_agg(id::uuid), array_agg(status), array_agg(size),
                        array_agg(record)) FROM wafd_staging WHERE kind = 'report')";
// A commit that is answered must last. Locks are waited for shortly: whoever holds the table for long is
// told. Records are compressed by lz4 where the server has it, which takes less time than pglz.
constexpr const char* kBeginWrite = R"(
SET lock_timeout = '20s';
SET statement_timeout = '50s';
SET idle_in_transaction_session_timeout = '60s';
SET TIME ZONE 'UTC';
SET standard_conforming_strings = on;
SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
SELECT set_config(name, 'lz4', false) FROM pg_settings
WHERE name = 'default_toast_compression' AND 'lz4' = ANY(enumvals);
SHOW transaction_read_only)";
constexpr const char* kFindSchema = R"(
SELECT to_regclass('wafd_schema') IS NOT NULL,
       coalesce(has_schema_privilege(current_schema(), 'CREATE'), false))";
// Everything is made in one schema, and functions of the owner look nowhere else.
constexpr std::string_view kLockSchema = R"(
SELECT pg_advisory_xact_lock({});
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);
CREATE TABLE IF NOT EXISTS wafd_schema (
  version integer PRIMARY KEY, writers_from integer NOT NULL, made_at timestamptz NOT NULL DEFAULT now());
SELECT coalesce(max(version), 0) FROM wafd_schema)";

std::string text_at(const PgAnswer& answer, int column) {
  if (!answer || PQntuples(answer.get()) == 0 || PQgetisnull(answer.get(), 0, column)) return "";
  return PQgetvalue(answer.get(), 0, column);
}

int number_at(const PgAnswer& answer, int column) { return std::atoi(text_at(answer, column).c_str()); }

tl::unexpected<PgError> refuse(std::string what, std::string hint) {
  return tl::unexpected(PgError{PgStage::kSchema, std::move(what), std::move(hint), "", false});
}

tl::unexpected<PgError> at_stage(PgStage stage, PgError error) {
  error.stage = stage;
  return tl::unexpected(std::move(error));
}

PgResult<void> nothing(PgResult<PgAnswer> answer) {
  if (!answer) return tl::unexpected(std::move(answer.error()));
  return {};
}

}  // namespace

PgResult<void> PgSession::begin() {
  const int version = connection_->server_version();
  if (version < kOldestServer)
    return refuse(fmt::format("the server is PostgreSQL {}.{}: too old", version / 10'000, version % 10'000),
                  "13 or newer is needed");
  auto set = connection_->run(kBeginWrite);
  if (!set) return at_stage(PgStage::kSchema, set.error());
  if (text_at(*set, 0) == "on")
    return refuse("the server takes no writes", "a read-only replica: the primary is elsewhere");
  return {};
}

PgResult<PgSession::Schema> PgSession::schema() {
  auto found = connection_->run(kFindSchema);
  if (!found) return at_stage(PgStage::kSchema, found.error());
  Schema out;
  out.may_make = text_at(*found, 1) == "t";
  if (text_at(*found, 0) != "t") return out;
  auto version =
      connection_->run("SELECT version, writers_from FROM wafd_schema ORDER BY version DESC LIMIT 1");
  if (!version) return at_stage(PgStage::kSchema, version.error());
  out.version = number_at(*version, 0);
  out.writers_from = number_at(*version, 1);
  return out;
}

PgResult<void> PgSession::migrate(std::span<const Migration> steps) {
  const int newest = steps.empty() ? 0 : steps.back().version;
  auto found = schema();
  if (!found) return tl::unexpected(found.error());
  if (found->writers_from > newest)
    return refuse(fmt::format("the tables are of version {}, for writers that know {}; this wafd knows {}",
                              found->version, found->writers_from, newest),
                  "update wafd on this node");
  if (found->version >= newest) return {};
  if (!found->may_make && found->version == 0)
    return refuse("the tables of wafd are missing, and the user may not make them",
                  "let their owner run `wafd fleet init`, or grant CREATE on the schema");
  if (!found->may_make)
    return refuse(fmt::format("the tables are of version {}, this wafd needs {}, and the user may not "
                              "change them",
                              found->version, newest),
                  "let their owner run `wafd fleet init` of this version");
  auto locked = connection_->run((trial_ ? "" : "BEGIN; ") + fmt::format(kLockSchema, kSchemaLock));
  const auto give_back = [&](PgError error) {
    if (!trial_) (void)connection_->run("ROLLBACK");
    return at_stage(PgStage::kSchema, std::move(error));
  };
  if (!locked) return give_back(locked.error());
  const int there = number_at(*locked, 0);                  // another writer may have been first
  std::string missing = "SET LOCAL statement_timeout = 0";  // an index of a large table takes its time
  for (const Migration& step : steps)
    if (step.version > there) missing.append(";\n").append(step.sql);
  connection_->be_patient(true);
  const auto made = connection_->run(missing);
  connection_->be_patient(false);
  if (!made) return give_back(made.error());
  if (trial_) return {};
  auto done = connection_->run("COMMIT");
  if (!done) return give_back(done.error());
  return {};
}

PgResult<void> PgSession::keep(const PgRetention& keep, std::int64_t today) {
  auto made = connection_->run(
      fmt::format("SELECT wafd_make_days('{}', '{}')", date_text(today - 1), date_text(today + kDaysAhead)));
  if (!made && made.error().state != kDenied) return at_stage(PgStage::kSchema, made.error());
  if (made)
    for (std::int64_t day = today - 1; day <= today + kDaysAhead; ++day) days_.insert(day);
  if (keep.days > 0) {
    auto dropped = connection_->run(fmt::format("SELECT wafd_drop_days('{}')", date_text(today - keep.days)));
    if (!dropped) return at_stage(PgStage::kSchema, dropped.error());
    std::erase_if(days_, [&](std::int64_t day) { return day < today - keep.days; });
  }
  if (keep.gib > 0) {
    auto dropped = connection_->run(fmt::format("SELECT wafd_drop_bytes({})", std::uint64_t{keep.gib} << 30));
    if (!dropped) return at_stage(PgStage::kSchema, dropped.error());
    if (number_at(*dropped, 0) > 0) days_.clear();
  }
  return {};
}

// Outside of the transaction that writes: whoever makes a day locks the table.
PgResult<void> PgSession::make_days(std::span<const PgRowView> rows) {
  std::set<std::int64_t> wanted;
  for (const PgRowView& row : rows)
    if (row.day && !days_.contains(*row.day)) wanted.insert(*row.day);
  for (const std::int64_t day : wanted) {
    const std::string text = date_text(day);
    auto made = connection_->run(fmt::format("SELECT wafd_make_days('{}', '{}')", text, text));
    // Who may not make days writes into those that others made.
    if (!made && made.error().state != kDenied) return tl::unexpected(made.error());
    if (days_.size() >= kMaxDays) days_.clear();
    days_.insert(day);
  }
  return {};
}

PgResult<void> PgSession::ask_for_reports() {
  auto asked = connection_->run(
      "SELECT has_function_privilege("
      "'wafd_add_reports(date[], uuid[], integer[], bigint[], jsonb[])', 'EXECUTE')");
  if (!asked) return nothing(std::move(asked));
  may_report_ = text_at(*asked, 0) == "t";
  return {};
}

PgResult<void> PgSession::copy_rows(std::span<const PgRowView> rows) {
  if (!staging_) {
    auto made = connection_->run(
        fmt::format("CREATE TEMPORARY TABLE wafd_staging ({}) WITH ({}) ON COMMIT DELETE ROWS",
                    kStagingColumns, kStagingOptions));
    if (!made) return nothing(std::move(made));
    staging_ = !trial_;
  }
  std::vector<std::string_view> texts;
  texts.reserve(rows.size());
  bool events = false, reports = false, notices = false;
  for (const PgRowView& row : rows) {
    if (!texts.empty() && texts.back().data() + texts.back().size() == row.text.data())
      texts.back() = {texts.back().data(), texts.back().size() + row.text.size()};
    else
      texts.push_back(row.text);
    events |= row.day.has_value();
    reports |= row.report;
    notices |= !row.day && !row.report;
  }
  if (reports && !may_report_)
    if (auto asked = ask_for_reports(); !asked) return asked;
  if (auto copied =
          connection_->copy(fmt::format("{}COPY wafd_staging FROM STDIN", trial_ ? "" : "BEGIN; "), texts);
      !copied)
    return copied;
  std::string sql;
  if (events) sql.append(kInsertEvents).append("; ");
  if (reports && *may_report_) sql.append(kAddReports).append("; ");
  if (notices) sql.append(kInsertNotices).append("; ");
  if (!trial_) sql += "COMMIT";
  return nothing(connection_->run(sql));
}

PgResult<void> PgSession::write(std::span<const PgRowView> rows) {
  if (auto made = make_days(rows); !made) return made;
  auto written = copy_rows(rows);
  if (written || written.error().state.empty() || trial_) return written;
  // The session goes on only if the transaction is gone.
  if (auto back = nothing(connection_->run("ROLLBACK")); !back) return back;
  // Somebody dropped a day meanwhile: it is made again, once.
  if (written.error().state != kPgNoDay) return written;
  days_.clear();
  if (auto made = make_days(rows); !made) return made;
  written = copy_rows(rows);
  if (!written && !written.error().state.empty())
    if (auto back = nothing(connection_->run("ROLLBACK")); !back) return back;
  return written;
}

PgResult<void> PgSession::write(std::span<const PgRow> rows) {
  std::vector<PgRowView> views;
  views.reserve(rows.size());
  for (const PgRow& row : rows) views.push_back({row.text, row.day, row.report});
  return write(views);
}

PgResult<void> PgSession::beat(const std::string& node, const std::string& instance, std::int64_t now_ms,
                               const std::string& said) {
  if (beats_denied_) return {};
  const std::string parameters[] = {node, instance, time_text(now_ms), said};
  auto told = connection_->run("SELECT wafd_beat($1, $2, $3::timestamptz, $4::jsonb)", parameters);
  if (!told && told.error().state == kDenied) {
    beats_denied_ = true;
    return {};
  }
  return nothing(std::move(told));
}

PgResult<void> PgSession::begin_trial() {
  trial_ = true;
  return nothing(connection_->run("BEGIN"));
}

PgResult<void> PgSession::end_trial() {
  trial_ = false;
  return nothing(connection_->run("ROLLBACK"));
}

}  // namespace wafd::forward
