#include "log.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

namespace wafd {
namespace {

// The text on stderr of a logger made by `config`, while `run` logs and at the logger's end.
std::string written(const Config& config, const std::function<void()>& run) {
  const auto before = spdlog::default_logger();
  testing::internal::CaptureStderr();
  open_log(config);
  run();
  spdlog::set_default_logger(before);
  return testing::internal::GetCapturedStderr();
}

std::size_t count(const std::string& text, std::string_view what) {
  std::size_t found = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

TEST(Log, AFloodHidesNoErrorAndIsCountedAtTheEnd) {
  Config config;
  config.log_level = "info";
  config.log_max_lines_per_s = 1;
  const std::string text = written(config, [] {
    for (int i = 0; i < 50; ++i) spdlog::warn("flood");
    for (int i = 0; i < 3; ++i) spdlog::error("disk is full");
    for (int i = 0; i < 50; ++i) spdlog::warn("flood");
  });
  EXPECT_EQ(count(text, " error disk is full\n"), 3u) << text;
  std::size_t left_out = 0;
  const std::string_view warning = " warning ", end = " lines were left out (log.max_lines_per_s)\n";
  for (auto at = text.find(end); at != std::string::npos; at = text.find(end, at + 1))
    left_out += std::stoul(text.substr(text.rfind(warning, at) + warning.size()));
  EXPECT_EQ(left_out + count(text, " warning flood\n"), 100u) << text;
  EXPECT_LT(count(text, " warning flood\n"), 50u);
  EXPECT_TRUE(text.ends_with(end)) << text;
}

TEST(Log, SaysNothingAtTheEndWhereNothingWasLeftOut) {
  Config config;
  config.log_level = "info";
  EXPECT_EQ(count(written(config, [] { spdlog::info("ready"); }), "\n"), 1u);
}

TEST(Log, TapsGetEachLineButThoseWithASecret) {
  Config config;
  config.log_level = "info";
  config.log_max_lines_per_s = 2;
  std::vector<std::string> tapped;
  const auto before = spdlog::default_logger();
  testing::internal::CaptureStderr();
  open_log(config, [&](std::int64_t unix_us, std::string_view level, const LogLine& line) {
    EXPECT_GT(unix_us, 1'700'000'000'000'000);
    tapped.push_back(std::string(level) + " " + line.message);
  });
  spdlog::info("ready");
  warn_on_stderr("the token is sesame");
  spdlog::error("one\ntwo");
  spdlog::info("left out");
  spdlog::set_default_logger(before);
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_EQ(count(text, "sesame"), 1u) << text;
  EXPECT_EQ(tapped, (std::vector<std::string>{"info ready", "error one two",
                                              "warning 1 lines were left out (log.max_lines_per_s)"}));
}

}  // namespace
}  // namespace wafd
