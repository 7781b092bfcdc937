#include "probe/probe.h"

#include <gtest/gtest.h>

namespace wafd::probe {
namespace {

constexpr const char* kId = "0123456789abcdef0123456789abcdef";

// A gateway as it might be.
struct Gateway {
  std::size_t body_limit = std::size_t(-1);  // of bodies that are judged
  bool query = true, bodies = true, id = true, steerable = false;
  std::size_t headers = 1000;  // that are judged
  unsigned too_many = 0;       // status for more; 0: passes
  std::size_t asked = 0;

  Answer operator()(const Request& request) {
    ++asked;
    const auto attacks = [](const std::string& text) { return text.find("UNION") != std::string::npos; };
    bool attack = query && attacks(request.query);
    if (bodies && request.body.size() <= body_limit) attack = attack || attacks(request.body);
    std::size_t n = 0;
    for (const auto& [name, value] : request.headers) {
      if (++n > headers && too_many != 0) return {too_many, "HTTP/1.1 431 x\r\n\r\n", {}};
      if (n <= headers && attacks(value)) attack = true;
      if (steerable && name == "X-Forwarded-Uri") return {200, "HTTP/1.1 200 OK\r\n\r\n", {}};
    }
    if (!attack) return {200, "HTTP/1.1 200 OK\r\n\r\n", {}};
    return {
        403,
        id ? std::string("HTTP/1.1 403 x\r\nX-WAF-Event-Id: ") + kId + "\r\n\r\n" : "HTTP/1.1 403 x\r\n\r\n",
        {}};
  }
};

// "check=ok" of all, in their order.
std::string states(Gateway gateway, const AddressOf& address_of = {}) {
  std::string out;
  for (const Finding& one : run(
           {"m", 64 << 10, "192.0.2.1"}, [&](const Request& r) { return gateway(r); }, address_of))
    out += one.check + "=" + to_string(one.state) + " ";
  return out;
}
std::string text_of(Gateway gateway, const std::string& check) {
  for (const Finding& one :
       run({"m", 64 << 10, "192.0.2.1"}, [&](const Request& r) { return gateway(r); }, {}))
    if (one.check == check) return one.text;
  return {};
}

TEST(Probe, AGatewayThatDoesAll) {
  EXPECT_EQ(states({}),
            "query=ok form=ok json=ok body_size=ok steering=ok event_id=ok address=? headers=ok ");
  EXPECT_EQ(text_of({}, "body_size"), "bodies are blocked up to 65536 bytes, the most that was tried");
}

TEST(Probe, OneThatDoesNothing) {
  EXPECT_EQ(states({.query = false, .bodies = false, .headers = 0}),
            "query=FAIL form=FAIL json=FAIL body_size=? steering=FAIL event_id=? address=? headers=FAIL ");
}

TEST(Probe, OneThatHandsNoBodyOver) {
  EXPECT_EQ(states({.bodies = false}),
            "query=ok form=FAIL json=FAIL body_size=? steering=ok event_id=ok address=? headers=ok ");
}

TEST(Probe, OneThatJudgesSmallBodiesAlone) {
  EXPECT_EQ(text_of({.body_limit = 20'000}, "body_size"),
            "bodies are blocked up to 16384 bytes; one of 32768 bytes: NOT blocked (200)");
}

TEST(Probe, OneThatCanBeSteeredAndHasNoId) {
  EXPECT_EQ(states({.id = false, .steerable = true}),
            "query=ok form=ok json=ok body_size=ok steering=FAIL event_id=FAIL address=? headers=ok ");
}

TEST(Probe, HeadersBehindTheFirst255) {
  EXPECT_NE(states({.headers = 255}).find("headers=FAIL"), std::string::npos);
  EXPECT_NE(states({.headers = 255, .too_many = 431}).find("headers=ok"), std::string::npos);
}

TEST(Probe, TheAddress) {
  EXPECT_NE(states({}, [](const std::string&) { return "192.0.2.1"; }).find("address=ok"), std::string::npos);
  EXPECT_NE(states({}, [](const std::string&) { return "203.0.113.77"; }).find("address=FAIL"),
            std::string::npos);
  EXPECT_NE(states({}, [](const std::string&) { return "10.0.0.1"; }).find("address=?"), std::string::npos);
  EXPECT_NE(states({}, [](const std::string&) { return ""; }).find("address=?"), std::string::npos);
}

TEST(Probe, NothingIsSaidOfWhatDoesNotAnswer) {
  const auto findings = run({"m", 1024, {}}, [](const Request&) { return Answer{0, "", "refused"}; }, {});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].check, "reached");
}

TEST(Probe, EventIds) {
  EXPECT_EQ(event_id_of(std::string("X-WAF-Event-Id: ") + kId + "\r\n"), kId);
  EXPECT_EQ(event_id_of(std::string(R"({"event_id": ")") + kId + "\"}"), kId);
  EXPECT_EQ(event_id_of("event_id: 0123"), "");
  EXPECT_EQ(event_id_of(std::string("event_id ") + kId + "0"), "") << "33 digits";
  EXPECT_EQ(event_id_of(""), "");
  EXPECT_EQ(event_id_of("event_id"), "");
}

}  // namespace
}  // namespace wafd::probe
