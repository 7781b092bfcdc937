// Events a second into a real PostgreSQL beside bare COPY of the same rows into a table of the same columns
// and indexes, in the same run: by wall clock, because the database's own work is what both wait for.
#include <chrono>
#include <cstdio>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <libpq-fe.h>

#include "bench/forward/bench_kit.h"
#include "forward/io/target_runner.h"
#include "tests/support/real_postgres.h"

using namespace wafd;
using namespace wafd::forward;

namespace {

constexpr std::size_t kPiece = 2000;  // rows a transaction, as delivery has it

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class Session {
 public:
  explicit Session(std::uint16_t port) {
    const std::string at = std::to_string(port);
    const char* names[] = {"host", "port", "dbname", "user", "password", nullptr};
    const char* values[] = {"127.0.0.1", at.c_str(), "postgres", test::RealPostgres::kOwner,
                            "secret",    nullptr};
    handle_ = PQconnectdbParams(names, values, 0);
    if (PQstatus(handle_) != CONNECTION_OK) throw std::runtime_error(PQerrorMessage(handle_));
  }
  ~Session() { PQfinish(handle_); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  std::vector<std::string> copy_out(const char* sql) {
    expect(PQexec(handle_, sql), PGRES_COPY_OUT);
    std::vector<std::string> rows;
    char* row = nullptr;
    for (int size = 0; (size = PQgetCopyData(handle_, &row, 0)) > 0; PQfreemem(row))
      rows.emplace_back(row, static_cast<std::size_t>(size));
    expect(PQgetResult(handle_), PGRES_COMMAND_OK);
    PQclear(PQgetResult(handle_));
    return rows;
  }
  // A transaction for each `piece` rows.
  void copy_in(const char* sql, const std::vector<std::string>& rows, std::size_t piece) {
    for (std::size_t at = 0; at < rows.size(); at += piece) {
      expect(PQexec(handle_, sql), PGRES_COPY_IN);
      for (std::size_t i = at; i < std::min(at + piece, rows.size()); ++i)
        PQputCopyData(handle_, rows[i].data(), static_cast<int>(rows[i].size()));
      PQputCopyEnd(handle_, nullptr);
      expect(PQgetResult(handle_), PGRES_COMMAND_OK);
      PQclear(PQgetResult(handle_));
    }
  }

 private:
  void expect(PGresult* answer, ExecStatusType wanted) {
    const bool good = PQresultStatus(answer) == wanted;
    const std::string why = PQresultErrorMessage(answer);
    PQclear(answer);
    if (!good) throw std::runtime_error(why);
  }
  PGconn* handle_;
};

double deliver(bench::Rig& rig, const TargetSettings& t, std::uint64_t messages) {
  kit::Loop loop;
  RunnerParts parts{
      .loop = loop, .clock = rig.clock, .random = rig.random, .ring = *rig.ring, .node = "node-1"};
  parts.on_progress = [&](const TargetRunner& r) {
    if (r.counters().acknowledged >= messages) loop.stop();
  };
  TargetRunner runner(parts, t, EventQuery(), {rig.ring->oldest(), 0});
  const double before = now_s();
  runner.start();
  loop.run();
  return now_s() - before;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t messages = 30'000;
  int rounds = 3;
  bool check = false;
  CLI::App app{"Events a second into PostgreSQL beside bare COPY"};
  app.add_option("--messages", messages, "Events a round");
  app.add_option("--rounds", rounds, "Of both, one behind the other");
  app.add_flag("--check", check, "Fail below 0.6 of bare COPY");
  CLI11_PARSE(app, argc, argv);

  const test::RealPostgres server;
  bench::Rig rig(messages * 4096 + (64u << 20));
  std::size_t bytes = 0;
  for (std::uint64_t i = 0; i < messages; ++i) bytes += rig.append(EventId::make(rig.random));
  TargetSettings t =
      bench::target(Transport::kPostgresql, *Endpoint::parse(fmt::format("127.0.0.1:{}", server.port)));
  t.max_message_bytes = 1 << 20;
  t.postgresql = {"postgres", test::RealPostgres::kOwner, "secret", 0, 0};
  t.tls.enabled = false;
  (void)deliver(rig, t, messages);  // makes the tables
  Session session(server.port);
  const auto rows = session.copy_out("COPY (SELECT * FROM wafd_events) TO STDOUT");
  server.sql("CREATE TABLE bare (LIKE wafd_events INCLUDING ALL)");
  std::vector<double> ratios, ours, bare;
  for (int round = 0; round < rounds; ++round) {
    server.sql("TRUNCATE wafd_events; TRUNCATE bare; CHECKPOINT");
    ours.push_back(deliver(rig, t, messages));
    server.sql("CHECKPOINT");
    const double before = now_s();
    session.copy_in("COPY bare FROM STDIN", rows, kPiece);
    bare.push_back(now_s() - before);
    ratios.push_back(bare.back() / ours.back());
  }
  const double count = static_cast<double>(messages);
  fmt::print(
      "{} events of {} bytes: wafd {:.0f} a second, bare COPY {:.0f}, ratio {:.2f} (of each round: {:.2f} to "
      "{:.2f})\n",
      messages, bytes / messages, count / bench::median(ours), count / bench::median(bare),
      bench::median(ratios), bench::percentile(ratios, 0), bench::percentile(ratios, 1));
  return check && bench::median(ratios) < 0.6 ? 1 : 0;
}
