#include "console/io/fleet/fleet_audit.h"

#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "console/io/fleet/fleet_answers.h"

namespace wafd::console {
namespace {

using forward::FleetAuditEnd;
using forward::PgConnection;
using forward::PgResult;

std::int64_t audit_time_ms(const std::string& line) {
  boost::system::error_code error;
  const boost::json::value value = boost::json::parse(line, error);
  const auto* time = error || !value.is_object() ? nullptr : value.get_object().if_contains("time_ms");
  return time != nullptr && time->is_int64() ? time->get_int64() : 0;
}

}  // namespace

void FleetAudit::turn(std::int64_t steady_ms) {
  if (const auto done = work_.take()) {
    if (!*done) {
      next_ms_ = steady_ms + kRetryMs;
    } else if (part_ == 0) {
      place(**done);
    } else {
      brought_ = static_cast<std::uint64_t>((*done)->seq);
    }
  }
  if (work_.busy() || steady_ms < next_ms_) return;
  if (part_ != 0) return bring();
  work_.ask([this](const auto& over) {
    return ask_fleet(parts_.database, over, [&](PgConnection& connection) {
      return forward::read_audit_end(connection, parts_.instance);
    });
  });
}

// Behind the last line there, if this file has it too; else the file is another one, which begins a part.
void FleetAudit::place(const FleetAuditEnd& end) {
  const auto seq = static_cast<std::uint64_t>(end.seq);
  if (end.part > 0) {
    const auto own = parts_.log.behind(seq - 1, 1);
    if (!own.empty() && own.front().first == seq && own.front().second == end.line) {
      part_ = end.part;
      brought_ = seq;
      return;
    }
    parts_.warn(
        fmt::format("console: audit.log does not go on where its copy in the fleet's database ends, at "
                    "entry {}: it was changed, taken away, or moved on; its entries begin a new part there",
                    seq));
  }
  part_ = end.part + 1;
  brought_ = 0;
}

void FleetAudit::bring() {
  const auto lines = parts_.log.behind(brought_, kMaxLines);
  if (lines.empty()) return;
  std::vector<forward::FleetAuditLine> rows;
  rows.reserve(lines.size());
  for (const auto& [seq, line] : lines)
    rows.push_back({static_cast<std::int64_t>(seq), audit_time_ms(line), line});
  work_.ask([this, rows = std::move(rows), part = part_](const auto& over) {
    return ask_fleet(parts_.database, over, [&](PgConnection& connection) -> PgResult<FleetAuditEnd> {
      auto added = forward::add_audit(connection, parts_.instance, part, parts_.node, rows);
      if (!added) return tl::unexpected(std::move(added.error()));
      return FleetAuditEnd{part, rows.back().seq, {}};
    });
  });
}

Result<std::string> FleetAudit::page(std::size_t limit, const std::string& before, std::string_view text) {
  if (!before.empty() && !forward::is_audit_place(before))
    return fail(ErrorCode::kInvalid, "before: expected the `before` of a page");
  const auto page = ask_fleet(parts_.reading, {}, [&](PgConnection& connection) {
    return forward::read_audit(connection, limit, before, text);
  });
  if (!page) return tl::unexpected(page.error());
  std::string out = R"({"entries":[)";
  bool first = true;
  for (const auto& [node, line] : page->entries) {
    // Whoever can write there can write anything: it must still be an object.
    boost::system::error_code error;
    boost::json::value value = boost::json::parse(line, error);
    if (error || !value.is_object() || !value.get_object().contains("seq")) continue;
    value.get_object()["node"] = node;
    out += (first ? "" : ",") + boost::json::serialize(value);
    first = false;
  }
  return out +
         (page->before.empty() ? R"(],"before":null})" : fmt::format(R"(],"before":"{}"}})", page->before));
}

}  // namespace wafd::console
