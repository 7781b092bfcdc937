// Many events in a table: a day of them as a node writes rows, the others by the server.
#pragma once

#include <cstdint>

#include "tests/support/real_postgres.h"

namespace wafd::bench {

constexpr std::int64_t kDayMs = 86'400'000;
constexpr std::int64_t kFirstMs = 1'760'054'400'000;  // a midnight

// `rows` over `days` days from kFirstMs on, made of one record: times even over the day, 50,000 addresses (or
// as many as a day has rows), 50 nodes, 20 hosts, 1,000 paths, 300 rules, bodies of 640 hex digits of which
// half repeat the others, in one of 10,000 the word "zanzibar"; each further day is the first with other ids.
// A day is filled before it has indexes, and is not logged; two are made at once. Prints how long it took.
void fill(const test::RealPostgres& server, std::uint64_t rows, int days);

}  // namespace wafd::bench
