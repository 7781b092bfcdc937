// A real PostgreSQL as the database of a fleet, for tests of consoles.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "forward/io/fleet_address.h"
#include "forward/io/postgres/connection.h"
#include "tests/support/real_postgres.h"

namespace wafd::test {

inline forward::TargetSettings fleet_place(std::uint16_t port,
                                           const std::string& user = RealPostgres::kOwner) {
  return forward::read_fleet_address(
             {fmt::format("postgresql://{}@127.0.0.1:{}/postgres?sslmode=disable", user, port), "secret", ""},
             "test")
      .value();
}

inline std::unique_ptr<forward::PgConnection> owner_connection(std::uint16_t port,
                                                               const forward::StopSignal& stop) {
  forward::PgLogin login;
  login.database = "postgres";
  login.user = RealPostgres::kOwner;
  login.password = "secret";
  login.encrypted = false;
  return std::move(forward::PgConnection::open(login, {"127.0.0.1", "127.0.0.1", port}, stop).value());
}

// One server for all tests of a suite, with an empty database for each.
class OnSharedPostgres : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared_server() = std::make_unique<RealPostgres>();
    runs() = true;
  }
  static void TearDownTestSuite() { shared_server().reset(); }

  OnSharedPostgres() {
    if (!runs()) start_server();
    server.sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
  }
  void stop_server() {
    server.stop(SIGQUIT);
    runs() = false;
  }
  void start_server() {
    server.start();
    runs() = true;
  }

 private:
  static std::unique_ptr<RealPostgres>& shared_server() {
    static std::unique_ptr<RealPostgres> made;
    return made;
  }
  static bool& runs() {
    static bool it_does = true;
    return it_does;
  }

 protected:
  RealPostgres& server = *shared_server();
  forward::StopSignal stop;
};

}  // namespace wafd::test
