// What 10,000 exceptions cost a request, contrived against the matcher of patterns and as people write them;
// beside it a loop over as many bytes as the matcher may take steps, so that the ratio says something on any
// machine.
//
//   exceptions_bench [--check]
//
// CPU time of this one thread, the least of several runs. With --check the exit status is 1 if contrived
// patterns take more than kMostRatio times the loop: about 20 ms where the loop takes 1.7.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <time.h>

#include "detect/policy/policy.h"

namespace {

using namespace wafd;
using namespace wafd::detect;

constexpr int kExceptions = 10'000;
constexpr int kRuns = 7;
constexpr double kMostRatio = 12;

double thread_cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

template <class Work>
double least_ms(Work work) {
  double least = 1e9;
  for (int run = 0; run < kRuns; ++run) {
    const double begin = thread_cpu_ms();
    work();
    least = std::min(least, thread_cpu_ms() - begin);
  }
  return least;
}

// One branch a byte, as the matcher has one a step.
double loop_ms() {
  const std::string text(kMaxGlobSteps, 'a');
  volatile std::size_t found = 0;
  return least_ms([&] {
    for (const char c : text)
      if (c == 'b') found = found + 1;
  });
}

double decide_ms(const std::string& path, const std::function<std::string(int)>& pattern) {
  PolicySettings settings;
  for (int i = 0; i < kExceptions; ++i) {
    ExceptionSettings exception;
    exception.id = std::to_string(i);
    exception.path = pattern(i);
    settings.exceptions.push_back(exception);
  }
  const auto policy = Policy::build(settings);
  if (!policy) {
    fmt::print(stderr, "exceptions_bench: {}\n", policy.error().what);
    return 1e9;
  }
  Rule rule;
  rule.id = "m_sqli/1", rule.module = "m_sqli";
  Verdict verdict;
  verdict.findings.resize(4);
  for (Finding& finding : verdict.findings) finding.rule = &rule, finding.denies_from = Sensitivity::kLow;
  const std::string bytes = "GET " + path + " HTTP/1.1\r\nHost: shop.example\r\n\r\n";
  RequestHead head;
  head.parse(bytes);
  Request request;
  request.head = bytes;
  return least_ms([&] {
    const Decision decision = policy->decide(request, head, verdict, Enforcement::kInline, 0);
    if (decision.action != Action::kDeny) fmt::print(stderr, "exceptions_bench: a pattern matched\n");
  });
}

}  // namespace

int main(int argc, char** argv) {
  const bool check = argc > 1 && std::strcmp(argv[1], "--check") == 0;
  const double loop = loop_ms();
  fmt::print("loop over {} bytes: {:.2f} ms\n", kMaxGlobSteps, loop);
  struct Shape {
    const char* name;
    std::string path;
    std::function<std::string(int)> pattern;
  };
  const std::string longest = "/" + std::string(kMaxExceptionPathBytes - 2, 'a');
  const std::vector<Shape> shapes = {
      {"as people write them", "/shop/cart/checkout", [](int i) { return fmt::format("/area{}/*/edit", i); }},
      {"stars against one letter", longest, [](int i) { return fmt::format("/**a*a*a*a*b{}*a", i); }},
      {"stars before another end", longest, [](int i) { return fmt::format("/**a*{}b*a", i); }},
      {"runs behind runs", longest, [](int i) { return fmt::format("/**a**a**a**{}b**a", i); }},
      {"long ends", longest, [](int i) { return fmt::format("/*{}{}", i % 10, std::string(900, 'a')); }},
  };
  bool good = true;
  for (const Shape& shape : shapes) {
    const double ms = decide_ms(shape.path, shape.pattern);
    fmt::print("{} exceptions, {}: {:.2f} ms, {:.1f} times the loop\n", kExceptions, shape.name, ms,
               ms / loop);
    good = good && ms <= kMostRatio * loop;
  }
  return check && !good ? 1 : 0;
}
