// Settings that only a target over PostgreSQL has: which database, as whom, and for how long.
#pragma once

#include <cstdint>
#include <string>

#include <boost/json/object.hpp>

#include "detect/core/error.h"
#include "json/object_rows.h"

namespace wafd::forward {

struct PostgresSettings {
  std::string database;
  std::string user;
  std::string password;         // text or file:/PATH; empty: none; never returned
  std::uint32_t keep_days = 0;  // older days are dropped; 0: kept for ever
  std::uint32_t keep_gib = 0;   // the oldest days are dropped while all take more; 0: no limit
};

// Reads the object `postgresql` out of `in`. `wanted`: the transport is postgresql, so there must be one. A
// password that is not given is that of `previous`, if there is one; returns whether it was taken from there.
bool read_postgres(ObjectReader& in, bool wanted, const PostgresSettings* previous, PostgresSettings& out);

// `{}` of a target that has none.
boost::json::object to_json(const PostgresSettings& settings, bool with_secrets);
ObjectDescription describe_postgres();

}  // namespace wafd::forward
