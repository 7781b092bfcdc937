#include "forward/io/postgres/fleet_settings.h"

#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "forward/io/postgres/write_once.h"

namespace wafd::forward {
namespace {

// Whoever owns the tables may have changed what they check: no text is read whole that could be of any
// length.
constexpr const char* kSettingsHead =
    "version, left(change_id, 65), left(author, 129), left(node, 256), left(comment, 1024), "
    "(extract(epoch FROM made_at) * 1000)::bigint, octet_length(document) + octet_length(sealed)";

FleetSettingsRow settings_row(const PgAnswer& answer, int row, bool whole) {
  const auto text = [&](int column) { return std::string(PQgetvalue(answer.get(), row, column)); };
  FleetSettingsRow out;
  out.version = std::strtoull(text(0).c_str(), nullptr, 10);
  out.change_id = text(1), out.author = text(2), out.node = text(3), out.comment = text(4);
  out.made_ms = std::strtoll(text(5).c_str(), nullptr, 10);
  out.size = std::strtoull(text(6).c_str(), nullptr, 10);
  if (whole) out.document = text(7), out.sealed = text(8);
  return out;
}

PgResult<std::vector<FleetSettingsRow>> settings_rows(PgResult<PgAnswer> answer, bool whole) {
  if (!answer) return tl::unexpected(std::move(answer.error()));
  std::vector<FleetSettingsRow> out;
  const int rows = PQntuples(answer->get());
  out.reserve(static_cast<std::size_t>(rows));
  for (int row = 0; row < rows; ++row) out.push_back(settings_row(*answer, row, whole));
  return out;
}

}  // namespace

PgResult<FleetSettingsId> newest_fleet_settings(PgConnection& connection) {
  const auto answer =
      connection.run("SELECT version, left(change_id, 65) FROM wafd_settings ORDER BY version DESC LIMIT 1");
  if (!answer) return tl::unexpected(answer.error());
  if (PQntuples(answer->get()) == 0) return FleetSettingsId{};
  return FleetSettingsId{std::strtoull(PQgetvalue(answer->get(), 0, 0), nullptr, 10),
                         PQgetvalue(answer->get(), 0, 1)};
}

PgResult<std::vector<FleetSettingsRow>> list_fleet_settings(PgConnection& connection, std::size_t limit) {
  return settings_rows(
      connection.run(
          fmt::format("SELECT {} FROM wafd_settings ORDER BY version DESC LIMIT {}", kSettingsHead, limit)),
      false);
}

PgResult<std::optional<FleetSettingsRow>> find_fleet_settings(PgConnection& connection,
                                                              std::uint64_t version) {
  auto rows = settings_rows(
      connection.run(fmt::format("SELECT {0}, CASE WHEN small THEN document ELSE '' END, "
                                 "CASE WHEN small THEN sealed ELSE '' END FROM (SELECT *, "
                                 "octet_length(document) + octet_length(sealed) <= {1} AS small "
                                 "FROM wafd_settings WHERE version = {2}) AS one",
                                 kSettingsHead, kMaxFleetSettingsBytes, version)),
      true);
  if (!rows) return tl::unexpected(std::move(rows.error()));
  std::optional<FleetSettingsRow> out;
  if (!rows->empty()) out = std::move(rows->front());
  return out;
}

PgResult<FleetSettingsRow> add_fleet_settings(PgConnection& connection, const FleetSettingsRow& row) {
  const std::uint64_t parent = row.version - 1;
  const auto added = write_once(
      connection,
      fmt::format("INSERT INTO wafd_settings (version, parent, change_id, author, node, comment, document, "
                  "sealed) SELECT {0}, {1}, $1::text, $2::text, $3::text, $4::text, $5::text, $6::text "
                  "WHERE (SELECT coalesce(max(version), 0) FROM wafd_settings) = {1} AND ($7::text = '' "
                  "OR EXISTS (SELECT FROM wafd_settings WHERE version = {1} AND change_id = $7)) "
                  "ON CONFLICT (version) DO NOTHING",
                  row.version, parent),
      {row.change_id, row.author, row.node, row.comment, row.document, row.sealed, row.parent_change});
  if (!added) return tl::unexpected(added.error());
  // Somebody may have stored the next one already, and our own answer may have been lost.
  auto newest = settings_rows(
      connection.run(fmt::format("SELECT {} FROM wafd_settings WHERE version = {} OR version = (SELECT "
                                 "max(version) FROM wafd_settings) ORDER BY version",
                                 kSettingsHead, row.version)),
      false);
  if (!newest) return tl::unexpected(std::move(newest.error()));
  if (newest->empty())
    return tl::unexpected(
        PgError{PgStage::kWrite, "the settings of the fleet are gone from the database", "", "", false});
  // Who may not remove old ones keeps them.
  if (changed_rows(*added) > 0 && row.version > kKeptFleetSettings)
    (void)write_once(
        connection,
        fmt::format("DELETE FROM wafd_settings WHERE version <= {}", row.version - kKeptFleetSettings), {});
  const bool ours = newest->front().change_id == row.change_id;
  return std::move(ours ? newest->front() : newest->back());
}

}  // namespace wafd::forward
