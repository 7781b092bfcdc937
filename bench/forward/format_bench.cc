// What making a message costs in each content, beside a bare copy of as many bytes in the same run: a record
// of about 2.2 KB, one thread, CPU time of it alone; once as it fits, once cut to two thirds. Usage:
// format_bench [messages, default 100000]
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "bench/forward/bench_kit.h"
#include "forward/format/message.h"

using namespace wafd;
using namespace wafd::forward;
using wafd::bench::ordinary_record;
using wafd::bench::thread_cpu_s;

int main(int argc, char** argv) {
  const long messages = argc > 1 ? std::atol(argv[1]) : 100000;
  if (messages < 1) return std::fprintf(stderr, "format_bench: expected a number of messages\n"), 2;
  ZoneTime utc;
  const std::string record = ordinary_record({}, 1'769'861'109'123'000, utc).json;
  RecordView view;
  view.time_ms = 1'769'861'109'123;
  view.risk = Risk::kHigh;
  view.json = record;
  std::printf("record of %zu bytes, %ld messages each\n", record.size(), messages);
  std::printf("%-12s %8s %12s %12s %8s\n", "content", "bytes", "ns/message", "ns/copy", "ratio");
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
      double began = thread_cpu_s();
      for (long i = 0; i < messages; ++i) {
        view.time_ms = 1'769'861'109'123 + i % 800;
        const Message m = maker.event(view, 0);
        std::memcpy(out.data(), m.header.data(), m.header.size());
        std::memcpy(out.data() + m.header.size(), m.content.data(), m.content.size());
        size = m.size();
        asm volatile("" : : "r"(out.data()) : "memory");
      }
      const double made = thread_cpu_s() - began;
      const std::string copied(size, 'c');
      began = thread_cpu_s();
      for (long i = 0; i < messages * 20; ++i) {
        std::memcpy(out.data(), copied.data(), copied.size());
        asm volatile("" : : "r"(out.data()) : "memory");
      }
      const double bare = (thread_cpu_s() - began) / 20;
      whole = cut ? whole : size;
      const auto ns = [&](double s) { return s * 1e9 / static_cast<double>(messages); };
      std::printf("%-12s %8zu %12.0f %12.1f %8.1f\n", (std::string(name) + (cut ? ", cut" : "")).c_str(),
                  size, ns(made), ns(bare), made / bare);
    }
  }
  return 0;
}
