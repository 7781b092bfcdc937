// One connection of HTTP ingest without its socket: bytes in, responses out, by way of the judge and the
// work queue.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/check_request.h"
#include "ingest/fair_queue.h"
#include "ingest/http/request_reader.h"
#include "ingest/http/response_writer.h"
#include "ingest/http_counters.h"
#include "ingest/judge.h"
#include "ingest/limits.h"
#include "ingest/phase.h"
#include "ingest/record_lines.h"
#include "ingest/waiting_request.h"
#include "ingest/work_queue.h"

namespace wafd::ingest {

// Values of the HTTP listener; changed, if at all, between two calls of a session.
struct HttpSettings {
  CheckDialect dialect = CheckDialect::kForwarded;
  std::vector<std::string> crowdsec_api_keys;
  std::vector<Cidr> trusted_proxies;
  std::size_t max_record_line_bytes = 2 << 20;
  std::string mirror_scheme = "http";  // of mirrored requests that do not say (X-Forwarded-Proto)
};

class HttpSession {
 public:
  // Of the worker; all must outlive the session.
  struct Shared {
    RequestJudge& judge;
    const Clock& clock;
    FairQueue& queue;  // of checks
    WorkQueue& mirrored;
    HttpCounters& counters;
    const HttpSettings& settings;
    const IngestLimits& limits;
    const std::function<bool()>& ready;
  };
  HttpSession(const Shared& shared, std::optional<IpAddress> peer);
  ~HttpSession();

  // `turn_start_us` as for T1K. Afterwards, and after on_progress: write take_output(), then look at the two
  // others.
  void on_bytes(std::string_view bytes, std::int64_t turn_start_us);
  std::string take_output() noexcept { return std::exchange(output_, {}); }
  bool wants_close() const noexcept { return close_; }
  bool wants_pause() const noexcept { return waiting_ || pending_bytes_ > kMaxPendingBytes; }
  // Between messages and nothing owed: may be closed when the daemon stops.
  bool idle() const noexcept;
  void close_after_answer() noexcept { last_ = true; }
  Phase phase() const noexcept;
  std::uint64_t answers() const noexcept { return answers_; }
  std::uint64_t lines() const noexcept { return accepted_ + refused_; }  // of records, in the present message
  // The 408 answer to a peer whose request does not come to its end.
  static std::string_view too_slow_answer() noexcept;

  // Called when queued work has changed one of the above; may destroy the session. Set before use.
  std::function<void()> on_progress;

 private:
  static constexpr std::size_t kMaxPendingBytes = 4 << 20;
  static constexpr std::size_t kMaxNamedErrors = 100;
  enum class BodyUse { kKeep, kDrop, kRecords };

  void run(std::string_view bytes, std::int64_t turn_start_us);
  void begin_body();
  void take_body(std::string_view bytes);
  void take_line(std::uint64_t number, std::string_view line, bool too_long);
  void end_message(std::int64_t turn_start_us);
  void refused(const http::Refusal& refusal);
  struct Pending;
  using Waiting = WaitingRequest<HttpSession, Pending>;
  friend Waiting;
  void take_check(OwnedRequest request, std::string violation, std::int64_t turn_start_us);
  void answer_check(const Answer& answer);
  void answer_waiting(const Waiting& waiting);
  void go_on();  // with the backlog
  void answer_check_dialect(std::int64_t turn_start_us);
  void mirror(OwnedRequest request, std::string violation);
  void answer_records_when_judged();
  void respond(const http::Response& response, bool may_keep_alive = true);
  void respond_text(unsigned status, std::string_view text);
  PeerTrust trust() const noexcept { return {peer_, shared_.settings.trusted_proxies}; }

  Shared shared_;
  std::optional<IpAddress> peer_;
  http::RequestReader reader_;
  std::string output_;
  Backlog backlog_;  // pipelined bytes behind a message that still waits for its answer
  bool close_ = false;
  bool last_ = false;
  std::uint64_t answers_ = 0;
  bool in_body_ = false;            // of the present message: its head is complete
  bool waiting_ = false;            // an answer waits for queued work
  std::shared_ptr<Waiting> check_;  // a check that waits for its turn or is being judged
  FairQueue::Ticket ticket_ = 0;
  // Of the present message:
  Routed routed_;
  BodyUse body_use_ = BodyUse::kDrop;
  std::string body_;
  std::uint64_t body_bytes_ = 0;
  std::unique_ptr<RecordLines> lines_;
  std::uint64_t accepted_ = 0, refused_ = 0;
  std::vector<std::pair<std::uint64_t, std::string>> errors_;
  std::size_t pending_ = 0;  // records that are not judged yet
  std::size_t pending_bytes_ = 0;
  std::shared_ptr<HttpSession*> self_;  // what queued work knows of this session; emptied by the destructor
};

}  // namespace wafd::ingest
