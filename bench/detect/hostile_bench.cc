// The cost of a byte of hostile text in each kind of request, beside a byte of plain text in the same run.
//
//   hostile_bench [--bytes N]... [--rounds N] [--kind NAME]
//
// Of every unit of tests/detect/steps, repeated in a request of the kind, the one with most steps
// (detect/core/cost_budget.h) is taken, and requests of it are measured: steps and CPU time a byte, each
// judged with new working memory, the best of --rounds, and what a byte of plain text takes just then.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <time.h>

#include "bench/detect/shapes.h"
#include "detect/engine.h"
#include "detect/offline.h"
#include "tests/detect/steps/hostile_requests.h"

namespace {

using wafd::Verdict;
using wafd::detect::Engine;

struct Cost {
  double ns = 0;  // a byte
  double steps = 0;
  bool limit = false;
};

double thread_cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

const wafd::bench::Shape& shape(std::string_view name) {
  return *std::find_if(wafd::bench::shapes().begin(), wafd::bench::shapes().end(),
                       [name](const auto& one) { return name == one.name; });
}

Cost cost_of(const Engine& engine, const std::string& bytes, int rounds) {
  // New memory is dear to touch for the first time, and a worker has done so long ago.
  static const std::string touches = shape("form").make(4u << 10);
  Cost cost{1e18, 0, false};
  Verdict verdict;
  for (int round = 0; round < rounds; ++round) {
    const auto scratch = engine.make_scratch();
    engine.inspect(wafd::detect::split_request(touches), *scratch, verdict);
    const double begin = thread_cpu_ns();
    engine.inspect(wafd::detect::split_request(bytes), *scratch, verdict);
    cost.ns = std::min(cost.ns, thread_cpu_ns() - begin);
    cost.steps = static_cast<double>(scratch->work_units());
  }
  cost.limit = verdict.limit_reached;
  cost.ns /= static_cast<double>(bytes.size());
  cost.steps /= static_cast<double>(bytes.size());
  return cost;
}

// The unit with most steps: a count, so once is enough.
std::string_view dearest(const Engine& engine, const wafd::detect::HostileRequest& kind) {
  constexpr std::size_t kBytes = 8u << 10;
  double most = 0;
  std::string_view unit;
  for (const std::string_view one : wafd::detect::kHostileUnits) {
    const double steps = cost_of(engine, kind.make(one, kBytes), 1).steps;
    if (steps <= most) continue;
    most = steps;
    unit = one;
  }
  return unit;
}

std::string visible(std::string_view unit) {
  std::string out;
  for (const char c : unit)
    out += c >= ' ' && c <= '~' ? std::string(1, c) : fmt::format("\\x{:02x}", wafd::byte(c));
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"CPU time and steps of hostile requests by kind"};
  std::vector<std::size_t> sizes;
  int rounds = 3;
  std::string only;
  app.add_option("--bytes", sizes, "of each request; 8 KiB, 64 KiB and 1 MiB without")
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--rounds", rounds)->check(CLI::Range(1, 100));
  app.add_option("--kind", only, "this kind alone");
  CLI11_PARSE(app, argc, argv);
  if (sizes.empty()) sizes = {8u << 10, 64u << 10, 1u << 20};
  const auto engine = Engine::build({});
  if (!engine) {
    fmt::print(stderr, "{}\n", engine.error().what);
    return 1;
  }
  fmt::print("{:<36}", "steps, ns a byte, to plain text");
  for (const std::size_t size : sizes) fmt::print(" | {:>16} KiB ", size >> 10);
  fmt::print("\n");
  for (const wafd::detect::HostileRequest& kind : wafd::detect::kHostileRequests) {
    if (!only.empty() && only != kind.name) continue;
    const std::string_view unit = dearest(**engine, kind);
    fmt::print("{:<36}", kind.name);
    for (const std::size_t size : sizes) {
      const Cost plain = cost_of(**engine, shape("prose").make(size), rounds);
      const Cost cost = cost_of(**engine, kind.make(unit, size), rounds);
      fmt::print(" | {:>4.0f} {:>5.0f} {:>5.1f} {}", cost.steps, cost.ns, cost.ns / plain.ns,
                 cost.limit ? "limit" : "     ");
    }
    fmt::print(" | {}\n", visible(unit));
    std::fflush(stdout);
  }
  return 0;
}
