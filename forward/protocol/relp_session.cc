#include "forward/protocol/relp_session.h"

#include <fmt/format.h>

namespace wafd::forward {
namespace {

constexpr std::uint32_t kOpenTxnr = 1;
constexpr int kOk = 200;
// Version 0 is what every implementation speaks; the offer is required.
constexpr std::string_view kOffers = "relp_version=0\nrelp_software=wafd," WAFD_VERSION "\ncommands=syslog";

// Message 0 has the number behind that of open; numbers run from 1 to kRelpMaxTxnr and over.
std::uint32_t txnr_of(std::uint64_t id) {
  return static_cast<std::uint32_t>((id + kOpenTxnr) % kRelpMaxTxnr) + 1;
}

}  // namespace

bool RelpSession::fail(std::string what) {
  error_ = std::move(what);
  return false;
}

std::string RelpSession::open(std::int64_t now_us) {
  std::string out;
  append_relp_frame(kOpenTxnr, "open", kOffers, "", out);
  state_ = State::kOpening;
  last_answer_us_ = now_us;
  return out;
}

std::size_t RelpSession::begin(std::size_t size, std::int64_t now_us, std::string& out) {
  const std::size_t before = out.size();
  append_relp_begin(txnr_of(sent_), "syslog", size, out);
  const std::size_t bytes = out.size() - before + size + 1;
  if (window_.waiting() == 0) last_answer_us_ = now_us;
  window_.sent(bytes);
  ++sent_;
  return bytes;
}

std::size_t RelpSession::append(std::string_view header, std::string_view content, std::int64_t now_us,
                                std::string& out) {
  const std::size_t bytes = begin(header.size() + content.size(), now_us, out);
  out.append(header).append(content).append(1, '\n');
  return bytes;
}

std::string RelpSession::close() {
  std::string out;
  append_relp_frame(txnr_of(sent_), "close", "", "", out);
  state_ = State::kClosing;
  return out;
}

std::size_t RelpSession::room() const noexcept {
  return state_ == State::kOpen && window_.size() < options_.window ? options_.window - window_.size() : 0;
}

bool RelpSession::on_bytes(std::string_view bytes, std::int64_t now_us) {
  if (failed()) return false;
  reader_.feed(bytes);
  for (RelpFrame frame; reader_.next(frame);) {
    if (!on_frame(frame)) return false;
    last_answer_us_ = now_us;
  }
  if (!reader_.error().empty())
    return fail(fmt::format("the receiver does not speak RELP: {}", reader_.error()));
  return true;
}

bool RelpSession::on_frame(const RelpFrame& frame) {
  if (state_ == State::kClosing) return true;  // its farewell, whatever it is
  if (frame.command == "serverclose") return fail("the receiver closes the RELP session");
  if (frame.command != "rsp") return fail("the receiver sent a RELP command that only a sender may send");
  if (state_ == State::kOpening) {
    if (frame.txnr != kOpenTxnr) return fail("the receiver answers something else than the RELP open");
    return on_open_answer(frame.data);
  }
  const std::uint32_t expected = txnr_of(window_.first());
  const std::uint64_t offset =
      (std::uint64_t{frame.txnr} + kRelpMaxTxnr - expected) % kRelpMaxTxnr;  // the window is far smaller
  const int status = relp_answer(frame.data).status;
  if (status == 0) return fail("the receiver sent a RELP answer without a status");
  const std::uint64_t id = window_.first() + offset;
  const bool known = frame.txnr != 0 && (status == kOk ? window_.taken(id) : window_.refused(id));
  if (!known) return fail("the receiver answers a RELP message that does not wait for an answer");
  if (status != kOk) refusal_ = status;
  return true;
}

bool RelpSession::on_open_answer(std::string_view data) {
  const RelpAnswer answer = relp_answer(data);
  if (answer.status != kOk)
    return fail(fmt::format("the receiver refuses the RELP session, status {:03}", answer.status));
  if (!relp_offers(answer.data, "relp_version", ""))
    return fail("the receiver's answer to the RELP open names no relp_version");
  if (!relp_offers(answer.data, "commands", "syslog")) return fail("the receiver takes no syslog over RELP");
  state_ = State::kOpen;
  return true;
}

std::int64_t RelpSession::wake_at() const noexcept {
  if (state_ == State::kOpening) return last_answer_us_ + options_.open_timeout_us;
  if (state_ != State::kOpen) return INT64_MAX;
  if (window_.waiting() > 0) return last_answer_us_ + options_.answer_timeout_us;
  return window_.held_by_refusal() ? last_answer_us_ + options_.refusal_wait_us : INT64_MAX;
}

bool RelpSession::on_time(std::int64_t now_us) {
  if (failed()) return false;
  if (now_us < wake_at()) return true;
  if (state_ == State::kOpening)
    return fail(fmt::format("the receiver did not answer the RELP open within {} s",
                            options_.open_timeout_us / 1'000'000));
  if (window_.waiting() > 0)
    return fail(
        fmt::format("the receiver acknowledged nothing for {} s", options_.answer_timeout_us / 1'000'000));
  return fail(fmt::format("the receiver refuses messages, status {:03}", refusal_));
}

}  // namespace wafd::forward
