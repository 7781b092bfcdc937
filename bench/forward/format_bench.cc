// What making a message costs in each content, beside a bare copy of as many octets in the same run: a record
// of about 2.2 KB, one thread, CPU time of it alone; once as it fits, once cut to two thirds. Usage:
// format_bench [messages, default 100000]
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <sys/resource.h>

#include "detect/core/record_json.h"
#include "forward/message.h"
#include "forward/sample_event.h"

using namespace wafd;
using namespace wafd::forward;

namespace {

double cpu_s() {
  rusage u{};
  getrusage(RUSAGE_THREAD, &u);
  return static_cast<double>(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
         static_cast<double>(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

std::string record_of_2200_octets() {
  AttackEvent e;
  e.scheme = "https";
  e.src_ip = e.socket_ip = "192.0.2.7";
  e.src_port = 49152;
  e.dest_ip = e.upstream_addr = "198.51.100.20";
  e.dest_port = 443;
  e.req_start_time_ms = e.req_end_time_ms = 1'769'861'109'100;
  e.host = "shop.example";
  e.method = "POST";
  e.query_string = "id=1%27%20OR%20%271%27=%271";
  e.rule_id = "m_sqli/00000000000000000000000000000000";
  e.location = "query";
  e.payload = "1' OR '1'='1";
  e.decode_path = "percent";
  e.rule_module = "m_sqli";
  e.user_agent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0";
  e.reason = "An SQL condition that is always true";
  e.node = "node-1";
  e.urlpath = "/products";
  e.attack_type = AttackType::kSqli;
  e.risk = Risk::kHigh;
  e.action = Action::kDeny;
  e.header_raw = "POST /products?id=1%27%20OR%20%271%27=%271 HTTP/1.1\r\nHost: shop.example\r\nUser-Agent: " +
                 e.user_agent + "\r\nAccept: */*\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n";
  e.body = "name=value&other=";
  std::string json;
  append_record_json(e, json);
  if (json.size() < 2200) e.body += std::string(2200 - json.size(), 'x');
  json.clear();
  append_record_json(e, json);
  return json;
}

}  // namespace

int main(int argc, char** argv) {
  const long messages = argc > 1 ? std::atol(argv[1]) : 100000;
  if (messages < 1) return std::fprintf(stderr, "format_bench: expected a number of messages\n"), 2;
  const std::string record = record_of_2200_octets();
  RecordView view;
  view.time_ms = 1'769'861'109'123;
  view.risk = Risk::kHigh;
  view.json = record;
  std::printf("record of %zu octets, %ld messages each\n", record.size(), messages);
  std::printf("%-12s %8s %12s %12s %8s\n", "content", "octets", "ns/message", "ns/copy", "ratio");
  for (const auto& [name, content] : {std::pair{"json", Content::kJson},
                                      {"cef", Content::kCef},
                                      {"leef", Content::kLeef},
                                      {"ecs", Content::kEcs}}) {
    std::size_t whole = 0;
    for (const bool cut : {false, true}) {
      TargetSettings t;
      t.content = content;
      t.max_message_bytes = cut ? static_cast<std::uint32_t>(whole * 2 / 3) : 65536;
      MessageMaker maker(t, "node-1", {});
      std::vector<char> out(65536);
      std::size_t size = 0;
      double began = cpu_s();
      for (long i = 0; i < messages; ++i) {
        view.time_ms = 1'769'861'109'123 + i % 800;
        const Message m = maker.event(view, 0);
        std::memcpy(out.data(), m.header.data(), m.header.size());
        std::memcpy(out.data() + m.header.size(), m.content.data(), m.content.size());
        size = m.size();
        asm volatile("" : : "r"(out.data()) : "memory");
      }
      const double made = cpu_s() - began;
      const std::string copied(size, 'c');
      began = cpu_s();
      for (long i = 0; i < messages * 20; ++i) {
        std::memcpy(out.data(), copied.data(), copied.size());
        asm volatile("" : : "r"(out.data()) : "memory");
      }
      const double bare = (cpu_s() - began) / 20;
      whole = cut ? whole : size;
      const auto ns = [&](double s) { return s * 1e9 / static_cast<double>(messages); };
      std::printf("%-12s %8zu %12.0f %12.1f %8.1f\n", (std::string(name) + (cut ? ", cut" : "")).c_str(),
                  size, ns(made), ns(bare), made / bare);
    }
  }
  return 0;
}
