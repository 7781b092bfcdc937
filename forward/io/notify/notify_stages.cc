#include "forward/io/notify/notify_stages.h"

#include <algorithm>

#include <curl/curl.h>
#include <fmt/format.h>

namespace wafd::forward {
namespace {

enum class Stage : std::uint8_t { kResolve, kConnect, kTls, kWrite, kAnswer, kNone };
constexpr const char* kNames[] = {"resolve", "connect", "tls", "write", "answer"};

// The stage in which it failed.
Stage failed_stage(const TransferFacts& f) {
  switch (f.code) {
    case CURLE_OK:
      return f.refusal.empty() ? Stage::kNone : Stage::kAnswer;
    case CURLE_COULDNT_RESOLVE_HOST:
      return Stage::kResolve;
    case CURLE_COULDNT_CONNECT:
      return Stage::kConnect;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_USE_SSL_FAILED:
      return Stage::kTls;
    default:
      break;
  }
  if (f.resolved_us == 0) return Stage::kResolve;
  if (f.connected_us == 0) return Stage::kConnect;
  // A reply code that refuses is an answer, whatever libcurl calls the failure.
  if (f.kind == ChannelKind::kMail && f.response >= 400) return Stage::kAnswer;
  if (f.encrypted && f.encrypted_us == 0) return Stage::kTls;
  return f.code == CURLE_SEND_ERROR ? Stage::kWrite : Stage::kAnswer;
}

std::string tls_words(const TransferFacts& f) {
  switch (f.code) {
    case CURLE_PEER_FAILED_VERIFICATION:
      return "the receiver's certificate is not one that is believed: not signed by a known authority, out "
             "of "
             "time, or made for another name";
    case CURLE_SSL_CACERT_BADFILE:
      return "ca: the certificates could not be read";
    case CURLE_USE_SSL_FAILED:
      return "the server does not offer STARTTLS; nothing was sent unencrypted";
    default:
      return "no TLS connection came about; perhaps this port does not speak TLS from the beginning";
  }
}

std::string answer_words(const TransferFacts& f) {
  if (!f.refusal.empty()) return f.refusal;
  if (f.code == CURLE_LOGIN_DENIED)
    return fmt::format("the server did not accept user name and password ({})", f.response);
  if (f.code == CURLE_OPERATION_TIMEDOUT) return "no answer in time";
  if (f.kind == ChannelKind::kMail && f.response >= 400)
    return fmt::format("the server refused the mail with reply code {}", f.response);
  if (f.code == CURLE_GOT_NOTHING || f.code == CURLE_RECV_ERROR)
    return "the connection was closed before an answer came";
  return f.kind == ChannelKind::kMail ? "the server's answer is not SMTP"
                                      : "the receiver's answer is not HTTP";
}

std::string words(Stage stage, const TransferFacts& f) {
  switch (stage) {
    case Stage::kResolve:
      return f.code == CURLE_OPERATION_TIMEDOUT ? "the name was not resolved in time"
                                                : "the name does not exist, or no name server answered";
    case Stage::kConnect:
      if (!f.denied.empty()) return f.denied;
      return f.code == CURLE_OPERATION_TIMEDOUT ? "no connection in time"
                                                : "nobody accepts connections there";
    case Stage::kTls:
      return f.code == CURLE_OPERATION_TIMEDOUT ? "no TLS handshake in time" : tls_words(f);
    case Stage::kWrite:
      return "the connection broke while the message was written";
    case Stage::kAnswer:
      return answer_words(f);
    case Stage::kNone:
      break;
  }
  return "";
}

boost::json::object detail_of(Stage stage, const TransferFacts& f) {
  boost::json::object out;
  if (stage == Stage::kConnect && !f.address.empty()) out["address"] = f.address;
  if (stage == Stage::kTls && !f.certificate_subject.empty()) {
    out["subject"] = f.certificate_subject;
    out["issuer"] = f.certificate_issuer;
    out["not_after"] = f.certificate_end;
  }
  if (stage == Stage::kWrite) out["bytes"] = f.bytes;
  if (stage == Stage::kAnswer && f.response != 0) out["code"] = f.response;
  return out;
}

double ms_between(std::int64_t from_us, std::int64_t to_us) {
  return static_cast<double>(std::max<std::int64_t>(to_us - from_us, 0)) / 1000.0;
}

}  // namespace

SendResult result_of(const TransferFacts& f) {
  SendResult out;
  const Stage failed = failed_stage(f);
  const std::int64_t before_writing = f.encrypted ? f.encrypted_us : f.connected_us;
  const std::int64_t ends[] = {f.resolved_us, f.connected_us, f.encrypted_us, f.ended_us, f.ended_us};
  const std::int64_t begins[] = {0, f.resolved_us, f.connected_us, before_writing, before_writing};
  for (const Stage stage : {Stage::kResolve, Stage::kConnect, Stage::kTls, Stage::kWrite, Stage::kAnswer}) {
    if (stage == Stage::kTls && !f.encrypted) continue;
    const auto i = static_cast<std::size_t>(stage);
    TestStage told;
    told.name = kNames[i];
    told.ok = stage != failed;
    told.detail = detail_of(stage, f);
    told.ms = ms_between(begins[i], told.ok ? ends[i] : f.ended_us);
    if (!told.ok) told.error = words(stage, f);
    out.stages.push_back(std::move(told));
    if (stage == failed) break;
  }
  out.sent = failed == Stage::kNone;
  if (!out.sent)
    out.text = fmt::format("Failed at {}: {}.", kNames[static_cast<std::size_t>(failed)], words(failed, f));
  else if (f.kind == ChannelKind::kMail && f.refused_recipients > 0)
    out.text = fmt::format(
        "Accepted by the mail server for {} of {} recipients, the others were refused; whether it reaches "
        "the "
        "mailboxes is not known here.",
        f.recipients - std::min(f.refused_recipients, f.recipients), f.recipients);
  else if (f.kind == ChannelKind::kMail)
    out.text = "Accepted by the mail server; whether it reaches the mailbox is not known here.";
  else
    out.text = fmt::format("Accepted by the receiver (status {}).", f.response);
  return out;
}

SendResult unsent(const std::string& why) {
  SendResult out;
  TestStage told;
  told.name = kNames[static_cast<std::size_t>(Stage::kWrite)];
  told.error = why;
  out.stages.push_back(std::move(told));
  out.text = fmt::format("Failed at {}: {}.", kNames[static_cast<std::size_t>(Stage::kWrite)], why);
  return out;
}

}  // namespace wafd::forward
