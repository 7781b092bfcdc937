// A fleet on one machine: nodes as processes that write into one PostgreSQL beside bare COPY of the same
// rows, and what consoles ask of many events beside a bare scan of the same day.
#include <chrono>
#include <cstdio>
#include <functional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sys/wait.h>

#include "bench/forward/bench_kit.h"
#include "forward/io/postgres/copy_row.h"
#include "forward/io/postgres/fleet_events.h"
#include "forward/io/postgres/session.h"
#include "forward/io/target_runner.h"
#include "tests/support/real_postgres.h"

using namespace wafd;
using namespace wafd::forward;

namespace {

struct Options {
  int nodes = 4;
  std::uint64_t events = 40'000;  // of all nodes together
  std::uint64_t rows = 1'000'000;
  int days = 5;
  int rounds = 5;
  bool check = false;
};

constexpr std::size_t kPiece = 2000;  // rows a transaction, as delivery has it
constexpr std::int64_t kDayMs = 86'400'000;
constexpr std::int64_t kFirstMs = 1'760'054'400'000;  // a midnight

double wall_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
class Database {
 public:
  explicit Database(std::uint16_t port) {
    PgLogin login;
    login.database = "postgres";
    login.user = test::RealPostgres::kOwner;
    login.password = "secret";
    login.encrypted = false;
    connection_ = std::move(PgConnection::open(login, {"127.0.0.1", "127.0.0.1", port}, stop_).value());
    connection_->be_patient(true);
  }
  PgConnection& operator*() noexcept { return *connection_; }
  PgConnection* operator->() noexcept { return connection_.get(); }
  std::unique_ptr<PgConnection> take() { return std::move(connection_); }

 private:
  StopSignal stop_;
  std::unique_ptr<PgConnection> connection_;
};

TargetSettings fleet_target(std::uint16_t port) {
  TargetSettings t =
      bench::target(Transport::kPostgresql, *Endpoint::parse(fmt::format("127.0.0.1:{}", port)));
  t.max_message_bytes = 1 << 20;
  t.postgresql = {"postgres", test::RealPostgres::kOwner, "secret", 0, 0};
  t.tls.enabled = false;
  return t;
}

// One node: a ring of its own, which is full before `go` is closed, and the delivery of it.
int run_node(std::uint16_t port, std::uint64_t events, int node, int ready, int go) {
  bench::Rig rig(events * 4096 + (64u << 20));
  for (std::uint64_t i = 0; i < events; ++i) rig.append(EventId::make(rig.random));
  rusage before{};
  getrusage(RUSAGE_SELF, &before);
  char byte = 0;
  if (::write(ready, &byte, 1) != 1 || ::read(go, &byte, 1) < 0) return 1;
  kit::Loop loop;
  const std::string name = fmt::format("node-{}", node);
  RunnerParts parts{.loop = loop, .clock = rig.clock, .random = rig.random, .ring = *rig.ring, .node = name};
  parts.on_progress = [&](const TargetRunner& r) {
    if (r.counters().acknowledged >= events) loop.stop();
  };
  TargetRunner runner(parts, fleet_target(port), EventQuery(), {rig.ring->oldest(), 0});
  runner.start();
  loop.run();
  rusage after{};
  getrusage(RUSAGE_SELF, &after);
  const auto us = [](const rusage& u) {
    return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1'000'000 + u.ru_utime.tv_usec + u.ru_stime.tv_usec;
  };
  const std::int64_t spent = us(after) - us(before);
  return ::write(ready, &spent, sizeof spent) == sizeof spent ? 0 : 1;
}

// Runs `work` of each of so many processes at once; the seconds that all together took, and what each spent
// of the processor, in microseconds.
struct Run {
  double wall_s = 0;
  double cpu_s = 0;
};
Run run_all(int processes, const std::function<int(int number, int ready, int go)>& work) {
  std::vector<pid_t> children;
  std::vector<int> ready;
  int go[2];
  if (::pipe(go) != 0) std::abort();
  for (int i = 0; i < processes; ++i) {
    int said[2];
    if (::pipe(said) != 0) std::abort();
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(go[1]);
      const int status = work(i, said[1], go[0]);
      std::fflush(stdout);
      _exit(status);
    }
    ::close(said[1]);
    children.push_back(child);
    ready.push_back(said[0]);
  }
  char byte = 0;
  for (const int from : ready)
    if (::read(from, &byte, 1) != 1) throw std::runtime_error("a process did not begin");
  const double begin = wall_s();
  ::close(go[1]);
  Run out;
  for (const int from : ready) {
    std::int64_t spent = 0;
    if (::read(from, &spent, sizeof spent) != sizeof spent) throw std::runtime_error("a process failed");
    out.cpu_s += static_cast<double>(spent) / 1e6;
    ::close(from);
  }
  out.wall_s = wall_s() - begin;
  ::close(go[0]);
  for (const pid_t child : children) ::waitpid(child, nullptr, 0);
  return out;
}

// The same rows by as many connections, a transaction for each kPiece of them.
int run_copy(std::uint16_t port, const std::vector<std::string>& pieces, int ready, int go) {
  Database database(port);
  char byte = 0;
  if (::write(ready, &byte, 1) != 1 || ::read(go, &byte, 1) < 0) return 1;
  const double before = bench::thread_cpu_s();
  for (const std::string& piece : pieces)
    if (auto done = database->copy("COPY bare FROM STDIN", piece); !done) return 2;
  const auto spent = static_cast<std::int64_t>((bench::thread_cpu_s() - before) * 1e6);
  return ::write(ready, &spent, sizeof spent) == sizeof spent ? 0 : 1;
}

std::vector<std::string> pieces_of(const std::vector<std::string>& lines, std::size_t part,
                                   std::size_t parts) {
  std::vector<std::string> out;
  std::size_t in = kPiece;
  for (std::size_t i = part; i < lines.size(); i += parts) {
    if (in++ == kPiece) out.emplace_back(), in = 1;
    out.back() += lines[i];
  }
  return out;
}

// As COPY ... TO STDOUT gives them.
std::vector<std::string> rows_as_text(std::uint16_t port) {
  const std::string at = std::to_string(port);
  const char* names[] = {"host", "port", "dbname", "user", "password", nullptr};
  const char* values[] = {"127.0.0.1", at.c_str(), "postgres", test::RealPostgres::kOwner, "secret", nullptr};
  PGconn* handle = PQconnectdbParams(names, values, 0);
  PQclear(PQexec(handle, "COPY (SELECT * FROM wafd_events) TO STDOUT"));
  std::vector<std::string> rows;
  char* row = nullptr;
  for (int size = 0; (size = PQgetCopyData(handle, &row, 0)) > 0; PQfreemem(row))
    rows.emplace_back(row, static_cast<std::size_t>(size));
  PQfinish(handle);
  return rows;
}

bool writing(const test::RealPostgres& server, const Options& options) {
  const std::uint64_t each = options.events / static_cast<std::uint64_t>(options.nodes);
  const auto nodes = [&](int number, int ready, int go) {
    return run_node(server.port, each, number, ready, go);
  };
  std::vector<std::string> lines;
  std::vector<double> ours, bare, ratios, cpu, bare_cpu;
  for (int round = 0; round < 3; ++round) {
    server.sql("TRUNCATE wafd_events; CHECKPOINT");
    const Run run = run_all(options.nodes, nodes);
    if (lines.empty()) {
      lines = rows_as_text(server.port);
      server.sql("CREATE TABLE bare (LIKE wafd_events INCLUDING ALL)");
    }
    server.sql("TRUNCATE bare; CHECKPOINT");
    std::vector<std::vector<std::string>> pieces;
    for (int i = 0; i < options.nodes; ++i)
      pieces.push_back(
          pieces_of(lines, static_cast<std::size_t>(i), static_cast<std::size_t>(options.nodes)));
    const Run copied = run_all(options.nodes, [&](int number, int ready, int go) {
      return run_copy(server.port, pieces[static_cast<std::size_t>(number)], ready, go);
    });
    const double count = static_cast<double>(lines.size());
    ours.push_back(count / run.wall_s), bare.push_back(count / copied.wall_s);
    ratios.push_back(copied.wall_s / run.wall_s);
    cpu.push_back(run.cpu_s / count * 1e6), bare_cpu.push_back(copied.cpu_s / count * 1e6);
  }
  server.sql("DROP TABLE bare; TRUNCATE wafd_events");
  fmt::print(
      "write: {} events of {} nodes: {:.0f} a second, bare COPY by as many connections {:.0f}, ratio {:.2f} "
      "(of each "
      "round {:.2f} to {:.2f}); CPU of the nodes {:.1f} s a million, of bare COPY's clients {:.1f}\n",
      lines.size(), options.nodes, bench::median(ours), bench::median(bare), bench::median(ratios),
      bench::percentile(ratios, 0), bench::percentile(ratios, 1), bench::median(cpu),
      bench::median(bare_cpu));
  std::fflush(stdout);
  return bench::median(ratios) >= 0.6;
}

// Rows made of one record by the server itself: times even over the days, addresses of 50,000, 20 hosts,
// paths of which a thousand, one in ten thousand with a word that is nowhere else.
void fill(const test::RealPostgres& server, Database& database, const Options& options) {
  PgSession session(database.take());
  if (auto made = session.begin(); !made) throw std::runtime_error(made.error().what);
  session.connection().be_patient(true);
  if (auto set = session.connection().run("SET statement_timeout = 0"); !set)
    throw std::runtime_error(set.error().what);
  for (int day = 0; day < options.days; ++day) {
    const std::string date = date_text(day_of(kFirstMs + day * kDayMs));
    server.sql(fmt::format("SELECT wafd_make_days('{0}'::date, '{0}'::date)", date));
  }
  kit::SystemRandom random;
  ZoneTime utc;
  const EventRecord record = bench::ordinary_record(EventId::make(random), kFirstMs * 1000, utc);
  const double begin = wall_s();
  const std::uint64_t step = 10'000;
  for (std::uint64_t at = 0; at < options.rows; at += step) {
    const std::string sql = fmt::format(
        "INSERT INTO wafd_events (day, event_id, time, node, seq, site, action, attack_type, risk, src_ip, "
        "host, path, "
        "rule, record) SELECT (t AT TIME ZONE 'UTC')::date, gen_random_uuid(), t, 'node-' || i % 50, i, i % "
        "20, "
        "(ARRAY['deny','monitor','deny','allow'])[1 + i % 4], "
        "(ARRAY['sqli','xss','cmd_injection','path_traversal'])[1 + "
        "(i / 7) % 4], (ARRAY['high','medium','low'])[1 + i % 3], ('10.' || (i * 7919 % 50000) / 250 || '.' "
        "|| (i * "
        "7919 % 50000) % 250 || '.1')::inet, 'shop-' || i % 20 || '.example', '/p/' || i % 1000, 'm_sqli/' "
        "|| i % 300, "
        "body || jsonb_build_object('src_ip', '10.' || (i * 7919 % 50000) / 250 || '.' || (i * 7919 % 50000) "
        "% 250 || "
        "'.1', 'node', 'node-' || i % 50, 'host', 'shop-' || i % 20 || '.example', 'urlpath', '/p/' || i % "
        "1000, "
        "'user_agent', md5((i % 5000)::text), 'body', 'q=' || repeat(md5(i::text), 20) || CASE WHEN i % "
        "10000 = 77 THEN "
        "' zanzibar' ELSE '' END) FROM (SELECT i, 'epoch'::timestamptz + ({}::bigint + i * {}::bigint / {}) "
        "* interval "
        "'1 millisecond' AS t, $${}$$::jsonb AS body FROM generate_series({}::bigint, {}) AS i) AS made",
        kFirstMs, options.days * kDayMs, options.rows, record.json, at,
        std::min(at + step, options.rows) - 1);
    if (auto done = session.connection().run(sql); !done) throw std::runtime_error(done.error().what);
  }
  server.sql("VACUUM ANALYZE wafd_events");
  fmt::print(
      "fill: {} rows over {} days in {:.0f} s, {} with indexes, {} of them the rows\n", options.rows,
      options.days, wall_s() - begin,
      server.one(
          "SELECT pg_size_pretty(sum(pg_total_relation_size(inhrelid))) FROM pg_inherits WHERE inhparent = "
          "'wafd_events'::regclass"),
      server.one("SELECT pg_size_pretty(sum(pg_table_size(inhrelid))) FROM pg_inherits WHERE inhparent = "
                 "'wafd_events'::regclass"));
  std::fflush(stdout);
}

class Asking {
 public:
  Asking(std::uint16_t port, const Options& options)
      : database_(port), options_(options), events_(*database_) {
    if (auto begun = events_.begin(60'000); !begun) throw std::runtime_error(begun.error().what);
  }

  FleetFilter filter(const std::string& query, int days) const {
    FleetFilter out;
    out.query = *EventQuery::parse(query);
    const std::int64_t end_ms = kFirstMs + options_.days * kDayMs;
    out.from_ms = end_ms - days * kDayMs;
    out.to_ms = end_ms;
    return out;
  }
  // The median of the rounds, without the first, which fills caches.
  template <class Ask>
  double ms(const Ask& ask) {
    std::vector<double> taken;
    for (int round = 0; round <= options_.rounds; ++round) {
      const double begin = wall_s();
      const auto answer = ask();
      if (!answer) throw std::runtime_error(answer.error().what);
      if (round > 0) taken.push_back((wall_s() - begin) * 1e3);
    }
    return bench::median(taken);
  }
  void say(const char* name, double taken_ms, double limit_ms, const char* bare_name, double bare_ms) {
    good_ &= taken_ms <= limit_ms;
    fmt::print("ask: {:<34} {:8.1f} ms (limit {:.0f}){}  {} {:.1f} ms\n", name, taken_ms, limit_ms,
               taken_ms <= limit_ms ? "" : " MISSED", bare_name, bare_ms);
    std::fflush(stdout);
  }
  void all() {
    const FleetFilter day = filter("", 1);
    const std::string date = date_text(day_of(*day.from_ms));
    const double scan = ms([&] {
      return database_->run(
          fmt::format("SELECT count(*), max(length(record::text)) FROM wafd_events WHERE day = '{}'", date));
    });
    const double index = ms([&] {
      return database_->run(fmt::format("SELECT count(*) FROM wafd_events WHERE day = '{}'", date));
    });
    const char *bare = "bare scan of the day with its records", *count = "bare count(*) of the day";
    say("list of a day, 100", ms([&] { return events_.list(day, 100); }), 300, count, index);
    say("histogram of a day, 100 buckets", ms([&] { return events_.count(day, kDayMs / 100, {}, 0); }), 300,
        count, index);
    say("top list of a day (src)", ms([&] { return events_.count(day, kDayMs, {"src"}, 10); }), 300, count,
        index);
    say("list src:10.77.7.1 of all days",
        ms([&] { return events_.list(filter("src:10.77.7.1", options_.days), 100); }), 300, count, index);
    say("count src:10.77.7.1 of all days",
        ms([&] { return events_.count(filter("src:10.77.7.1", options_.days), kDayMs, {}, 0); }), 300, count,
        index);
    say("free text of a day, count",
        ms([&] { return events_.count(filter("zanzibar", 1), kDayMs / 100, {}, 0); }), 2000, bare, scan);
    say("free text of a day, list", ms([&] { return events_.list(filter("zanzibar", 1), 100); }), 2000, bare,
        scan);
    plan("free text of a day", filter("zanzibar", 1));
    plan("src:10.77.7.1 of all days", filter("src:10.77.7.1", options_.days));
  }
  void plan(const char* name, const FleetFilter& of) {
    const FleetWhere where(of);
    const auto answer = database_->run(
        fmt::format("EXPLAIN (ANALYZE, COSTS OFF) SELECT count(*) FROM wafd_events WHERE {}", where.text()),
        where.parameters());
    if (!answer) throw std::runtime_error(answer.error().what);
    fmt::print("plan: {}\n", name);
    for (int row = 0; row < PQntuples(answer->get()); ++row)
      fmt::print("  {:.150}\n", PQgetvalue(answer->get(), row, 0));
  }
  bool good() const noexcept { return good_; }

 private:
  Database database_;
  const Options& options_;
  FleetEvents events_;
  bool good_ = true;
};

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"A fleet on one machine beside bare PostgreSQL"};
  app.add_option("--nodes", options.nodes, "Processes that write at once")->check(CLI::Range(1, 64));
  app.add_option("--events", options.events, "That they write, all together; 0: none");
  app.add_option("--rows", options.rows, "In the table, when it is asked; 0: nothing is asked");
  app.add_option("--days", options.days, "Over which they lie")->check(CLI::Range(1, 365));
  app.add_option("--rounds", options.rounds, "Of each question")->check(CLI::Range(1, 100));
  app.add_flag("--check", options.check, "Fail where a limit is missed");
  CLI11_PARSE(app, argc, argv);

  test::RealPostgres server;
  server.sql("ALTER SYSTEM SET shared_buffers = '1GB'");
  server.stop(SIGINT);
  server.start();
  {
    Database database(server.port);
    PgSession session(database.take());
    if (auto made = session.begin(); made) made = session.migrate();
    if (auto kept = session.keep({}, day_of(kit::SystemClock().unix_us() / 1000)); !kept)
      throw std::runtime_error(kept.error().what);
  }
  bool good = true;
  if (options.events > 0) good &= writing(server, options);
  if (options.rows > 0) {
    Database database(server.port);
    fill(server, database, options);
    Asking asking(server.port, options);
    asking.all();
    good &= asking.good();
  }
  return options.check && !good ? 1 : 0;
}
