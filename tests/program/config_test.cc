#include "config.h"

#include <gtest/gtest.h>

namespace wafd {
namespace {

std::string error_of(std::string_view text) {
  Config config = default_config();
  const auto read = read_config(text, "wafd.json", config);
  return read ? "ok" : read.error().what;
}

TEST(Config, DefaultsAreTheContract) {
  const Config config = default_config();
  EXPECT_EQ(config.t1k.listen, "127.0.0.1:8700");
  EXPECT_EQ(config.http.listen, "127.0.0.1:8701");
  EXPECT_EQ(config.spop.listen, "");
  EXPECT_EQ(config.envoy.listen, "");
  EXPECT_EQ(config.console_listen, "127.0.0.1:8743");
  EXPECT_EQ(config.state_dir, "/var/lib/wafd");
  EXPECT_EQ(config.time_zone, "UTC");
  EXPECT_EQ(config.ring_size_mib, 1024);
  EXPECT_EQ(config.stop_timeout_s, 5);
  EXPECT_EQ(config.t1k_unix_socket_mode, "0660");
  EXPECT_TRUE(config.t1k.enforcing);
  EXPECT_TRUE(check_config(config));
}

TEST(Config, DescribedDefaultsReadBackAsDefaults) {
  Config config;
  const auto read = read_config(describe_defaults(), "defaults", config);
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(config.t1k.listen, "127.0.0.1:8700");
  EXPECT_EQ(config.budget_ms, default_config().budget_ms);
  EXPECT_EQ(config.ring_sync_interval_ms, 1000);
  EXPECT_TRUE(config.http.enforcing);
}

TEST(Config, DescribedLinesSetTheSameAndTellNoSecret) {
  Config config = default_config();
  ASSERT_TRUE(set_config("ingest.http.trusted_proxies=10.0.0.0/8,192.0.2.1", config));
  ASSERT_TRUE(set_config("ingest.t1k.enforcing=false", config));
  ASSERT_TRUE(set_config("workers=3", config));
  ASSERT_TRUE(set_config("ingest.http.crowdsec_api_keys=sesame,other", config));
  Config again = default_config();
  std::size_t changed = 0;
  for (const ConfigLine& line : describe_config(config)) {
    EXPECT_EQ(line.value.find("sesame"), std::string::npos);
    EXPECT_FALSE(line.help.empty()) << line.key;
    changed += line.value != line.fallback;
    ASSERT_TRUE(set_config(line.key + "=" + line.value, again)) << line.key;
  }
  EXPECT_EQ(changed, 4u);
  EXPECT_EQ(again.trusted_proxies, config.trusted_proxies);
  EXPECT_FALSE(again.t1k.enforcing);
  EXPECT_EQ(again.workers, 3);
  EXPECT_EQ(again.crowdsec_api_keys, std::vector<std::string>{"***"});
  EXPECT_EQ(again.console_listen, config.console_listen);
}

TEST(Config, ReadsCommentsListsAndNestedKeys) {
  Config config = default_config();
  const auto read = read_config(
      "// ours\n{\"workers\": 3, \"ingest\": {\"t1k\": {\"listen\": \"10.0.0.5:8700\", \"enforcing\": "
      "false,\n"
      "\"allow\": [\"10.0.0.0/8\", \"::1\"]}}, /* later */ \"ring\": {\"size_mib\": 64,},}\n",
      "wafd.json", config);
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(config.workers, 3);
  EXPECT_EQ(config.t1k.listen, "10.0.0.5:8700");
  EXPECT_FALSE(config.t1k.enforcing);
  EXPECT_EQ(config.t1k.allow, (std::vector<std::string>{"10.0.0.0/8", "::1"}));
  EXPECT_EQ(config.ring_size_mib, 64);
  EXPECT_TRUE(check_config(config));
}

TEST(Config, ErrorsNameLineKeyAndExpectation) {
  const struct {
    const char* text;
    const char* error;
  } rows[] = {
      {"{}", "ok"},
      {"{\n\"workers\": \"two\"\n}", "wafd.json:2: workers: expected an integer"},
      {"{\n\n\"workers\": 999\n}", "wafd.json:3: workers: expected 0 to 256, got 999"},
      {"{\"workerz\": 1}", "wafd.json:1: workerz: no such key"},
      {"{\"ingest\": {\"t1k\": {\n\"port\": 1}}}", "wafd.json:2: ingest.t1k.port: no such key"},
      {"{\"ingest\": 5}", "wafd.json:1: ingest: expected an object"},
      {"{\"workers\": {}}", "wafd.json:1: workers: expected an integer"},
      {"{\"workers\": 1, \"workers\": 2}", "wafd.json:1: workers: given twice"},
      {"{\"workers\": 1.5}", "wafd.json:1: workers: expected no fraction"},
      {"{\"workers\": null}", "wafd.json:1: workers: null is no value here"},
      {"{\"ingest\": {\"on_overload\": \"maybe\"}}",
       "wafd.json:1: ingest.on_overload: expected one of pass|block"},
      {"{\"rules\": {\"files\": [\"a\", 5]}}", "wafd.json:1: rules.files: expected strings inside the list"},
      {"{\"rules\": {\"files\": \"a\"}}", "wafd.json:1: rules.files: expected a list of strings"},
      {"[]", "wafd.json:1: expected an object at the top"},
      {"true", "wafd.json:1: expected an object at the top"},
      {"{\n\"workers\": 1", "wafd.json:2: the file ends inside an object; expected '}'"},
  };
  for (const auto& row : rows) EXPECT_EQ(error_of(row.text), row.error) << row.text;
  EXPECT_NE(error_of("{\"workers\": 1\n\"node\": 2}").find("wafd.json:2: expected JSON"), std::string::npos);
  EXPECT_NE(error_of("{} x").find("wafd.json:1:"), std::string::npos);
}

TEST(Config, SetTakesWhatTheFileTakes) {
  Config config = default_config();
  EXPECT_TRUE(set_config("workers=2", config));
  EXPECT_TRUE(set_config("ingest.http.allow=10.0.0.0/8, 192.168.0.0/16", config));
  EXPECT_TRUE(set_config("ingest.t1k.listen=", config));
  EXPECT_EQ(config.workers, 2);
  EXPECT_EQ(config.http.allow.size(), 2u);
  EXPECT_EQ(config.t1k.listen, "");
  EXPECT_EQ(set_config("workers", config).error().what, "--set workers: expected KEY=VALUE");
  EXPECT_EQ(set_config("workers=x", config).error().what, "--set workers: expected an integer");
  EXPECT_EQ(set_config("nope=1", config).error().what,
            "--set nope: no such key; `wafd config defaults` lists them");
}

TEST(Config, TheNodesNameIsOneThatRecordsCanHave) {
  Config config = default_config();
  for (const char* good : {"", "edge-1", "k\xc3\xb6ln", "a b"}) {
    config.node = good;
    EXPECT_TRUE(check_config(config)) << good;
  }
  for (const std::string& wrong : {std::string(254, 'a'), std::string("a\nb"), std::string("a\0b", 3)}) {
    config.node = wrong;
    const auto checked = check_config(config);
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().what, "node: expected at most 253 bytes without control characters, got " +
                                        std::to_string(wrong.size()) + " bytes");
  }
}

TEST(Config, ChecksWhatKeysSayTogether) {
  Config config = default_config();
  config.t1k.listen = "0.0.0.0:8700";
  EXPECT_NE(check_config(config).error().what.find("expected ingest.t1k.allow"), std::string::npos);
  config.t1k.allow = {"10.0.0.0/33"};
  EXPECT_NE(check_config(config).error().what.find("ingest.t1k.allow: expected CIDR"), std::string::npos);
  config.t1k.allow = {"10.0.0.0/8"};
  EXPECT_TRUE(check_config(config));
  config.spop.listen = "0.0.0.0:8702";
  EXPECT_NE(check_config(config).error().what.find("expected ingest.spop.allow"), std::string::npos);
  config.spop.allow = {"10.0.0.0/8"};
  EXPECT_TRUE(check_config(config));
  config.t1k_unix_socket_mode = "0999";
  EXPECT_FALSE(check_config(config));
  config.t1k_unix_socket_mode = "0600";
  config.console_key = "k.pem";
  EXPECT_FALSE(check_config(config));
  config.console_key.clear();
  config.t1k_client_ca = "ca.pem";
  EXPECT_NE(check_config(config).error().what.find("expected ingest.t1k.certificate beside it"),
            std::string::npos);
  config.t1k_certificate = "c.pem";
  EXPECT_NE(check_config(config).error().what.find("expected both or neither"), std::string::npos);
  config.t1k_key = "k.pem";
  EXPECT_TRUE(check_config(config));
  config.envoy.listen = "0.0.0.0:8703";
  EXPECT_NE(check_config(config).error().what.find("expected ingest.envoy.allow"), std::string::npos);
  config.envoy.allow = {"10.0.0.0/8"};
  config.envoy_key = "k.pem";
  EXPECT_NE(check_config(config).error().what.find("ingest.envoy.key: expected both or neither"),
            std::string::npos);
}

}  // namespace
}  // namespace wafd
