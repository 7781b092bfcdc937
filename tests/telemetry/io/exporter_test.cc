// The exporter's thread where no receiver is needed: what it says, when, and what it counts.
#include "telemetry/io/exporter.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/temp_folder.h"

namespace wafd::telemetry {
namespace {

// Real time, and what a test adds.
class Shifted final : public Clock {
 public:
  std::int64_t unix_us() const noexcept override { return monotonic_us(); }
  std::int64_t monotonic_us() const noexcept override {
    return std::chrono::duration_cast<std::chrono::microseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
               .count() +
           more_us.load();
  }
  std::atomic<std::int64_t> more_us{0};
};

class Zeros final : public Random {
 public:
  void fill(std::span<std::byte> out) noexcept override { std::fill(out.begin(), out.end(), std::byte{0}); }
};

class Lines {
 public:
  void add(const std::string& line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(line);
  }
  std::vector<std::string> get() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

template <class Condition>
bool comes(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (std::chrono::steady_clock::now() < end) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

double counted(const Exporter& exporter, std::string_view name) {
  for (const MetricFamily& family : exporter.families())
    if (family.name == name) return family.samples.at(0).value;
  return -1;
}

struct Parts {
  Shifted clock;
  Zeros random;
  Lines lines;

  ExporterParts of(OtlpSettings settings) {
    settings.endpoint = "http://127.0.0.1:1";
    return {.clock = clock,
            .random = random,
            .settings = std::move(settings),
            .sender = {"node-1", "1.2.3"},
            .logs = nullptr,
            .collect = [](std::function<void(Families)>) {},
            .log = [this](const std::string& line) { lines.add(line); }};
  }
};

TEST(Exporter, MetricsThatTheConsoleDoesNotGiveAreSaidAndCounted) {
  Parts parts;
  const auto exporter = Exporter::create(parts.of({.interval_s = 1, .logs = false}));
  exporter->start();
  const std::vector<std::string> expected{"OTLP: metrics could not be sent: the console did not answer"};
  ASSERT_TRUE(comes([&] {
    parts.clock.more_us += 1'000'000;  // nobody waits for the 5 s in earnest
    return exporter->notes() == expected;
  }));
  EXPECT_GE(counted(*exporter, "wafd_otlp_failures_total"), 1);
  EXPECT_EQ(counted(*exporter, "wafd_otlp_sent_total"), 0);
  exporter->stop();
  EXPECT_EQ(parts.lines.get(), expected);
}

// Within a minute one line; what it could not say is said behind it, if it is still so.
TEST(Exporter, SaysASecondTroubleWhenTheMinuteIsOver) {
  Parts parts;
  const test::TempFolder folder;
  const std::string file = folder.path + "/headers";
  const auto trouble = [](int line) {
    return "OTLP: logs could not be sent: otlp.headers_file: line " + std::to_string(line) +
           ": expected \"Name: value\"";
  };
  std::ofstream(file) << "sesame\n";
  ExporterParts given = parts.of({.headers_file = file, .metrics = false});
  given.logs = std::make_shared<LogQueue>();
  given.logs->push({1, "info", "a line"});
  const auto exporter = Exporter::create(std::move(given));
  exporter->start();
  ASSERT_TRUE(comes([&] { return parts.lines.get().size() == 1; }));
  EXPECT_EQ(parts.lines.get(), std::vector{trouble(1)});
  std::ofstream(file) << "# sesame\nsesame\n";
  ASSERT_TRUE(comes([&] { return exporter->notes() == std::vector{trouble(2)}; }));
  EXPECT_EQ(parts.lines.get().size(), 1u) << "within the minute";
  parts.clock.more_us += 61'000'000;
  ASSERT_TRUE(comes([&] { return parts.lines.get().size() == 2; }));
  EXPECT_EQ(parts.lines.get(), (std::vector{trouble(1), trouble(2)}));
  EXPECT_GE(counted(*exporter, "wafd_otlp_failures_total"), 3);
  exporter->stop();
}

}  // namespace
}  // namespace wafd::telemetry
