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
    note_failed(*done ? std::string() : done->error().what);
    if (!*done) {
      next_ms_ = steady_ms + kRetryMs;
    } else if (part_ == 0) {
      place(**done);
    } else if ((*done)->seq < 0) {
      parts_.warn(
          fmt::format("console: the copy of audit.log in the fleet's database has another text behind entry "
                      "{}: a node with a copy of this state folder writes there, or somebody changed it; the "
                      "entries begin a new part there",
                      brought_));
      differs_ = brought_ + 1;
      anew_ = true;
      part_ = 0;
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

void FleetAudit::note_failed(const std::string& why) {
  if (!why.empty() && failed_.empty())
    parts_.warn("console: audit.log cannot be copied into the fleet's database: " + why);
  failed_ = why;
}

std::vector<std::string> FleetAudit::notes() const {
  std::vector<std::string> out;
  if (!failed_.empty())
    out.push_back(fmt::format("{} entries of audit.log are not in the fleet's database yet: {}",
                              parts_.log.next_seq() - 1 - brought_, failed_));
  if (differs_ != 0)
    out.push_back(
        fmt::format("The copy of audit.log in the fleet's database had another text at entry {}: a new part "
                    "was begun there. Does another node have a copy of this state folder?",
                    differs_));
  return out;
}

// Behind the last line there, if this file has it too; else the file is another one, which begins a part.
void FleetAudit::place(const FleetAuditEnd& end) {
  const auto seq = static_cast<std::uint64_t>(end.seq);
  if (end.part > 0 && !anew_) {
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
  anew_ = false;
  part_ = end.part + 1;
  brought_ = 0;
}

void FleetAudit::bring() {
  const auto lines = parts_.log.behind(brought_, kMaxLines);
  if (lines.empty()) return;
  if (brought_ > 0 && lines.front().first > brought_ + 1)
    parts_.warn(
        fmt::format("console: entries {} to {} of audit.log are missing in its copy in the fleet's "
                    "database: the file was moved on before they were brought",
                    brought_ + 1, lines.front().first - 1));
  std::vector<forward::FleetAuditLine> rows;
  rows.reserve(lines.size());
  for (const auto& [seq, line] : lines)
    rows.push_back({static_cast<std::int64_t>(seq), audit_time_ms(line), line});
  work_.ask([this, rows = std::move(rows), part = part_](const auto& over) {
    return ask_fleet(parts_.database, over, [&](PgConnection& connection) -> PgResult<FleetAuditEnd> {
      auto added = forward::add_audit(connection, parts_.instance, part, parts_.node, rows);
      if (!added) return tl::unexpected(std::move(added.error()));
      if (*added > 0) return FleetAuditEnd{part, -1, {}};
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
