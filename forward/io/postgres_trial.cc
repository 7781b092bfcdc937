#include "forward/io/postgres_trial.h"

#include <mutex>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace wafd::forward {
namespace {

constexpr std::int64_t kLogInMs = 5000;

std::string version_text(int version) {
  return fmt::format("PostgreSQL {}.{}", version / 10'000, version % 10'000);
}

}  // namespace

struct PostgresTrial::Shared : std::enable_shared_from_this<Shared> {
  kit::Loop* loop = nullptr;  // under mutex; null: the trial is gone
  std::mutex mutex;
  StopSignal stop;
  PgLogin login;
  PgPlace place;
  PgRow row;
  std::function<void(Step)> on_step;  // the loop's thread alone

  void tell(Step step) {
    const std::scoped_lock lock(mutex);
    if (loop == nullptr) return;
    loop->post([self = shared_from_this(), step = std::move(step)] {
      const auto on = self->on_step;
      if (on) on(step);
    });
  }
  void failed(std::string stage, const PgError& error, boost::json::object detail = {}) {
    tell({std::move(stage), false, std::move(detail), error.what, error.hint});
  }

  void run() {
    auto connection = PgConnection::open(login, place, stop, kLogInMs);
    const bool in_login = !connection && connection.error().stage == PgStage::kLogin;
    if (login.encrypted && (connection || in_login))
      tell({"tls",
            true,
            {{"version", connection ? (*connection)->tls_version() : ""}, {"verified", login.verify}},
            "",
            ""});
    if (!connection) return failed(login.encrypted && !in_login ? "tls" : "login", connection.error());
    tell({"login",
          true,
          {{"server", version_text((*connection)->server_version())}, {"user", login.user}},
          "",
          ""});
    PgSession session(std::move(*connection));
    bool trial = false;
    if (!look_at_tables(session, trial)) return;
    auto written = session.write({&row, 1});
    if (written && trial) written = session.end_trial();
    if (!written) return failed("write", written.error());
    tell({"write", true, {{"octets", row.text.size()}}, "", "", !trial});
  }

  // False: there is no way to write. `trial`: the tables are made for now alone.
  bool look_at_tables(PgSession& session, bool& trial) {
    auto good = session.begin();
    if (!good) return failed("schema", good.error()), false;
    auto found = session.schema();
    if (!found) return failed("schema", found.error()), false;
    const int newest = migrations().back().version;
    boost::json::object detail{{"version", found->version}, {"newest", newest}};
    trial = found->version < newest;
    if (trial) good = session.begin_trial();
    if (good) good = session.migrate();
    if (!good) return failed("schema", good.error(), std::move(detail)), false;
    tell({"schema", true, std::move(detail), "", ""});
    return true;
  }
};

PostgresTrial::PostgresTrial(kit::Loop& loop, const std::shared_ptr<ProducerReaper>& reaper, PgLogin login,
                             PgPlace place, PgRow row, std::function<void(Step)> on_step)
    : reaper_(reaper ? reaper : std::make_shared<ProducerReaper>()), shared_(std::make_shared<Shared>()) {
  shared_->loop = &loop;
  shared_->login = std::move(login);
  shared_->place = std::move(place);
  shared_->row = std::move(row);
  shared_->on_step = std::move(on_step);
  reaper_->take([shared = shared_] { shared->run(); });
}

PostgresTrial::~PostgresTrial() {
  shared_->on_step = nullptr;
  {
    const std::scoped_lock lock(shared_->mutex);
    shared_->loop = nullptr;
  }
  shared_->stop.set();
}

}  // namespace wafd::forward
