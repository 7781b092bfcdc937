// A fleet on one machine: nodes as processes that write into one PostgreSQL beside bare COPY of the same
// rows, and what consoles ask of many events beside a bare scan of the same day.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <stdexcept>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sys/wait.h>

#include "bench/fleet/console_start.h"
#include "bench/fleet/event_rows.h"
#include "bench/fleet/server_cpu.h"
#include "bench/fleet/settings_followers.h"
#include "bench/forward/postgres_kit.h"
#include "forward/io/postgres/copy_row.h"
#include "forward/io/postgres/fleet_events.h"
#include "forward/io/postgres/session.h"
#include "forward/io/target_runner.h"

using namespace wafd;
using namespace wafd::forward;
using bench::kDayMs;
using bench::kFirstMs;

namespace {

struct Options {
  int nodes = 4;
  std::uint64_t events = 40'000;  // of all nodes together
  std::uint64_t rows = 1'000'000;
  int days = 5;
  int rounds = 5;
  int followers = 50;
  std::string program = WAFD_BUILD_DIR "/wafd";  // empty: nothing is started
  bool check = false;
};

constexpr double kRatioLimit = 0.6;
constexpr double kCpuLimit = 4;     // seconds a million events
constexpr double kFollowLimit = 2;  // seconds
constexpr double kStartLimit = 1;

template <class T>
T must(PgResult<T> done) {
  if (!done) throw std::runtime_error(done.error().what);
  if constexpr (!std::is_void_v<T>) return std::move(*done);
}

class Database {
 public:
  explicit Database(std::uint16_t port) {
    PgLogin login;
    login.database = "postgres";
    login.user = test::RealPostgres::kOwner;
    login.password = "secret";
    login.encrypted = false;
    connection_ = must(PgConnection::open(login, {"127.0.0.1", "127.0.0.1", port}, stop_));
    connection_->be_patient(true);
  }
  PgConnection& operator*() noexcept { return *connection_; }
  PgConnection* operator->() noexcept { return connection_.get(); }
  std::unique_ptr<PgConnection> take() { return std::move(connection_); }

 private:
  StopSignal stop_;
  std::unique_ptr<PgConnection> connection_;
};

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
  TargetRunner runner(parts, bench::postgres_target(port), EventQuery(), {rig.ring->oldest(), 0});
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

// Processes of this program; whoever leaves without waiting for them ends them.
class Children {
 public:
  Children() = default;
  ~Children() {
    for (const pid_t child : pids_) ::kill(child, SIGKILL);
    wait();
  }
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  template <class Work>
  void add(const Work& work) {
    const pid_t child = ::fork();
    if (child < 0) throw std::runtime_error("no further process");
    if (child > 0) return pids_.push_back(child);
    int status = 1;
    try {
      status = work();
    } catch (const std::exception& error) {
      fmt::print(stderr, "fleet_bench: {}\n", error.what());
    }
    std::fflush(stdout);
    _exit(status);
  }
  void wait() {
    for (const pid_t child : pids_) ::waitpid(child, nullptr, 0);
    pids_.clear();
  }

 private:
  std::vector<pid_t> pids_;
};

// Runs `work` in so many processes at once. Each writes a byte to `ready`, waits until `go` is closed, and
// writes what it spent of the processor, in microseconds.
struct Run {
  double wall_s = 0;  // from `go` on until the last is done
  double cpu_s = 0;   // of all together
};
Run run_all(int processes, const std::function<int(int number, int ready, int go)>& work) {
  Children children;
  std::vector<int> ready;
  int go[2];
  if (::pipe(go) != 0) throw std::runtime_error("no pipe");
  for (int i = 0; i < processes; ++i) {
    int said[2];
    if (::pipe(said) != 0) throw std::runtime_error("no pipe");
    children.add([&] {
      ::close(go[1]);
      return work(i, said[1], go[0]);
    });
    ::close(said[1]);
    ready.push_back(said[0]);
  }
  char byte = 0;
  for (const int from : ready)
    if (::read(from, &byte, 1) != 1) throw std::runtime_error("a process did not begin");
  const double begin = bench::now_s();
  ::close(go[1]);
  Run out;
  for (const int from : ready) {
    std::int64_t spent = 0;
    if (::read(from, &spent, sizeof spent) != sizeof spent) throw std::runtime_error("a process failed");
    out.cpu_s += static_cast<double>(spent) / 1e6;
    ::close(from);
  }
  out.wall_s = bench::now_s() - begin;
  ::close(go[0]);
  children.wait();
  return out;
}

// The same rows by as many connections.
int run_copy(std::uint16_t port, const std::vector<std::string>& rows, int ready, int go) {
  bench::CopySession session(port);
  char byte = 0;
  if (::write(ready, &byte, 1) != 1 || ::read(go, &byte, 1) < 0) return 1;
  const double before = bench::thread_cpu_s();
  session.copy_in("COPY bare FROM STDIN", rows);
  const auto spent = static_cast<std::int64_t>((bench::thread_cpu_s() - before) * 1e6);
  return ::write(ready, &spent, sizeof spent) == sizeof spent ? 0 : 1;
}

// The trigrams, which are the last column, as nodes send them: hex digits instead of ones and zeros.
void shorten_bits(std::string& row) {
  const std::size_t tab = row.rfind('\t');
  std::string hex = "x";
  for (std::size_t at = tab + 1; at + 4 < row.size(); at += 4)
    hex += fmt::format("{:x}", std::stoi(row.substr(at, 4), nullptr, 2));
  row.replace(tab + 1, row.size() - tab - 2, hex);
}

// Each connection's share of the rows.
std::vector<std::vector<std::string>> dealt(const std::vector<std::string>& rows, std::size_t parts) {
  std::vector<std::vector<std::string>> out(parts);
  for (std::vector<std::string>& one : out) one.reserve(rows.size() / parts + 1);
  for (std::size_t i = 0; i < rows.size(); ++i) out[i % parts].push_back(rows[i]);
  return out;
}

bool writing(const test::RealPostgres& server, const Options& options) {
  const auto processes = static_cast<std::size_t>(options.nodes);
  const std::uint64_t each = std::max<std::uint64_t>(1, options.events / processes);
  const auto nodes = [&](int number, int ready, int go) {
    return run_node(server.port, each, number, ready, go);
  };
  const auto stored = [&] {
    auto rows = bench::CopySession(server.port).copy_out("COPY (SELECT * FROM wafd_events) TO STDOUT");
    if (rows.size() != each * processes)
      throw std::runtime_error(fmt::format("{} of {} events are stored", rows.size(), each * processes));
    std::for_each(rows.begin(), rows.end(), shorten_bits);
    return rows;
  };
  // As a day's table, and what is compressed there in the same way.
  server.sql(
      "CREATE TABLE bare (LIKE wafd_events INCLUDING ALL) WITH (toast_tuple_target = 128); ALTER DATABASE "
      "postgres SET "
      "default_toast_compression = lz4");
  std::vector<double> ours, bare, ratios, cpu, bare_cpu;
  for (int round = 0; round < 3; ++round) {
    server.sql("TRUNCATE wafd_events; CHECKPOINT");
    const Run run = run_all(options.nodes, nodes);
    const auto rows = dealt(stored(), processes);
    server.sql("TRUNCATE bare; CHECKPOINT");
    const Run copied = run_all(options.nodes, [&](int number, int ready, int go) {
      return run_copy(server.port, rows[static_cast<std::size_t>(number)], ready, go);
    });
    const double count = static_cast<double>(each * processes);
    ours.push_back(count / run.wall_s), bare.push_back(count / copied.wall_s);
    ratios.push_back(copied.wall_s / run.wall_s);
    cpu.push_back(run.cpu_s / count * 1e6), bare_cpu.push_back(copied.cpu_s / count * 1e6);
  }
  server.sql("DROP TABLE bare; TRUNCATE wafd_events");
  const bool fast = bench::median(ratios) >= kRatioLimit, cheap = bench::median(cpu) <= kCpuLimit;
  fmt::print(
      "write: {} events of {} nodes: {:.0f} a second, bare COPY by as many connections {:.0f}, ratio {:.2f} "
      "(limit {}{}; of each round {:.2f} to {:.2f})\n"
      "write: CPU of the nodes {:.2f} s a million (limit {}{}), of bare COPY's clients {:.2f}\n",
      each * processes, options.nodes, bench::median(ours), bench::median(bare), bench::median(ratios),
      kRatioLimit, fast ? "" : ", MISSED", bench::percentile(ratios, 0), bench::percentile(ratios, 1),
      bench::median(cpu), kCpuLimit, cheap ? "" : ", MISSED", bench::median(bare_cpu));
  std::fflush(stdout);
  return fast && cheap;
}

class Asking {
 public:
  Asking(std::uint16_t port, const Options& options)
      : database_(port), options_(options), events_(*database_), cpu_(session_pid()) {
    must(events_.begin(60'000));
  }

  FleetFilter filter(const std::string& query, int days) const {
    FleetFilter out;
    out.query = *EventQuery::parse(query);
    const std::int64_t end_ms = kFirstMs + options_.days * kDayMs;
    out.from_ms = end_ms - days * kDayMs;
    out.to_ms = end_ms;
    return out;
  }
  // Medians of the rounds, without the first, which fills caches.
  struct Cost {
    double wall_ms = 0, cpu_ms = 0;  // of the server, all its processes together
  };
  template <class Ask>
  Cost cost(const Ask& ask) {
    std::vector<double> wall, cpu;
    for (int round = 0; round <= options_.rounds; ++round) {
      const double spent = cpu_.ms(), begin = bench::now_s();
      const auto answer = must(ask());
      const double taken = bench::now_s() - begin;
      if (round == 0) continue;
      wall.push_back(taken * 1e3), cpu.push_back(cpu_.ms() - spent);
    }
    return {bench::median(wall), bench::median(cpu)};
  }
  void say(const char* name, const Cost& found, double limit_ms, const char* bare_name, const Cost& bare) {
    good_ &= found.wall_ms <= limit_ms;
    fmt::print(
        "ask: {:<34} {:7.0f} ms (limit {:.0f}{}), CPU of the server {:5.0f}; {} {:.0f} ms, CPU {:.0f}\n",
        name, found.wall_ms, limit_ms, found.wall_ms <= limit_ms ? "" : ", MISSED", found.cpu_ms, bare_name,
        bare.wall_ms, bare.cpu_ms);
    std::fflush(stdout);
  }
  void all() {
    const FleetFilter day = filter("", 1);
    const std::string date = date_text(day_of(*day.from_ms));
    const Cost scan = cost([&] {
      return database_->run(
          fmt::format("SELECT count(*), max(length(record::text)) FROM wafd_events WHERE day = '{}'", date));
    });
    const Cost index = cost([&] {
      return database_->run(fmt::format("SELECT count(*) FROM wafd_events WHERE day = '{}'", date));
    });
    const char *bare = "bare scan of the day with its records", *count = "bare count(*) of the day";
    say("list of a day, 100", cost([&] { return events_.list(day, 100); }), 300, count, index);
    say("histogram of a day, 100 buckets", cost([&] { return events_.count(day, kDayMs / 100, {}, 0); }), 300,
        count, index);
    say("top list of a day (src)", cost([&] { return events_.count(day, kDayMs, {"src"}, 10); }), 300, count,
        index);
    say("list src:10.77.7.1 of all days",
        cost([&] { return events_.list(filter("src:10.77.7.1", options_.days), 100); }), 300, count, index);
    say("count src:10.77.7.1 of all days",
        cost([&] { return events_.count(filter("src:10.77.7.1", options_.days), kDayMs, {}, 0); }), 300,
        count, index);
    say("free text of a day, count",
        cost([&] { return events_.count(filter("zanzibar", 1), kDayMs / 100, {}, 0); }), 2000, bare, scan);
    say("free text of a day, list", cost([&] { return events_.list(filter("zanzibar", 1), 100); }), 2000,
        bare, scan);
    plan("free text of a day", filter("zanzibar", 1));
    plan("src:10.77.7.1 of all days", filter("src:10.77.7.1", options_.days));
  }
  void plan(const char* name, const FleetFilter& of) {
    const FleetWhere where(of);
    const PgAnswer answer =
        must(database_->run(fmt::format("EXPLAIN (ANALYZE, COSTS OFF) SELECT count(*) FROM {} WHERE {}",
                                        where.from(), where.text()),
                            where.parameters()));
    fmt::print("plan: {}\n", name);
    for (int row = 0; row < PQntuples(answer.get()); ++row)
      fmt::print("  {:.150}\n", PQgetvalue(answer.get(), row, 0));
  }
  bool good() const noexcept { return good_; }

 private:
  std::string session_pid() {
    return PQgetvalue(must(database_->run("SELECT pg_backend_pid()")).get(), 0, 0);
  }

  Database database_;
  const Options& options_;
  FleetEvents events_;
  bench::ServerCpu cpu_;
  bool good_ = true;
};

bool following(const test::RealPostgres& server, const Options& options) {
  const bench::Followed found = bench::follow_settings(server.port, options.followers, options.rounds);
  const bool fast = found.last_s <= kFollowLimit;
  fmt::print(
      "settings: {} nodes have a new version after {:.2f} s (limit {:.0f}{}), bare read of it {:.1f} ms\n",
      options.followers, found.last_s, kFollowLimit, fast ? "" : ", MISSED", found.one_read_s * 1e3);
  std::fflush(stdout);
  return fast;
}

bool starting(const test::RealPostgres& server, const Options& options) {
  const bench::Started found = bench::start_consoles(options.program, server.port, options.rounds);
  const bool fast = found.fleet_s <= kStartLimit;
  fmt::print(
      "start: a console of the fleet is ready after {:.2f} s (limit {:.0f}{}), one without a fleet {:.2f} "
      "s\n",
      found.fleet_s, kStartLimit, fast ? "" : ", MISSED", found.alone_s);
  std::fflush(stdout);
  return fast;
}

bool run(const Options& options) {
  test::RealPostgres server;
  server.sql("ALTER SYSTEM SET shared_buffers = '1GB'");
  server.sql("ALTER SYSTEM SET max_connections = 200");
  server.stop(SIGINT);
  server.start();
  {
    Database database(server.port);
    PgSession session(database.take());
    must(session.begin());
    must(session.migrate());
    must(session.keep({}, day_of(kit::SystemClock().unix_us() / 1000)));
  }
  bool good = true;
  if (options.followers > 0) good &= following(server, options);
  if (options.events > 0) good &= writing(server, options);
  if (options.rows > 0) {
    bench::fill(server, options.rows, options.days);
    Asking asking(server.port, options);
    asking.all();
    good &= asking.good();
  }
  if (!options.program.empty()) good &= starting(server, options);
  return good;
}

}  // namespace

int main(int argc, char** argv) try {
  Options options;
  CLI::App app{"A fleet on one machine beside bare PostgreSQL"};
  app.add_option("--nodes", options.nodes, "Processes that write at once")->check(CLI::Range(1, 24));
  app.add_option("--events", options.events, "That they write, all together; 0: none");
  app.add_option("--rows", options.rows, "In the table, when it is asked; 0: nothing is asked");
  app.add_option("--days", options.days, "Over which they lie")->check(CLI::Range(1, 365));
  app.add_option("--rounds", options.rounds, "Of each question")->check(CLI::Range(1, 100));
  app.add_option("--followers", options.followers, "Nodes that follow the settings; 0: none")
      ->check(CLI::Range(0, 150));
  app.add_option("--wafd", options.program, "The program whose console is started; empty: none");
  app.add_flag("--check", options.check, "Fail where a limit is missed");
  CLI11_PARSE(app, argc, argv);

  return run(options) || !options.check ? 0 : 1;
} catch (const std::exception& error) {
  fmt::print(stderr, "fleet_bench: {}\n", error.what());
  return 2;
}
