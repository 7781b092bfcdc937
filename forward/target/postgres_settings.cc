#include "forward/target/postgres_settings.h"

namespace wafd::forward {
namespace {

namespace json = boost::json;

// The server cuts longer names in silence (NAMEDATALEN).
constexpr std::int64_t kMaxNameBytes = 63;
constexpr std::int64_t kMaxKeepDays = 36'500;
constexpr std::int64_t kMaxKeepGib = 1'048'576;

constexpr ObjectRow<PostgresSettings> kPostgres[] = {
    rows::plain<&PostgresSettings::database>("database", 1, kMaxNameBytes, false,
                                             published("Which database of the server.")),
    rows::plain<&PostgresSettings::user>("user", 1, kMaxNameBytes, false,
                                         published("The role to log in as.")),
    rows::text<&PostgresSettings::password>("password", 0, 1024,
                                            {"Of the user: text or file:/PATH; empty: none. Never answered."})
        .secret(),
    rows::answered<PostgresSettings>("password_set", R"({"type": "boolean", "readOnly": true})",
                                     {"Whether there is a password."}),
    rows::integer<&PostgresSettings::keep_days>(
        "keep_days", 0, kMaxKeepDays,
        published("Days that are older are dropped; 0: they are kept for ever."))
        .range_published(),
    rows::integer<&PostgresSettings::keep_gib>(
        "keep_gib", 0, kMaxKeepGib,
        published(
            "The oldest days are dropped while all days together take more than that many GiB; 0: no limit."))
        .range_published(),
};

}  // namespace

bool read_postgres(ObjectReader& in, bool wanted, const PostgresSettings* previous, PostgresSettings& out) {
  const json::object* o = in.object("postgresql");
  if (wanted && in.ok() && (!o || o->empty())) {
    in.fail_with("postgresql.database: required");
    return false;
  }
  if (!in.ok() || !o || o->empty()) return false;
  ObjectReader sub(*o, "postgresql.", Wording::kTarget);
  sub.require("database").require("user");
  read_rows(sub, kPostgres, out);
  sub.finish_into(in);
  if (!in.ok() || sub.has("password") || !previous) return false;
  out.password = previous->password;
  return !out.password.empty();
}

json::object to_json(const PostgresSettings& settings, bool with_secrets) {
  if (settings.database.empty()) return {};
  json::object out = write_rows(kPostgres, settings);
  if (!with_secrets) hide_secret(out, "password");
  return out;
}

ObjectDescription describe_postgres() { return describe_rows(kPostgres, false); }

}  // namespace wafd::forward
