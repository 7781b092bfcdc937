#include "forward/io/postgres/fleet_accounts.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "detect/core/bytes.h"
#include "forward/io/postgres/array_literal.h"
#include "forward/io/postgres/write_once.h"

namespace wafd::forward {
namespace {

std::int64_t whole(const PgAnswer& answer, int row, int column) {
  return std::strtoll(PQgetvalue(answer.get(), row, column), nullptr, 10);
}

PgError not_heard(const PgError& error) {
  PgError out = error;
  out.what = "it is not known whether the change was made, look before you try again: " + error.what;
  out.state = kPgNotHeard;
  return out;
}

PgResult<void> write_rows(PgConnection& connection, const std::vector<FleetAccountRow>& rows,
                          const std::string& change_id) {
  std::vector<const FleetAccountRow*> kept, gone;
  for (const FleetAccountRow& row : rows) (row.body.empty() ? gone : kept).push_back(&row);
  const auto kind = [](const FleetAccountRow* row) -> const std::string& { return row->kind; };
  const auto name = [](const FleetAccountRow* row) -> const std::string& { return row->name; };
  const auto body = [](const FleetAccountRow* row) -> const std::string& { return row->body; };
  if (!gone.empty()) {
    const std::string parameters[] = {array_literal(gone, kind), array_literal(gone, name)};
    const auto deleted = connection.run(
        "DELETE FROM wafd_accounts WHERE (kind, name) IN (SELECT * FROM unnest($1::text[], $2::text[]))",
        parameters);
    if (!deleted) return tl::unexpected(deleted.error());
  }
  if (!kept.empty()) {
    const std::string parameters[] = {array_literal(kept, kind), array_literal(kept, name),
                                      array_literal(kept, body)};
    const auto written = connection.run(
        "INSERT INTO wafd_accounts (kind, name, body) SELECT * FROM unnest($1::text[], $2::text[], "
        "$3::text[]) "
        "ON CONFLICT (kind, name) DO UPDATE SET body = excluded.body",
        parameters);
    if (!written) return tl::unexpected(written.error());
  }
  const std::string made_by[] = {change_id};
  const auto counted =
      connection.run("UPDATE wafd_accounts_version SET version = version + 1, change_id = $1", made_by);
  if (!counted) return tl::unexpected(counted.error());
  return {};
}

// Whoever holds the rows longer than that is not waited for.
PgResult<void> begin_change(PgConnection& connection) {
  const auto begun = connection.run("BEGIN READ WRITE; SET LOCAL lock_timeout = '300ms'");
  if (!begun) return tl::unexpected(begun.error());
  return {};
}

PgResult<FleetAccountsVersion> lock_accounts(PgConnection& connection) {
  const auto locked =
      connection.run("SELECT version, left(change_id, 64) FROM wafd_accounts_version FOR UPDATE");
  if (!locked) return tl::unexpected(locked.error());
  if (PQntuples(locked->get()) == 0) return FleetAccountsVersion{};
  return FleetAccountsVersion{whole(*locked, 0, 0), PQgetvalue(locked->get(), 0, 1)};
}

// Of a page's size, and as hard to make smaller as what is encrypted.
std::string try_body() {
  std::string out;
  std::uint32_t state = 1;
  for (std::size_t i = 0; i < 8'000; ++i) {
    state = state * 1'664'525u + 1'013'904'223u;
    out += static_cast<char>('A' + (state >> 16) % 26);
  }
  return out;
}

// Every statement of a change.
PgResult<void> try_change(PgConnection& connection) {
  if (auto begun = begin_change(connection); !begun) return begun;
  PgResult<void> tried;
  if (auto locked = lock_accounts(connection); !locked) tried = tl::unexpected(locked.error());
  if (tried) tried = write_rows(connection, {{"try", "", try_body()}, {"try", "gone", ""}}, "try");
  if (!tried && is_lost(tried.error())) return tried;
  const auto ended = connection.run("ROLLBACK");
  if (tried && !ended) return tl::unexpected(ended.error());
  return tried;
}

PgResult<FleetAccountsVersion> change_within(PgConnection& connection,
                                             const std::optional<FleetAccountsVersion>& known,
                                             const std::string& change_id, const AccountWork& work,
                                             bool& writes) {
  if (auto locked = lock_accounts(connection); !locked) return tl::unexpected(locked.error());
  const auto now = read_accounts(connection, known);
  if (!now) return tl::unexpected(now.error());
  const auto rows = work(*now);
  writes = rows && !rows->empty();
  if (!writes) return now->version;
  if (auto written = write_rows(connection, *rows, change_id); !written)
    return tl::unexpected(written.error());
  return FleetAccountsVersion{now->version.number + 1, change_id};
}

struct AuditPlace {
  std::int64_t time_us = 0;
  std::string instance;
  std::int64_t part = 0, seq = 0;
};

template <class Number>
bool read_number(std::string_view text, Number& out) noexcept {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() && out >= 0;
}

// "TIME.INSTANCE.PART.SEQ"
std::optional<AuditPlace> audit_place(std::string_view text) {
  constexpr std::size_t kMaxPlaceBytes = 200;
  if (text.size() > kMaxPlaceBytes || std::count(text.begin(), text.end(), '.') != 3) return std::nullopt;
  std::string_view parts[4];
  for (auto& part : parts) {
    const std::size_t end = std::min(text.find('.'), text.size());
    part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  AuditPlace out;
  out.instance = parts[1];
  const bool good = read_number(parts[0], out.time_us) && read_number(parts[2], out.part) &&
                    read_number(parts[3], out.seq) && out.time_us < 4'000'000'000'000'000 &&
                    std::all_of(parts[1].begin(), parts[1].end(), [](char c) { return is_alnum(c); });
  if (!good) return std::nullopt;
  return out;
}

}  // namespace

PgResult<FleetAccountRows> read_accounts(PgConnection& connection,
                                         const std::optional<FleetAccountsVersion>& known) {
  const std::string parameters[] = {std::to_string(known ? known->number : -1),
                                    known ? known->change_id : std::string()};
  // One statement sees one moment.
  const auto answer = connection.run(
      fmt::format("SELECT head.version, pg_is_in_recovery(), account.kind, account.name, CASE WHEN "
                  "length(account.body) <= {} THEN account.body ELSE '' END, left(head.change_id, 64) FROM "
                  "wafd_accounts_version AS head LEFT JOIN wafd_accounts AS account ON head.version <> "
                  "$1::bigint OR left(head.change_id, 64) <> $2 LIMIT {}",
                  kMaxAccountBytes, kMaxAccountRows + 1),
      parameters);
  if (!answer) return tl::unexpected(answer.error());
  const int count = PQntuples(answer->get());
  if (count == 0 || count > static_cast<int>(kMaxAccountRows))
    return tl::unexpected(PgError{PgStage::kSchema,
                                  count == 0 ? "wafd_accounts_version has lost its row"
                                             : "wafd_accounts has more rows than consoles make",
                                  "let the owner of the tables look at them", "", false});
  FleetAccountRows out;
  out.version = {whole(*answer, 0, 0), PQgetvalue(answer->get(), 0, 5)};
  out.changed = !known || out.version != *known;
  if (PQgetvalue(answer->get(), 0, 1)[0] == 't')
    out.unwritable = "the server is a standby, which takes no changes";
  out.rows.reserve(static_cast<std::size_t>(count));
  for (int row = 0; row < count; ++row)
    if (PQgetisnull(answer->get(), row, 2) == 0)
      out.rows.push_back({PQgetvalue(answer->get(), row, 2), PQgetvalue(answer->get(), row, 3),
                          PQgetvalue(answer->get(), row, 4)});
  return out;
}

PgResult<FleetAccountRows> read_and_try_accounts(PgConnection& connection,
                                                 const std::optional<FleetAccountsVersion>& known) {
  auto rows = read_accounts(connection, known);
  if (!rows || !rows->unwritable.empty()) return rows;
  rows->tried = true;
  const auto tried = try_change(connection);
  if (tried) return rows;
  if (!refuses_changes(tried.error().state)) return tl::unexpected(tried.error());
  rows->unwritable = tried.error().what;
  return rows;
}

bool refuses_changes(std::string_view state) noexcept {
  // Of a standby (0A000 where it refuses BEGIN READ WRITE), a full disk, rights, a statement that took too
  // long, rows that somebody holds.
  constexpr std::string_view kStates[] = {"25006", "0A000", "53100", "42501", "57014", "55P03"};
  return std::find(std::begin(kStates), std::end(kStates), state) != std::end(kStates);
}

PgResult<FleetAccountsVersion> change_accounts(PgConnection& connection,
                                               const std::optional<FleetAccountsVersion>& known,
                                               const std::string& change_id, const AccountWork& work) {
  if (auto begun = begin_change(connection); !begun) return tl::unexpected(begun.error());
  bool writes = false;
  auto version = change_within(connection, known, change_id, work, writes);
  if (!version && is_lost(version.error())) return version;
  const auto ended = connection.run(version && writes ? "COMMIT" : "ROLLBACK");
  if (version && writes && !ended) return tl::unexpected(not_heard(ended.error()));
  return version;
}

// Whoever changes accounts holds the row until its transaction ends, heard or not.
PgResult<FleetAccountsVersion> settled_accounts_version(PgConnection& connection) {
  if (auto begun = begin_change(connection); !begun) return tl::unexpected(begun.error());
  auto version = lock_accounts(connection);
  if (!version && is_lost(version.error())) return version;
  (void)connection.run("ROLLBACK");
  return version;
}

PgResult<FleetAuditEnd> read_audit_end(PgConnection& connection, const std::string& instance) {
  const std::string parameters[] = {instance};
  const auto answer = connection.run(
      "SELECT part, seq, line FROM wafd_audit WHERE instance = $1 ORDER BY part DESC, seq DESC LIMIT 1",
      parameters);
  if (!answer) return tl::unexpected(answer.error());
  if (PQntuples(answer->get()) == 0) return FleetAuditEnd{};
  return FleetAuditEnd{static_cast<int>(whole(*answer, 0, 0)), whole(*answer, 0, 1),
                       PQgetvalue(answer->get(), 0, 2)};
}

PgResult<std::int64_t> add_audit(PgConnection& connection, const std::string& instance, int part,
                                 const std::string& node, const std::vector<FleetAuditLine>& lines) {
  const auto done = write_once(
      connection,
      "WITH one AS (SELECT * FROM unnest($4::bigint[], $5::bigint[], $6::text[]) AS one(seq, ms, line)), "
      "other AS (SELECT there.seq FROM one JOIN wafd_audit AS there ON there.instance = $1 AND there.part = "
      "$2::integer AND there.seq = one.seq WHERE there.line <> one.line), "
      "kept AS (INSERT INTO wafd_audit (instance, part, node, seq, time, line) "
      "SELECT $1, $2::integer, $3, one.seq, 'epoch'::timestamptz + one.ms * interval '1 millisecond', "
      "one.line FROM one WHERE NOT EXISTS (SELECT FROM other) ON CONFLICT DO NOTHING) "
      "SELECT count(*) FROM other",
      {instance, std::to_string(part), node,
       array_literal(lines, [](const FleetAuditLine& line) { return std::to_string(line.seq); }),
       array_literal(lines, [](const FleetAuditLine& line) { return std::to_string(line.time_ms); }),
       array_literal(lines, [](const FleetAuditLine& line) -> const std::string& { return line.line; })});
  if (!done) return tl::unexpected(done.error());
  return whole(*done, 0, 0);
}

bool is_audit_place(std::string_view text) noexcept { return audit_place(text).has_value(); }

PgResult<FleetAuditPage> read_audit(PgConnection& connection, std::size_t limit, const std::string& before,
                                    std::string_view text) {
  std::string where = "true";
  std::vector<std::string> parameters;
  if (const auto place = audit_place(before)) {
    where =
        "(time, instance, part, seq) < ('epoch'::timestamptz + $1::bigint * interval '1 microsecond', $2, "
        "$3::integer, $4::bigint)";
    parameters = {std::to_string(place->time_us), place->instance, std::to_string(place->part),
                  std::to_string(place->seq)};
  }
  if (!text.empty()) {
    // The link of the chain is no part of what an entry says.
    where += fmt::format(
        R"( AND position(lower(${}) IN lower(regexp_replace(line, ',"chain":"[0-9a-f]*"}}$', ''))) > 0)",
        parameters.size() + 1);
    parameters.emplace_back(text);
  }
  const auto answer = connection.run(
      fmt::format("SELECT node, line, (extract(epoch FROM time) * 1000000)::bigint, instance, part, seq FROM "
                  "wafd_audit WHERE {} ORDER BY time DESC, instance DESC, part DESC, seq DESC LIMIT {}",
                  where, limit + 1),
      parameters);
  if (!answer) return tl::unexpected(answer.error());
  FleetAuditPage page;
  const auto count = static_cast<std::size_t>(PQntuples(answer->get()));
  page.entries.reserve(std::min(limit, count));
  for (std::size_t row = 0; row < std::min(limit, count); ++row) {
    const auto cell = [&](int column) { return PQgetvalue(answer->get(), static_cast<int>(row), column); };
    page.entries.push_back({cell(0), cell(1)});
    if (row + 1 == limit && count > limit)
      page.before = fmt::format("{}.{}.{}.{}", cell(2), cell(3), cell(4), cell(5));
  }
  return page;
}

}  // namespace wafd::forward
