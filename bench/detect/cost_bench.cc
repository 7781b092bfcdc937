// What judging costs: over stored requests, by size and shape, in memory, and beside libmodsecurity in the
// same run.
//
//   cost_bench [--no-peer] [--no-shapes] [--peer-every N] [--rounds N] [--analysers] [--nearest N] PATH...
//
// Every file below the paths is one raw HTTP request; of a folder with NAME.white the others are left alone.
// CPU time of this one thread, from bytes to verdict, each request judged once in the order of the names
// (the best of --rounds runs over all of them, each with new working memory), less what reading the clock
// takes.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include "bench/detect/analyser_costs.h"
#include "bench/detect/shapes.h"
#include "bench/peer/modsecurity.h"
#include "detect/engine.h"
#include "detect/offline.h"

namespace {

namespace fs = std::filesystem;
using wafd::Verdict;
using wafd::detect::Engine;
using wafd::detect::split_request;

double thread_cpu_us() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

// The time that reading the clock takes: the least of many.
double clock_us() {
  double least = 1e9;
  for (int i = 0; i < 10000; ++i) {
    const double begin = thread_cpu_us();
    least = std::min(least, thread_cpu_us() - begin);
  }
  return least;
}

double resident_mib() {
  std::ifstream in("/proc/self/statm");
  std::size_t total = 0;
  std::size_t resident = 0;
  in >> total >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

std::vector<std::string> read_requests(const std::vector<std::string>& paths,
                                       std::vector<std::string>& names) {
  std::vector<fs::path> files;
  for (const std::string& path : paths) {
    if (!fs::is_directory(path)) {
      files.emplace_back(path);
      continue;
    }
    std::vector<fs::path> inside;
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      if (entry.is_regular_file()) inside.push_back(entry.path());
    }
    const auto is_white = [](const fs::path& file) { return file.extension() == ".white"; };
    if (std::any_of(inside.begin(), inside.end(), is_white))
      std::erase_if(inside, [&](const fs::path& file) { return !is_white(file); });
    files.insert(files.end(), inside.begin(), inside.end());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> out;
  for (const fs::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    out.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    names.push_back(file.string());
  }
  return out;
}

double mean(const std::vector<double>& us) {
  double sum = 0;
  for (const double one : us) sum += one;
  return sum / static_cast<double>(us.size());
}

void print_times(const char* what, std::vector<double> us) {
  std::sort(us.begin(), us.end());
  const auto at = [&](double share) {
    return us[std::min(us.size() - 1, static_cast<std::size_t>(share * static_cast<double>(us.size())))];
  };
  fmt::print(
      "  {:<16} mean {:>8.2f}  p50 {:>8.2f}  p90 {:>8.1f}  p99 {:>8.1f}  p99.9 {:>8.1f}  worst {:>9.1f}\n",
      what, mean(us), at(0.5), at(0.9), at(0.99), at(0.999), us.back());
}

std::vector<double> judge_all(const Engine& engine, const std::vector<std::string>& requests, int rounds,
                              double clock, std::size_t& limits) {
  std::vector<double> best;
  for (int round = 0; round < rounds; ++round) {
    const auto scratch = engine.make_scratch();
    Verdict verdict;
    std::vector<double> us;
    us.reserve(requests.size());
    limits = 0;
    for (const std::string& bytes : requests) {
      const double begin = thread_cpu_us();
      engine.inspect(split_request(bytes), *scratch, verdict);
      us.push_back(std::max(0.0, thread_cpu_us() - begin - clock));
      limits += verdict.limit_reached ? 1 : 0;
    }
    if (best.empty() || mean(us) < mean(best)) best = std::move(us);
  }
  return best;
}

// The requests that are nearest to the limit of the steps that judging one may take.
void print_nearest(const Engine& engine, const std::vector<std::string>& requests,
                   const std::vector<std::string>& names, std::size_t count) {
  struct Cost {
    std::uint64_t steps = 0;
    std::uint64_t limit = 1;
    std::size_t request = 0;
    double us = 0;
    double share() const { return static_cast<double>(steps) / static_cast<double>(limit); }
  };
  const auto scratch = engine.make_scratch();
  Verdict verdict;
  std::vector<Cost> costs;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const double begin = thread_cpu_us();
    engine.inspect(split_request(requests[i]), *scratch, verdict);
    const double us = thread_cpu_us() - begin;
    costs.push_back({scratch->work_units(), scratch->work_limit(), i, us});
  }
  std::sort(costs.begin(), costs.end(), [](const Cost& a, const Cost& b) { return a.share() > b.share(); });
  costs.resize(std::min(costs.size(), count));
  fmt::print("\nNearest to the limit of steps\n  {:>6} {:>10} {:>10} {:>8} {:>9}\n", "share", "steps",
             "limit", "bytes", "us");
  for (const Cost& cost : costs) {
    fmt::print("  {:>6.3f} {:>10} {:>10} {:>8} {:>9.0f}  {}\n", cost.share(), cost.steps, cost.limit,
               requests[cost.request].size(), cost.us, names[cost.request]);
  }
}

// The best of a few runs, each with new working memory, so that nothing is known from the run before.
double judge_once(const Engine& engine, const std::string& bytes, bool& limit) {
  Verdict verdict;
  double best = 1e18;
  for (int run = 0; run < 4; ++run) {
    const auto scratch = engine.make_scratch();
    const double begin = thread_cpu_us();
    engine.inspect(split_request(bytes), *scratch, verdict);
    best = std::min(best, thread_cpu_us() - begin);
  }
  limit = verdict.limit_reached;
  return best;
}

void print_curve(const Engine& engine) {
  constexpr std::size_t kSizes[] = {1u << 10, 4u << 10, 16u << 10, 64u << 10, 256u << 10, 1u << 20};
  fmt::print("\nBy size and shape: microseconds (nanoseconds a byte; * a limit left something out)\n  {:<17}",
             "");
  for (const std::size_t size : kSizes) fmt::print("{:>11} KiB   ", size >> 10);
  fmt::print("\n");
  for (const wafd::bench::Shape& shape : wafd::bench::shapes()) {
    fmt::print("  {:<17}", shape.name);
    for (const std::size_t size : kSizes) {
      const std::string bytes = shape.make(size);
      bool limit = false;
      const double us = judge_once(engine, bytes, limit);
      fmt::print("{:>9.1f} ({:>4.1f}){}", us, us * 1e3 / static_cast<double>(bytes.size()),
                 limit ? "* " : "  ");
    }
    fmt::print("\n");
  }
}

void print_analysers(const std::vector<std::string>& requests) {
  std::vector<wafd::bench::AnalyserCost> costs;
  const auto engine = Engine::build(wafd::bench::counted_analyzers(costs), {}, {});
  if (!engine) return;
  const auto scratch = (*engine)->make_scratch();
  Verdict verdict;
  for (const std::string& bytes : requests) (*engine)->inspect(split_request(bytes), *scratch, verdict);
  std::sort(costs.begin(), costs.end(), [](const auto& a, const auto& b) { return a.us > b.us; });
  const auto count = static_cast<double>(requests.size());
  double sum = 0;
  for (const auto& cost : costs) sum += cost.us;
  fmt::print("\nAnalysers: {:.2f} us a request in all\n  {:<12} {:>8} {:>11} {:>7} {:>9} {:>9}\n",
             sum / count, "", "calls", "bytes", "hits", "us/req", "ns/byte");
  for (const auto& cost : costs) {
    fmt::print("  {:<12} {:>8} {:>11} {:>7} {:>9.3f} {:>9.2f}\n", cost.name, cost.calls, cost.bytes,
               cost.hits, cost.us / count,
               cost.bytes == 0 ? 0 : cost.us * 1e3 / static_cast<double>(cost.bytes));
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"CPU time and memory of judging requests"};
  bool no_peer = false;
  bool analysers = false;
  bool no_shapes = false;
  std::size_t peer_every = 20;
  std::size_t nearest = 0;
  int rounds = 1;
  std::vector<std::string> paths;
  app.add_flag("--no-peer", no_peer, "without libmodsecurity");
  app.add_option("--peer-every", peer_every, "the peer judges every Nth request")
      ->check(CLI::Range(1, 1000000));
  app.add_flag("--no-shapes", no_shapes, "the requests alone, no curve by size and shape");
  app.add_option("--rounds", rounds)->check(CLI::Range(1, 1000));
  app.add_flag("--analysers", analysers, "what each analyser costs");
  app.add_option("--nearest", nearest, "so many requests that are nearest to the limit of steps");
  app.add_option("PATH", paths)->required()->check(CLI::ExistingPath);
  CLI11_PARSE(app, argc, argv);

  std::vector<std::string> names;
  const std::vector<std::string> requests = read_requests(paths, names);
  if (requests.empty()) {
    fmt::print(stderr, "no request below the paths given\n");
    return 1;
  }
  std::size_t bytes = 0;
  for (const std::string& request : requests) bytes += request.size();

  const double before = resident_mib();
  const double build_begin = thread_cpu_us();
  const auto engine = Engine::build({});
  if (!engine) {
    fmt::print(stderr, "{}\n", engine.error().what);
    return 1;
  }
  const double build_ms = (thread_cpu_us() - build_begin) / 1e3;
  const double built = resident_mib();
  std::size_t limits = 0;
  const double clock = clock_us();
  const std::vector<double> us = judge_all(**engine, requests, rounds, clock, limits);
  fmt::print(
      "{} rules built in {:.0f} ms; databases {:.1f} MiB; resident: engine {:.1f} MiB, after all requests "
      "{:.1f} MiB\n",
      (*engine)->rules().size(), build_ms, static_cast<double>((*engine)->database_bytes()) / (1 << 20),
      built - before, resident_mib() - before);
  fmt::print(
      "{} requests, {} bytes; a limit left something out in {}\n\nCPU microseconds per request, less "
      "the {:.2f} that reading the clock takes\n",
      requests.size(), bytes, limits, clock);
  print_times("wafd", us);
  fmt::print("  {:<16} {:.2f} ns a byte\n", "",
             mean(us) * static_cast<double>(us.size()) * 1e3 / static_cast<double>(bytes));

  int status = 0;
  if (!no_peer) {
    const auto peer = wafd::bench::ModSecurity::load({});
    if (!peer) {
      fmt::print(stderr, "peer: {}\n", peer.error().what);
      status = 1;
    } else {
      std::vector<double> peer_us;
      std::vector<double> own_us;
      for (std::size_t i = 0; i < requests.size(); i += peer_every) {
        const wafd::Request request = split_request(requests[i]);
        peer_us.push_back((*peer)->judge(request.head, request.body).cpu_us);
        own_us.push_back(us[i]);
      }
      print_times("libmodsecurity", peer_us);
      fmt::print("  {} ({} rules), every {}th request: {:.0f} times the CPU of wafd on the same {}\n",
                 (*peer)->version(), (*peer)->rule_count(), peer_every, mean(peer_us) / mean(own_us),
                 own_us.size());
    }
  }
  if (!no_shapes) print_curve(**engine);
  if (nearest != 0) print_nearest(**engine, requests, names, nearest);
  if (analysers) print_analysers(requests);
  return status;
}
