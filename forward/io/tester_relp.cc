// RELP in Tester: the session is opened in the stage "write", its acknowledgement waited for in the stage
// "after".
#include <boost/json.hpp>
#include <fmt/format.h>

#include "forward/io/tester.h"

namespace wafd::forward {
namespace {

constexpr std::int64_t kRelpAnswerMs = 3000;
constexpr std::string_view kHint = "perhaps the port speaks no RELP";

}  // namespace

void Tester::write_relp() {
  if (!link_.stream->write(opening_)) return fail_stage("the connection does not take the RELP open", "");
  pause_ = std::make_unique<kit::Timer>(loop_, [this] { relp_late(); });
  pause_->start(kRelpAnswerMs);
}

void Tester::on_relp(std::string_view bytes) {
  const bool sound = relp_->on_bytes(bytes, parts_.clock.monotonic_us());
  if (stage_ == "write") {
    if (!sound) return fail_stage(relp_->error(), kHint);
    if (!relp_->is_open()) return;
    if (!link_.stream->write(bytes_)) return fail_stage("the connection does not take the message", "");
    end_stage(true, {{"octets", bytes_.size()}, {"framing", "relp"}}, "");
    begin_stage("after");
    pause_->start(kRelpAnswerMs);
    return;
  }
  const AckWindow& window = relp_->window();
  if (window.first() == 1) {
    end_stage(true, {{"open", true}, {"acknowledged", true}}, "");
    link_.stream->write(relp_->close());
    return finish("acknowledged", "Acknowledged by the receiver.");
  }
  if (!sound) return fail_stage(relp_->error(), "");
  if (window.held_by_refusal())
    fail_stage(fmt::format("the receiver refused the message, status {:03}", relp_->refusal()), "");
}

void Tester::relp_late() {
  if (stage_ == "write")
    return fail_stage(
        fmt::format("the receiver did not answer the RELP open within {} s", kRelpAnswerMs / 1000), kHint);
  end_stage(false, {{"open", true}, {"acknowledged", false}},
            fmt::format("no acknowledgement within {} s", kRelpAnswerMs / 1000));
  finish("sent", "Sent, but the receiver has not acknowledged it.");
}

void Tester::relp_ended(const std::string& what) {
  if (stage_ == "write") return fail_stage(what, kHint);
  if (stage_ != "after") return fail_stage(what, "");
  end_stage(false, {{"open", false}, {"acknowledged", false}}, what);
  finish("closed", "The receiver ended the connection without acknowledging the message.");
}

}  // namespace wafd::forward
