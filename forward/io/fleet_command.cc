#include "forward/io/fleet_command.h"

#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "forward/io/postgres/roles.h"
#include "forward/io/postgres/session.h"
#include "forward/io/postgres_login.h"
#include "forward/io/target_address.h"
#include "forward/io/tls_settings.h"
#include "forward/target/destination.h"
#include "forward/target/target_settings.h"
#include "ingest/io/kit/loop.h"
#include "ingest/io/kit/resolver.h"

namespace wafd::forward {
namespace {

struct Options {
  std::string url, password, ca;
  std::string node = "wafd_node", console = "wafd_console";
};

Result<TargetSettings> read_target(const Options& options) {
  auto members = target_members_of(options.url, "wafd fleet init");
  if (!members) return tl::unexpected(members.error());
  if (members->at("transport").as_string() != "postgresql")
    return fail(ErrorCode::kInvalid,
                "wafd fleet init: expected postgresql://USER@HOST:PORT/DATABASE?sslmode=MODE");
  (*members)["name"] = "fleet";
  if (!options.password.empty()) members->at("postgresql").as_object()["password"] = options.password;
  if (!options.ca.empty()) {
    if (!members->contains("tls")) (*members)["tls"] = boost::json::object();
    members->at("tls").as_object()["ca"] = "file:" + options.ca;
  }
  auto target = parse_target(*members);
  if (!target) target.error().what = "wafd fleet init: " + target.error().what;
  return target;
}

Result<std::vector<PgPlace>> places_of(const TargetSettings& target) {
  kit::Loop loop;
  std::optional<kit::ResolveResult> found;
  kit::ResolveQuery query(loop, target.host, {}, [&](kit::ResolveResult result) {
    found = std::move(result);
    loop.stop();
  });
  loop.run();
  if (!found || !*found) return fail(ErrorCode::kMissing, found ? found->error().what : "not resolved");
  const HostPort at = receiver_at(target, 0);
  std::vector<PgPlace> places;
  for (const IpAddress& address : **found) {
    auto allowed = check_destination(address, at.port, Transport::kPostgresql, {});
    if (!allowed) return tl::unexpected(allowed.error());
    places.push_back({tls_name(target.tls, at), address.text(), at.port});
  }
  return places;
}

// Makes the tables, or brings them up; says what it found and did.
PgResult<std::string> init(const PgLogin& login, const PgPlace& place) {
  const StopSignal never;
  auto connection = PgConnection::open(login, place, never);
  if (!connection) return tl::unexpected(connection.error());
  const int server = (*connection)->server_version();
  PgSession session(std::move(*connection));
  if (auto good = session.begin(); !good) return tl::unexpected(good.error());
  const auto before = session.schema();
  if (!before) return tl::unexpected(before.error());
  if (auto good = session.migrate(); !good) return tl::unexpected(good.error());
  const auto after = session.schema();
  if (!after) return tl::unexpected(after.error());
  const std::string were = before->version == 0 ? "made now"
                           : before->version == after->version
                               ? "as they were"
                               : fmt::format("brought up from {}", before->version);
  return fmt::format("{}: PostgreSQL {}.{}, tables of version {}, {}", session.connection().peer(),
                     server / 10'000, server % 10'000, after->version, were);
}

int run_init(const Options& options) {
  const auto target = read_target(options);
  if (!target) {
    fmt::print(stderr, "{}\n", target.error().what);
    return 2;
  }
  const auto login = postgres_login(*target);
  if (!login) {
    fmt::print(stderr, "wafd fleet init: {}\n", login.error().what);
    return 2;
  }
  const auto places = places_of(*target);
  if (!places) {
    fmt::print(stderr, "wafd fleet init: {}: {}\n", target->host, places.error().what);
    return 1;
  }
  std::string why;
  for (const PgPlace& place : *places) {
    const auto done = init(*login, place);
    if (done) {
      fmt::print("{}\nRoles of little rights: wafd fleet roles\n", *done);
      return 0;
    }
    why = done.error().hint.empty() ? done.error().what
                                    : fmt::format("{} ({})", done.error().what, done.error().hint);
    fmt::print(stderr, "wafd fleet init: {}\n", why);
  }
  return 1;
}

}  // namespace

void add_fleet_command(CLI::App& app, int& status) {
  auto options = std::make_shared<Options>();
  CLI::App* fleet = app.add_subcommand("fleet", "The PostgreSQL database of many nodes");
  fleet->require_subcommand(1);
  CLI::App* init = fleet->add_subcommand(
      "init", "Make the tables in a database, or bring them up to this version; as their owner");
  init->add_option("URL", options->url,
                   "postgresql://USER@HOST:PORT/DATABASE?sslmode=verify-full|require|disable")
      ->required();
  init->add_option("--password", options->password,
                   "Of the user: file:/PATH, or the text itself, which others see in the list of processes")
      ->type_name("TEXT");
  init->add_option("--ca", options->ca, "PEM of who signed the server's certificate; default: the system's")
      ->type_name("FILE");
  init->callback([options, &status] { status = run_init(*options); });
  CLI::App* roles = fleet->add_subcommand(
      "roles",
      "Print the SQL that makes the roles of nodes and consoles; for psql, as the owner of the tables");
  roles->add_option("--node", options->node, "Name of the role of nodes")->type_name("NAME");
  roles->add_option("--console", options->console, "Name of the role of consoles")->type_name("NAME");
  roles->callback([options, &status] {
    const auto sql = roles_sql(options->node, options->console);
    if (sql)
      fmt::print("{}", *sql);
    else
      fmt::print(stderr, "wafd fleet roles: {}\n", sql.error().what);
    status = sql ? 0 : 2;
  });
}

}  // namespace wafd::forward
