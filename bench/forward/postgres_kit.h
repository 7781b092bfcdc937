// Shared by the programs that measure PostgreSQL: rows by bare libpq, and the target that wafd writes with.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <libpq-fe.h>

#include "bench/forward/bench_kit.h"
#include "tests/support/real_postgres.h"

namespace wafd::bench {

constexpr std::size_t kRowsATransaction = 2000;  // as delivery has it

// Wall clock: the database's own work is what both sides wait for.
inline double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline forward::TargetSettings postgres_target(std::uint16_t port) {
  forward::TargetSettings t =
      target(forward::Transport::kPostgresql, *Endpoint::parse(fmt::format("127.0.0.1:{}", port)));
  t.max_message_bytes = 1 << 20;
  t.postgresql = {"postgres", test::RealPostgres::kOwner, "secret", 0, 0};
  t.tls.enabled = false;
  return t;
}

// A connection that copies, and nothing else; what the server says against it is thrown.
class CopySession {
 public:
  explicit CopySession(std::uint16_t port) {
    const std::string at = std::to_string(port);
    const char* names[] = {"host", "port", "dbname", "user", "password", nullptr};
    const char* values[] = {"127.0.0.1", at.c_str(), "postgres", test::RealPostgres::kOwner,
                            "secret",    nullptr};
    handle_ = PQconnectdbParams(names, values, 0);
    if (PQstatus(handle_) == CONNECTION_OK) return;
    const std::string why = PQerrorMessage(handle_);
    PQfinish(handle_);
    throw std::runtime_error(why);
  }
  ~CopySession() { PQfinish(handle_); }
  CopySession(const CopySession&) = delete;
  CopySession& operator=(const CopySession&) = delete;

  // Rows as text, each with its end of line.
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
  // A transaction for each kRowsATransaction of them.
  void copy_in(const char* sql, const std::vector<std::string>& rows) {
    for (std::size_t at = 0; at < rows.size(); at += kRowsATransaction) {
      expect(PQexec(handle_, sql), PGRES_COPY_IN);
      for (std::size_t i = at; i < std::min(at + kRowsATransaction, rows.size()); ++i)
        PQputCopyData(handle_, rows[i].data(), static_cast<int>(rows[i].size()));
      PQputCopyEnd(handle_, nullptr);
      expect(PQgetResult(handle_), PGRES_COMMAND_OK);
      PQclear(PQgetResult(handle_));
    }
  }

 private:
  static void expect(PGresult* answer, ExecStatusType wanted) {
    const bool good = PQresultStatus(answer) == wanted;
    const std::string why = PQresultErrorMessage(answer);
    PQclear(answer);
    if (!good) throw std::runtime_error(why);
  }
  PGconn* handle_;
};

}  // namespace wafd::bench
