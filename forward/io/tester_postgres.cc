// PostgreSQL in Tester: resolve and connect look at the first place, as with any other transport; then a
// trial logs in, looks at the tables and writes a row.
#include <boost/json.hpp>
#include <fmt/format.h>

#include "detect/core/bytes.h"
#include "forward/io/postgres/copy_row.h"
#include "forward/io/postgres_login.h"
#include "forward/io/postgres_trial.h"
#include "forward/io/tester.h"
#include "forward/io/tls_settings.h"

namespace wafd::forward {

// An event as it would be written, or a notice of the kind `test`.
void Tester::make_row(const RecordView* sample, std::string_view json) {
  row_ = std::make_unique<PgRow>();
  if (sample) {
    append_event_row(*sample, json, target_.request_detail == RequestDetail::kFull, parts_.node, row_->text);
    row_->day = day_of(sample->time_ms);
    bytes_ = json;
    return;
  }
  bytes_ = boost::json::serialize(boost::json::object{{"text", "Connectivity test requested."},
                                                      {"id", EventId::make(parts_.random).text()}});
  append_notice_row("test", bytes_, parts_.clock.unix_us() / 1000, parts_.node, row_->text);
}

void Tester::try_postgres() {
  const std::string address = link_.peer.address.text();
  link_.stream.reset();  // it has shown what it was to show
  begin_stage(uses_tls(target_) ? "tls" : "login");
  auto login = postgres_login(target_);
  if (!login) return fail_stage(login.error().what, "");
  postgres_ = std::make_unique<PostgresTrial>(
      loop_, parts_.producer_reaper, std::move(*login),
      PgPlace{tls_name(target_.tls, {target_.host, target_.port}), address, target_.port}, std::move(*row_),
      [this](const PostgresTrial::Step& step) {
        if (!done_) return;
        stage_ = step.stage;
        if (!step.ok) return fail_stage(step.error, step.hint, step.detail);
        boost::json::object detail = step.detail;
        if (step.stage == "write" && !result_.event_id.empty()) detail["event_id"] = result_.event_id;
        end_stage(true, std::move(detail), "");
        if (step.stage != "write") return begin_stage(step.stage);
        if (step.committed) return finish("acknowledged", "Committed by the database.");
        finish("acknowledged",
               "The database takes the row. The tables are made with the first delivery; for this test they "
               "were made and taken back with it.");
      });
}

}  // namespace wafd::forward
