#include "forward/io/fleet_command.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "detect/core/plain_text.h"
#include "forward/io/fleet_address.h"
#include "forward/io/fleet_database.h"
#include "forward/io/postgres/fleet_events.h"
#include "forward/io/postgres/roles.h"
#include "forward/io/postgres/session.h"
#include "forward/io/postgres_login.h"
#include "forward/query/event_line.h"
#include "forward/target/target_settings.h"
#include "ingest/io/kit/system.h"

namespace wafd::forward {
namespace {

struct FleetOptions {
  std::string url, password, ca;
  std::string node = "wafd_node", console = "wafd_console";
  std::string query, top;
  std::size_t limit = 100;
  std::int64_t hours = 24;
  bool json = false;
};

// A message of a database, shortened and safe for a terminal.
std::string printable_cut(std::string_view text) { return plain_text_of(text.substr(0, 200)); }

// Makes the tables, or brings them up; says what it found and did.
PgResult<std::string> init_tables(std::unique_ptr<PgConnection> connection) {
  const int server = connection->server_version();
  PgSession session(std::move(connection));
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
  return fmt::format(
      "{}: PostgreSQL {}.{}, tables of version {}, {}\nRoles of little rights: wafd fleet roles\n",
      session.connection().peer(), server / 10'000, server % 10'000, after->version, were);
}

PgResult<std::string> events(const FleetOptions& options, const FleetFilter& filter,
                             PgConnection& connection) {
  FleetEvents source(connection);
  if (auto good = source.begin(); !good) return tl::unexpected(good.error());
  std::string out;
  if (!options.top.empty()) {
    // All times are one bucket: a row of the answer for every millisecond would be thrown away.
    const auto counts = source.count(filter, INT64_MAX, {options.top}, options.limit);
    if (!counts) return tl::unexpected(counts.error());
    for (const FleetValue& value : counts->tops.front().values)
      fmt::format_to(std::back_inserter(out), "{:>10} {}\n", value.count(), printable_cut(value.value));
    return out;
  }
  const auto list = source.list(filter, options.limit);
  if (!list) return tl::unexpected(list.error());
  for (auto event = list->rbegin(); event != list->rend(); ++event)
    out += options.json ? event->record + "\n" : printable_cut(event->node) + " " + event_line(event->record);
  return out;
}

// Reads address and files, then tries each place until one answers with a text to print.
int at_database(const FleetOptions& options,
                const std::function<PgResult<std::string>(std::unique_ptr<PgConnection>)>& work) {
  const auto target = read_fleet_address({options.url, options.password, options.ca}, "wafd fleet");
  if (!target) {
    fmt::print(stderr, "{}\n", target.error().what);
    return 2;
  }
  const auto login = postgres_login(*target);
  if (!login) {
    fmt::print(stderr, "wafd fleet: {}\n", login.error().what);
    return 2;
  }
  const StopSignal never;
  const auto places = resolve_fleet(*target, never);
  if (!places) {
    fmt::print(stderr, "wafd fleet: {}: {}\n", target->host, places.error().what);
    return 1;
  }
  for (const PgPlace& place : *places) {
    auto connection = PgConnection::open(*login, place, never);
    const PgResult<std::string> done =
        connection ? work(std::move(*connection)) : tl::unexpected(connection.error());
    if (done) {
      fmt::print("{}", *done);
      return 0;
    }
    fmt::print(stderr, "wafd fleet: {}\n", text_of(done.error()));
  }
  return 1;
}

int run_events(const FleetOptions& options) {
  auto query = EventQuery::parse(options.query);
  if (!query) {
    fmt::print(stderr, "wafd: query, at character {}: {}\n", query.error().offset + 1, query.error().what);
    return 2;
  }
  FleetFilter filter;
  filter.query = std::move(*query);
  if (options.hours > 0) filter.from_ms = kit::SystemClock().unix_us() / 1000 - options.hours * 3'600'000;
  return at_database(options, [&](std::unique_ptr<PgConnection> connection) {
    return events(options, filter, *connection);
  });
}

}  // namespace

void add_fleet_command(CLI::App& app, int& status) {
  auto options = std::make_shared<FleetOptions>();
  CLI::App* fleet = app.add_subcommand("fleet", "The PostgreSQL database of many nodes");
  fleet->require_subcommand(1);
  CLI::App* init = fleet->add_subcommand(
      "init", "Make the tables in a database, or bring them up to this version; as their owner");
  CLI::App* list =
      fleet->add_subcommand("events", "Print events of all nodes, the oldest first; as a reader");
  for (CLI::App* command : {init, list}) {
    command
        ->add_option("URL", options->url,
                     "postgresql://USER@HOST:PORT/DATABASE. Without ?sslmode the certificate is verified; "
                     "require encrypts only; disable does not encrypt")
        ->required();
    command
        ->add_option("--password", options->password,
                     "Of the user: file:/PATH, or the text itself, which others see in the list of processes")
        ->type_name("TEXT");
    command
        ->add_option("--ca", options->ca, "PEM of who signed the server's certificate; default: the system's")
        ->type_name("FILE");
  }
  list->add_option("query", options->query, "Which events, as in the console: node:edge-1 type:sqli")
      ->type_name("QUERY");
  list->add_option("--hours", options->hours, "How far back; 0: all there are")
      ->check(CLI::Range(0, 876'000))
      ->capture_default_str();
  list->add_option("--limit", options->limit, "At most that many, the newest")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  list->add_option("--top", options->top, "Instead: the most frequent values of a field, and how often")
      ->type_name("FIELD");
  list->add_flag("--json", options->json, "One JSON record a line");
  list->callback([options, &status] { status = run_events(*options); });
  init->callback([options, &status] { status = at_database(*options, init_tables); });
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
