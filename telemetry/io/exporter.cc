#include "telemetry/io/exporter.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "files/given_text.h"
#include "forward/io/web/web_question.h"
#include "telemetry/otlp/backoff.h"

namespace wafd::telemetry {
namespace {

constexpr std::int64_t kLogsEveryMs = 1'000;
constexpr std::int64_t kSayEveryMs = 60'000;
constexpr std::size_t kMaxAnswerBytes = 64u << 10;
constexpr const char* kNoMetrics = "the console did not answer";

// What families() and notes() show of one signal.
struct SignalFacts {
  std::uint64_t sent = 0;      // data points or records that the receiver took
  std::uint64_t dropped = 0;   // that it refused, and those that were not sent in time
  std::uint64_t failures = 0;  // requests
  std::string trouble;         // of the last request, a sentence; empty: all is well
};

// One signal on its way; of the exporter's thread.
struct Way {
  explicit Way(Signal which, Random& random) : signal(which), backoff(random) {}
  Signal signal;
  Backoff backoff;
  std::string body;  // a request that was not taken yet; empty: none
  std::uint64_t items = 0;
  std::int64_t due_ms = 0;
  std::string said;                     // the trouble that the log's last line about it names; empty: none
  std::optional<std::int64_t> said_ms;  // when that was said last
};

Families families_of(std::span<const std::pair<Signal, SignalFacts>> signals) {
  MetricFamily sent{"wafd_otlp_sent_total", true, "Data points and log records that an OTLP receiver took."};
  MetricFamily dropped{"wafd_otlp_dropped_total", true,
                       "Data points and log records that an OTLP receiver refused, or that waited too long."};
  MetricFamily failures{"wafd_otlp_failures_total", true, "Requests to an OTLP receiver that failed."};
  for (const auto& [signal, facts] : signals) {
    const std::vector<std::pair<std::string, std::string>> labels{{"signal", std::string(to_string(signal))}};
    sent.samples.push_back({labels, static_cast<double>(facts.sent)});
    dropped.samples.push_back({labels, static_cast<double>(facts.dropped)});
    failures.samples.push_back({labels, static_cast<double>(facts.failures)});
  }
  return {std::move(sent), std::move(dropped), std::move(failures)};
}

// Families that somebody else's thread hands over, or not in time.
struct Collected {
  std::mutex mutex;
  std::condition_variable there;
  std::optional<Families> families;
};

class Sender final : public Exporter {
 public:
  explicit Sender(ExporterParts parts)
      : parts_(std::move(parts)),
        start_us_(parts_.clock.unix_us()),
        metrics_(Signal::kMetrics, parts_.random),
        logs_(Signal::kLogs, parts_.random) {}
  ~Sender() override { end(); }

  void start() override {
    thread_ = std::thread([this] { run(); });
  }

  void collect_last() override {
    if (!parts_.settings.metrics) return;
    closing_ = true;
    auto families = collect(kLastMs / 3);
    const std::lock_guard lock(mutex_);
    last_ = std::move(families);
  }

  void stop() override { end(); }

  std::vector<std::string> notes() const override {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> out;
    for (const auto& [signal, facts] : now())
      if (!facts.trouble.empty()) out.push_back(facts.trouble);
    return out;
  }

  Families families() const override {
    const std::lock_guard lock(mutex_);
    return families_of(now());
  }

 private:
  // Under mutex_.
  std::vector<std::pair<Signal, SignalFacts>> now() const {
    std::vector<std::pair<Signal, SignalFacts>> out;
    out.reserve(2);
    if (parts_.settings.metrics) out.emplace_back(Signal::kMetrics, facts_[0]);
    if (parts_.logs) {
      out.emplace_back(Signal::kLogs, facts_[1]);
      out.back().second.dropped += parts_.logs->dropped();
    }
    return out;
  }

  bool is_stopping() const {
    const std::lock_guard lock(mutex_);
    return stopping_;
  }
  std::int64_t now_ms() const { return parts_.clock.monotonic_us() / 1000; }

  void end() {
    if (!thread_.joinable()) return;
    {
      std::unique_lock lock(mutex_);
      stopping_ = true;
      turn_.notify_all();
      if (!turn_.wait_for(lock, std::chrono::milliseconds(kLastMs), [this] { return ended_; })) abort_ = true;
    }
    thread_.join();
  }

  // Until there is something to do; false: the end.
  bool wait() {
    std::int64_t due_ms = INT64_MAX;
    if (parts_.settings.metrics)
      due_ms =
          std::min(due_ms, std::min(metrics_due_ms_, metrics_.body.empty() ? INT64_MAX : metrics_.due_ms));
    if (parts_.logs) due_ms = std::min(due_ms, logs_.due_ms);
    std::unique_lock lock(mutex_);
    turn_.wait_for(lock, std::chrono::milliseconds(std::max<std::int64_t>(0, due_ms - now_ms())),
                   [this] { return stopping_; });
    return !stopping_;
  }

  void run() {
    metrics_due_ms_ = now_ms() + parts_.settings.interval_s * 1000;
    while (wait()) {
      if (parts_.settings.metrics) turn_of_metrics();
      if (parts_.logs) turn_of_logs();
    }
    last_turn();
    const std::lock_guard lock(mutex_);
    ended_ = true;
    turn_.notify_all();
  }

  void turn_of_metrics() {
    const std::int64_t now = now_ms();
    if (now >= metrics_due_ms_) {
      metrics_due_ms_ = now + parts_.settings.interval_s * 1000;
      if (closing_) return;
      if (auto families = collect(kCollectMs))
        take(*families);
      else if (!closing_ && !is_stopping())
        failed(metrics_, kNoMetrics);
    }
    if (!metrics_.body.empty() && now_ms() >= metrics_.due_ms) send(metrics_, forward::kAskMs);
  }

  // In place of those that were not sent: counters are cumulative.
  void take(const Families& families) {
    if (!metrics_.body.empty()) drop(metrics_);
    metrics_.items = points_in(families);
    metrics_.body = encoded(metrics_request(parts_.sender, families, start_us_, parts_.clock.unix_us()));
  }

  // One request: behind it the metrics have their turn, and lines come together for the next.
  void turn_of_logs() {
    if (now_ms() < logs_.due_ms) return;
    if (fill_logs()) send(logs_, forward::kAskMs);
    if (logs_.body.empty() && !parts_.logs->fills(kMaxRecordsOfARequest))
      logs_.due_ms = now_ms() + kLogsEveryMs;
  }

  // False: there is nothing to send.
  bool fill_logs() {
    if (!logs_.body.empty()) return true;
    const std::vector<LogRecord> records = parts_.logs->take(kMaxRecordsOfARequest);
    if (records.empty()) return false;
    logs_.items = records.size();
    logs_.body = encoded(logs_request(parts_.sender, records, parts_.clock.unix_us()));
    return true;
  }

  void last_turn() {
    const std::int64_t end_ms = now_ms() + kLastMs;
    const auto left_ms = [&] { return static_cast<long>(end_ms - now_ms()); };
    std::optional<Families> last;
    {
      const std::lock_guard lock(mutex_);
      last = std::move(last_);
    }
    if (!last && closing_) failed(metrics_, kNoMetrics);
    const long kept_ms = last ? kLastMs / 3 : 0;  // for the metrics
    while (parts_.logs && left_ms() > kept_ms && fill_logs())
      if (!send(logs_, left_ms() - kept_ms)) break;
    if (!last || left_ms() <= 0) return;
    take(*last);
    send(metrics_, left_ms());
  }

  std::optional<Families> collect(std::int64_t most_ms) {
    const auto collected = std::make_shared<Collected>();
    parts_.collect([collected](Families families) {
      const std::lock_guard lock(collected->mutex);
      collected->families = std::move(families);
      collected->there.notify_all();
    });
    const std::int64_t end_ms = now_ms() + most_ms;
    std::unique_lock lock(collected->mutex);
    while (!collected->families && now_ms() < end_ms && !is_stopping())
      collected->there.wait_for(lock, std::chrono::milliseconds(100));
    return std::move(collected->families);
  }

  std::string encoded(std::string text) const {
    return parts_.settings.gzip ? gzip_of(text) : std::move(text);
  }

  // True: it was taken.
  bool send(Way& way, long most_ms) {
    const OtlpAnswer answer = ask(way, most_ms);
    const ExportResult result = result_of(way.signal, answer, way.items);
    if (!result.trouble.empty())
      failed(way, result.trouble);
    else
      tell(way, result.rejected > 0 ? fmt::format("OTLP: not all {} were taken", to_string(way.signal))
                                    : std::string());
    if (result.outcome == Outcome::kLater) {
      way.due_ms = now_ms() + way.backoff.failed(answer.retry_after_s);
      return false;
    }
    way.backoff.succeeded();
    const bool taken = result.outcome == Outcome::kTaken;
    {
      const std::lock_guard lock(mutex_);
      SignalFacts& facts = facts_of(way.signal);
      facts.sent += taken ? way.items - result.rejected : 0;
      facts.dropped += taken ? result.rejected : way.items;
    }
    way.body.clear();
    return taken;
  }

  OtlpAnswer ask(const Way& way, long most_ms) {
    OtlpAnswer out;
    auto headers = read_otlp_headers(parts_.settings);
    if (!headers) {
      out.failure = headers.error().what;
      return out;
    }
    forward::WebQuestion question{.method = "POST",
                                  .url = otlp_url(parts_.settings, path_of(way.signal)),
                                  .headers = std::move(*headers),
                                  .body = way.body};
    question.headers.emplace_back("Content-Type", "application/json");
    if (parts_.settings.gzip) question.headers.emplace_back("Content-Encoding", "gzip");
    if (!parts_.settings.ca.empty()) question.ca = std::string(kFilePrefix) + parts_.settings.ca;
    question.max_answer_bytes = kMaxAnswerBytes;
    question.cut_answer = true;  // the status decides
    question.plain = true;
    question.whole_ms = std::clamp(most_ms, 1L, forward::kAskMs);
    forward::WebReply reply =
        forward::ask(question, parts_.own_listeners,
                     parts_.local_addresses ? parts_.local_addresses() : std::vector<IpAddress>(), abort_);
    out.status = reply.status;
    out.body = std::move(reply.body);
    out.cut = reply.cut;
    out.failure = std::move(reply.failure);
    out.retry_after_s = reply.retry_after_s;
    return out;
  }

  SignalFacts& facts_of(Signal signal) { return facts_[signal == Signal::kMetrics ? 0 : 1]; }

  void drop(Way& way) {
    const std::lock_guard lock(mutex_);
    facts_of(way.signal).dropped += way.items;
    way.body.clear();
  }

  void failed(Way& way, const std::string& why) {
    {
      const std::lock_guard lock(mutex_);
      ++facts_of(way.signal).failures;
    }
    tell(way, fmt::format("OTLP: {} could not be sent: {}", to_string(way.signal), why));
  }

  // A line when there is another trouble than the one that was said, and when there is none any more.
  void tell(Way& way, const std::string& trouble) {
    std::uint64_t dropped = 0;
    {
      const std::lock_guard lock(mutex_);
      facts_of(way.signal).trouble = trouble;
      for (const auto& [which, now] : now())
        if (which == way.signal) dropped = now.dropped;
    }
    if (trouble == way.said) return;
    if (!trouble.empty()) {
      // These lines are sent, too: a receiver that takes every other request must not be what they are about.
      // What is not said now is said later if it is still so.
      if (way.said_ms && now_ms() - *way.said_ms < kSayEveryMs) return;
      way.said_ms = now_ms();
      way.said = trouble;
      if (parts_.log) parts_.log(trouble);
      return;
    }
    way.said.clear();
    if (parts_.inform)
      parts_.inform(fmt::format("OTLP: {} are sent again; {} were dropped since the start",
                                to_string(way.signal), dropped));
  }

  ExporterParts parts_;
  const std::int64_t start_us_;
  Way metrics_, logs_;  // of the thread
  std::int64_t metrics_due_ms_ = 0;
  std::atomic<bool> abort_{false};    // a request that is going on
  std::atomic<bool> closing_{false};  // nobody answers any more who asks for metrics
  mutable std::mutex mutex_;          // of what follows
  std::condition_variable turn_;
  std::array<SignalFacts, 2> facts_;
  std::optional<Families> last_;
  bool stopping_ = false, ended_ = false;
  std::thread thread_;
};

}  // namespace

Families exporter_families() { return families_of({}); }

std::unique_ptr<Exporter> Exporter::create(ExporterParts parts) {
  return std::make_unique<Sender>(std::move(parts));
}

}  // namespace wafd::telemetry
