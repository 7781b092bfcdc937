#include "log.h"

#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <spdlog/async.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include "log_lines.h"

namespace wafd {
namespace {

constexpr std::size_t kMaxWaitingLines = 1024;
constexpr const char* kStderrAlone = "stderr alone";  // the source of a message

LogFormat format_of(const Config& config) {
  return config.log_format == "json" ? LogFormat::kJson : LogFormat::kText;
}

// Events come packed, other messages as their text.
enum class Given { kMessage, kPacked };

class LogSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  // `overrun`: lines that never came here, all in all.
  LogSink(const Config& config, Given given, LogTap tap, std::function<std::size_t()> overrun)
      : log_format_(format_of(config)),
        given_(given),
        tap_(std::move(tap)),
        rate_(config.log_max_lines_per_s),
        overrun_(std::move(overrun)) {}

  LogSink(const LogSink&) = delete;
  LogSink& operator=(const LogSink&) = delete;
  // Reports lines that were left out after the last line that was written.
  ~LogSink() override {
    try {
      write_left_out(spdlog::details::log_msg("", spdlog::level::warn, ""));
    } catch (const std::exception&) {
      std::fputs("lines were left out (log.max_lines_per_s)\n", stderr);
    }
  }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    const auto now_us =
        std::chrono::duration_cast<std::chrono::microseconds>(message.time.time_since_epoch()).count();
    // An error is rare and never hidden by others.
    if (message.level < spdlog::level::err && !rate_.take(now_us)) return;
    write_left_out(message);
    const std::string_view text(message.payload.data(), message.payload.size());
    const auto level = spdlog::level::to_string_view(message.level);
    write(message, {level.data(), level.size()},
          given_ == Given::kPacked ? unpacked(text) : message_line(text), message.source.empty());
  }
  void flush_() override { std::fflush(stderr); }

 private:
  std::string time_of(const spdlog::details::log_msg& message) {
    spdlog::memory_buf_t time;
    time_.format(message, time);
    return {time.data(), time.size()};
  }
  // At the time of the line behind it.
  void write_left_out(const spdlog::details::log_msg& next) {
    const std::size_t overrun = overrun_ ? overrun_() : 0;
    const auto left_out = rate_.take_left_out() + (overrun - std::exchange(overrun_before_, overrun));
    if (left_out == 0) return;
    write(next, "warning",
          message_line(fmt::format("{} lines were left out (log.max_lines_per_s)", left_out)));
  }
  void write(const spdlog::details::log_msg& of, std::string_view level, const LogLine& line,
             bool for_tap = true) {
    const std::string text = log_line(log_format_, time_of(of), level, line_part(log_format_, line));
    std::fwrite(text.data(), 1, text.size(), stderr);
    if (tap_ && for_tap)
      tap_(std::chrono::duration_cast<std::chrono::microseconds>(of.time.time_since_epoch()).count(), level,
           line);
  }

  const LogFormat log_format_;
  const Given given_;
  const LogTap tap_;
  LineRate rate_;
  std::function<std::size_t()> overrun_;
  std::size_t overrun_before_ = 0;
  spdlog::pattern_formatter time_{"%Y-%m-%dT%H:%M:%S.%e%z", spdlog::pattern_time_type::local, ""};
};

}  // namespace

void open_log(const Config& config, LogTap tap) {
  auto logger = std::make_shared<spdlog::logger>(
      "wafd",
      std::make_shared<LogSink>(config, Given::kMessage, std::move(tap), std::function<std::size_t()>()));
  logger->set_level(spdlog::level::from_str(config.log_level));
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
}

void warn_on_stderr(std::string_view line) {
  spdlog::log(spdlog::source_loc{kStderrAlone, 1, ""}, spdlog::level::warn, "{}", line);
}

struct EventLog::Impl {
  bool all;  // else denied ones alone
  std::shared_ptr<spdlog::details::thread_pool> pool;
  std::shared_ptr<spdlog::async_logger> logger;
};

EventLog::EventLog(const Config& config, LogTap tap) {
  if (config.log_events == "none") return;
  auto pool = std::make_shared<spdlog::details::thread_pool>(kMaxWaitingLines, 1);
  auto sink = std::make_shared<LogSink>(config, Given::kPacked, std::move(tap),
                                        [p = pool.get()] { return p->overrun_counter(); });
  auto logger = std::make_shared<spdlog::async_logger>("events", std::move(sink), pool,
                                                       spdlog::async_overflow_policy::overrun_oldest);
  logger->flush_on(spdlog::level::info);
  impl_ = std::make_unique<Impl>(Impl{config.log_events == "all", std::move(pool), std::move(logger)});
}

EventLog::~EventLog() = default;

void EventLog::end() { impl_.reset(); }

bool EventLog::wanted() const noexcept { return impl_ != nullptr; }

void EventLog::tell(const EventRecord& record, std::string_view request_id) {
  if (!impl_ || (!impl_->all && record.action != Action::kDeny)) return;
  impl_->logger->info("{}", packed(event_line(record, request_id)));
}

}  // namespace wafd
