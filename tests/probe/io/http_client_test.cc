#include "probe/io/http_client.h"

#include <gtest/gtest.h>

namespace wafd::probe {
namespace {

TEST(ProbeUrl, Parts) {
  const auto dump = [](const char* text) {
    const auto url = Url::parse(text);
    return url ? std::string(url->tls ? "tls " : "") + url->host + " " + url->port + " " + url->path + " " +
                     url->authority()
               : "refused";
  };
  EXPECT_EQ(dump("http://shop.test"), "shop.test 80 / shop.test");
  EXPECT_EQ(dump("https://shop.test/a?b"), "tls shop.test 443 /a?b shop.test");
  EXPECT_EQ(dump("http://shop.test:8080?b"), "shop.test 8080 /?b shop.test:8080");
  EXPECT_EQ(dump("http://[::1]:81/"), "::1 81 / [::1]:81");
  for (const char* bad : {"", "shop.test", "ftp://a", "http://", "http://:80", "http://a:0", "http://a:99999",
                          "http://a:x", "http://u@a/", "http://a/ b", "http://a/#b", "http://a/\r\nX: y"})
    EXPECT_EQ(dump(bad), "refused") << bad;
}

TEST(ProbeExchange, SaysWhyThereIsNoAnswer) {
  const auto nobody = Url::parse("http://127.0.0.1:1/");
  const Answer answer = exchange(*nobody, {}, {2000, true});
  EXPECT_EQ(answer.status, 0u);
  EXPECT_NE(answer.error.find("connect"), std::string::npos) << answer.error;
}

}  // namespace
}  // namespace wafd::probe
