#include "ingest/t1k/t1k_extra.h"

#include <string>

#include <gtest/gtest.h>

namespace wafd::ingest::t1k {
namespace {

std::string dump(std::string_view data) {
  const auto e = parse_extra(data);
  std::string out;
  const auto add = [&](const char* name, std::string_view value) {
    if (!value.empty() && value != "0")
      out += std::string(out.empty() ? "" : " ") + name + "=" + std::string(value);
  };
  add("uuid", e.uuid);
  add("remote", e.remote_addr);
  add("rport", std::to_string(e.remote_port));
  add("local", e.local_addr);
  add("lport", std::to_string(e.local_port));
  add("scheme", e.scheme);
  add("server", e.server_name);
  add("proxy", e.proxy_name);
  add("req", std::to_string(e.req_begin_us));
  add("rsp", std::to_string(e.rsp_begin_us));
  add("report", std::string(e.report_if_passed ? "p" : "") + (e.report_if_blocked ? "b" : ""));
  add("mode", e.monitor ? "monitor" : "");
  add("skipped", std::to_string(e.skipped));
  return out;
}

TEST(Extra, BothEncodings) {
  using namespace std::string_literals;
  const struct {
    const char* name;
    std::string data;
    const char* dump;
  } rows[] = {
      {"empty", "", ""},
      {"named",
       "UUID:ab\nRemoteAddr:2001:db8::1\nRemotePort:51234\nLocalAddr:shop.example\nLocalPort:80\nScheme:"
       "https\n"
       "ServerName:_\nProxyName:go-sdk\nReqBeginTime:1766000000000000\nHasRspIfOK:u\nHasRspIfBlock:"
       "n\nRspBeginTime:5\n",
       "uuid=ab remote=2001:db8::1 rport=51234 local=shop.example lport=80 scheme=https server=_ "
       "proxy=go-sdk "
       "req=1766000000000000 rsp=5 report=p"},
      {"binary",
       "\x01\n\x11"
       "51234\n\x12"
       "80\n\x13"
       "203.0.113.7\n\x14"
       "10.0.0.5\n\x15\n\x16http\n\x17gw1\n\x18"
       "ab\n\x19y\n\x1ay\n"
       "\x1b"
       "1766000000000000\n\x1d"
       "7\n@monitor\nA12\n",
       "uuid=ab remote=203.0.113.7 rport=51234 local=10.0.0.5 lport=80 scheme=http proxy=gw1 "
       "req=1766000000000000 rsp=7 "
       "report=pb mode=monitor skipped=12"},
      {"mode block", "\x01\n@block\n", ""},
      {"unknown mode is block", "\x01\n@Monitor\n", ""},
      {"unknown keys and broken lines",
       "\x01\n\x7fx\n\n\x13"
       "1.2.3.4",
       "remote=1.2.3.4"},
      {"named without colon", "nonsense\n\nScheme:http", "scheme=http"},
      {"last of repeated", "Scheme:http\nScheme:https\n", "scheme=https"},
      {"bad numbers", "RemotePort:65536\nLocalPort:-1\nReqBeginTime:99999999999999999999\nRspBeginTime:1x\n",
       ""},
      {"named keys are exact", "scheme:http\n", ""},
      {"any bytes", "\x01\n\x13\0\xff\r\n"s, "remote=\0\xff\r"},
  };
  for (const auto& row : rows) {
    if (std::string(row.name) == "any bytes") {
      EXPECT_EQ(parse_extra(row.data).remote_addr, "\0\xff\r"s);
      continue;
    }
    EXPECT_EQ(dump(row.data), row.dump) << row.name;
  }
}

}  // namespace
}  // namespace wafd::ingest::t1k
