#include "telemetry/otlp/settings.h"

#include <string>

#include <gtest/gtest.h>

namespace wafd::telemetry {
namespace {

std::string checked(const std::string& endpoint, const std::string& headers_file = "") {
  OtlpSettings settings;
  settings.endpoint = endpoint;
  settings.headers_file = headers_file;
  const auto good = check_otlp(settings);
  return good ? "ok" : good.error().what;
}

TEST(OtlpSettings, AddressesThatAreOne) {
  const std::string expected =
      "otlp.endpoint: expected an http or https URL such as https://collector.example:4318, got ";
  for (const char* good : {"", "https://collector.example:4318", "http://127.0.0.1:4318",
                           "http://[::1]:4318/", "https://collector.example/otlp"})
    EXPECT_EQ(checked(good), "ok") << good;
  for (const char* wrong : {"collector:4318", "grpc://collector:4317", "https://", "https://a/?x=1",
                            "https://user:secret@collector", "https://a b/", "https://a/#x"})
    EXPECT_EQ(checked(wrong), expected + "\"" + wrong + "\"");
  EXPECT_EQ(checked("x\ny"), expected + "\"x?y\"");
}

TEST(OtlpSettings, ATokenIsNotSentInTheClear) {
  for (const char* good :
       {"https://collector.example", "http://127.0.0.1:4318", "http://[::1]:4318", "http://localhost:4318"})
    EXPECT_EQ(checked(good, "/etc/wafd/otlp"), "ok") << good;
  for (const char* wrong : {"http://collector.example:4318", "http://10.0.0.5:4318"})
    EXPECT_NE(checked(wrong, "/etc/wafd/otlp").find("otlp.headers_file: anybody on the way could read it"),
              std::string::npos);
}

TEST(OtlpSettings, Urls) {
  OtlpSettings settings;
  for (const char* endpoint : {"https://a:4318", "https://a:4318/", "https://a:4318//"}) {
    settings.endpoint = endpoint;
    EXPECT_EQ(otlp_url(settings, "/v1/logs"), "https://a:4318/v1/logs");
  }
  settings.endpoint = "https://a/otlp/";
  EXPECT_EQ(otlp_url(settings, "/v1/metrics"), "https://a/otlp/v1/metrics");
}

TEST(OtlpHeaders, LinesOfAFile) {
  const auto read = parse_otlp_headers("# ours\n\nAuthorization: Bearer abc:def \r\nX-Scope-OrgID:tenant-1");
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(*read, (OtlpHeaders{{"Authorization", "Bearer abc:def"}, {"X-Scope-OrgID", "tenant-1"}}));
  EXPECT_TRUE(parse_otlp_headers("")->empty());
}

TEST(OtlpHeaders, AnErrorNamesTheLineAndShowsNothingOfIt) {
  const std::string start = "otlp.headers_file: line 2: ";
  std::string many;
  for (int i = 0; i < 33; ++i) many += "X-" + std::to_string(i) + ": 1\n";
  const struct {
    std::string line;
    const char* error;
  } rows[] = {
      {"secret", "expected \"Name: value\""},
      {": secret", "expected \"Name: value\""},
      {"My Name: secret", "expected \"Name: value\""},
      {"Content-Type: text/plain", "this header is wafd's own"},
      {"HOST: secret", "this header is wafd's own"},
      {"X:", "expected a value behind the colon"},
      {"X: sec\tret", "expected no control characters"},
      {"X: sec\rret", "expected no control characters"},
      {std::string("X: sec\0ret", 10), "expected no control characters"},
  };
  for (const auto& row : rows) {
    const auto read = parse_otlp_headers("A: b\n" + row.line + "\nC: d\n");
    ASSERT_FALSE(read) << row.line;
    EXPECT_EQ(read.error().what, start + row.error);
  }
  EXPECT_EQ(parse_otlp_headers(many).error().what, "otlp.headers_file: line 33: expected at most 32 headers");
}

TEST(OtlpHeaders, OfAFileThatIsMissing) {
  OtlpSettings settings;
  EXPECT_TRUE(read_otlp_headers(settings)->empty());
  settings.headers_file = "/nonexistent/headers";
  EXPECT_NE(read_otlp_headers(settings).error().what.find("otlp.headers_file: "), std::string::npos);
}

}  // namespace
}  // namespace wafd::telemetry
