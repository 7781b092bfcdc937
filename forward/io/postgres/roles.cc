#include "forward/io/postgres/roles.h"

#include <algorithm>

#include <fmt/format.h>

#include "detect/core/bytes.h"

namespace wafd::forward {
namespace {

constexpr std::size_t kMaxNameBytes = 63;

constexpr std::string_view kRoles =
    R"(-- Of wafd: run as the owner of its tables; then give each role its password: \password NAME
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{node}') THEN CREATE ROLE {node} LOGIN; END IF;
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{console}') THEN CREATE ROLE {console} LOGIN; END IF;
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO {node}, {console}', current_schema());
END $$;

-- A node writes events and what is told beside them. It reads none, and changes of one what a report on the response
-- says. It reads the settings of the fleet, secrets as they are encrypted. By wafd_drop_days and wafd_drop_bytes it drops days that are no longer kept: those of all nodes.
GRANT INSERT ON wafd_events, wafd_notices TO {node};
GRANT SELECT ON wafd_schema, wafd_settings TO {node};
GRANT EXECUTE ON FUNCTION wafd_add_reports(date[], uuid[], integer[], bigint[], jsonb[]),
  wafd_make_days(date, date), wafd_drop_days(date), wafd_drop_bytes(bigint),
  wafd_beat(text, text, timestamptz, jsonb) TO {node};

-- A console reads everything, changes of events what people say of them, makes versions of the settings, forgets nodes
-- that are no more, keeps accounts and adds to the audit log.
GRANT SELECT ON wafd_events, wafd_notices, wafd_schema, wafd_nodes, wafd_pins TO {console};
GRANT UPDATE (state, label, note, triage_by, triage_at) ON wafd_events TO {console};
GRANT INSERT, UPDATE, DELETE ON wafd_pins TO {console};
GRANT DELETE ON wafd_nodes TO {console};
GRANT SELECT, INSERT, DELETE ON wafd_settings TO {console};
GRANT SELECT, INSERT, UPDATE, DELETE ON wafd_accounts TO {console};
GRANT SELECT, UPDATE ON wafd_accounts_version TO {console};
GRANT SELECT, INSERT ON wafd_audit TO {console};
)";

bool is_name(std::string_view name) noexcept {
  return !name.empty() && name.size() <= kMaxNameBytes && !is_digit(name.front()) &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_lower(c) || is_digit(c) || c == '_'; });
}

}  // namespace

Result<std::string> roles_sql(std::string_view node, std::string_view console) {
  for (const std::string_view name : {node, console})
    if (!is_name(name))
      return fail(ErrorCode::kInvalid,
                  fmt::format("expected names of at most {} small letters, digits and _", kMaxNameBytes));
  return fmt::format(kRoles, fmt::arg("node", node), fmt::arg("console", console));
}

}  // namespace wafd::forward
