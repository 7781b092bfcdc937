// The test of a database, step by step, on a thread of its own: log in, look at the tables, write one row.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <boost/json/object.hpp>

#include "forward/io/postgres/session.h"
#include "forward/io/producers/producer_reaper.h"
#include "ingest/io/kit/loop.h"

namespace wafd::forward {

// Tables that are missing are made, written to and taken back in one transaction: so every right is tried,
// and nothing is left behind. The callback comes on the loop's thread, never from within the constructor, and
// may destroy the trial; the destructor gives up silently.
class PostgresTrial {
 public:
  struct Step {
    std::string stage;  // tls, login, schema, write
    bool ok = true;
    boost::json::object detail;
    std::string error, hint;
    bool committed = false;  // of write: it is there; else it was taken back
  };

  PostgresTrial(kit::Loop& loop, const std::shared_ptr<ProducerReaper>& reaper, PgLogin login, PgPlace place,
                PgRow row, std::function<void(Step)> on_step);
  ~PostgresTrial();
  PostgresTrial(const PostgresTrial&) = delete;
  PostgresTrial& operator=(const PostgresTrial&) = delete;

 private:
  struct Shared;
  std::shared_ptr<ProducerReaper> reaper_;
  std::shared_ptr<Shared> shared_;
};

}  // namespace wafd::forward
