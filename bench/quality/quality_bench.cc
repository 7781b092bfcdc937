// Quality of detection over stored requests: NAME.black are attacks, NAME.white are not; other files are left
// alone. See bench/quality/README.md.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "bench/peer/modsecurity.h"
#include "bench/quality/samples.h"
#include "bench/quality/tally.h"
#include "detect/core/record_json.h"
#include "detect/engine.h"
#include "detect/offline.h"
#include "tests/support/variations/raw_request.h"

namespace {

using namespace wafd::bench;
using wafd::Sensitivity;
using wafd::Verdict;

constexpr Sensitivity kSensitivities[kLevels] = {Sensitivity::kLow, Sensitivity::kBalanced,
                                                 Sensitivity::kStrict};
constexpr double kMaxMove = 1.0;  // percentage points that headers without findings may move the table

struct Arguments {
  std::string sensitivity = "balanced";
  std::vector<std::string> rule_files;
  std::vector<std::string> paths;
  std::size_t list = 20;
  std::size_t name_bytes = 0;
  bool peer = false;
  bool no_peer = false;
  int peer_level = 1;
  bool strip_headers = false;
};

struct Wrong {
  std::string path;
  std::string why;
  int weight = 0;  // false positives: the riskier first
};

struct Report {
  Tally all;
  std::map<std::string, Tally> by_type, by_location, by_name;
  std::vector<Wrong> misses, false_positives, moved;
  Times black_us, white_us;
  std::size_t limits = 0;
  Tally stripped;
  Tally peer;  // one level: it has no others here
  Times peer_black_us, peer_white_us;
};

// A line on a terminal; else one every ten seconds, so that a log shows that it goes on.
class Progress {
 public:
  explicit Progress(std::size_t all) : all_(all) {}
  void at(std::size_t i) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < (terminal_ ? std::chrono::milliseconds(200) : std::chrono::milliseconds(10000))) return;
    last_ = now;
    fmt::print(stderr, "{}{} of {}{}", terminal_ ? "\r" : "", i, all_, terminal_ ? "" : "\n");
    std::fflush(stderr);
  }
  ~Progress() {
    if (terminal_) fmt::print(stderr, "\r{} of {}\n", all_, all_);
  }

 private:
  std::size_t all_;
  bool terminal_ = isatty(STDERR_FILENO) != 0;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

std::string describe(const wafd::Finding& finding) {
  std::string payload;
  wafd::append_json_text(std::string_view(finding.payload).substr(0, 120), payload);
  return fmt::format("{} {} in {} {} [{}]: {} | {}", to_string(finding.rule->attack_type),
                     finding.rule->number, to_string(finding.location, finding.in_name), finding.name,
                     finding.decode_path, finding.reason, payload);
}

void print_wrong(const char* title, std::vector<Wrong>& wrong, std::size_t limit) {
  std::stable_sort(wrong.begin(), wrong.end(),
                   [](const Wrong& a, const Wrong& b) { return a.weight > b.weight; });
  fmt::print("\n{} ({}):\n", title, wrong.size());
  for (std::size_t i = 0; i < wrong.size() && i < limit; ++i)
    fmt::print("  {}\n      {}\n", wrong[i].path, wrong[i].why);
  if (wrong.size() > limit) fmt::print("  … and {} more (--list N shows more)\n", wrong.size() - limit);
}

class Run {
 public:
  Run(const Arguments& arguments, const wafd::detect::Engine& engine, ModSecurity* peer)
      : arguments_(arguments), engine_(engine), peer_(peer), scratch_(engine.make_scratch()) {}

  void judge(const Sample& sample) {
    const std::string bytes = read_file(sample.path);
    const wafd::Request request = wafd::detect::split_request(bytes);
    const double begin = thread_cpu_us();
    engine_.inspect(request, *scratch_, verdict_);
    (sample.black ? report.black_us : report.white_us).push_back(thread_cpu_us() - begin);
    report.limits += verdict_.limit_reached ? 1 : 0;
    report.all.count(sample.black);
    count(sample);
    if (arguments_.strip_headers) judge_stripped(sample, bytes);
    if (peer_ != nullptr) judge_with_peer(sample, request);
  }

  Report report;

 private:
  void count(const Sample& sample) {
    Tally* name = nullptr;
    if (arguments_.name_bytes != 0) {
      name = &report.by_name
                  [std::filesystem::path(sample.path).filename().string().substr(0, arguments_.name_bytes)];
      name->count(sample.black);
    }
    for (std::size_t level = 0; level < kLevels; ++level) {
      const int deciding = wafd::detect::deciding_finding(verdict_, kSensitivities[level]);
      if (deciding >= 0) {
        const wafd::Finding& finding = verdict_.findings[static_cast<std::size_t>(deciding)];
        report.all.deny(sample.black, level);
        report.by_type[to_string(finding.rule->attack_type)].deny(sample.black, level);
        report.by_location[to_string(finding.location, finding.in_name)].deny(sample.black, level);
        if (name != nullptr) name->deny(sample.black, level);
      }
      if (kSensitivities[level] == *wafd::parse_sensitivity(arguments_.sensitivity))
        note_wrong(sample, deciding);
    }
  }

  void note_wrong(const Sample& sample, int deciding) {
    if (sample.black && deciding < 0) {
      report.misses.push_back({sample.path,
                               verdict_.findings.empty() ? std::string("nothing found")
                                                         : "only recorded: " + describe(verdict_.findings[0]),
                               0});
    } else if (!sample.black && deciding >= 0) {
      const wafd::Finding& finding = verdict_.findings[static_cast<std::size_t>(deciding)];
      report.false_positives.push_back(
          {sample.path, describe(finding), static_cast<int>(finding.rule->risk)});
    }
  }

  void judge_stripped(const Sample& sample, const std::string& bytes) {
    const int before =
        wafd::detect::deciding_finding(verdict_, *wafd::parse_sensitivity(arguments_.sensitivity));
    const std::string was =
        before < 0 ? "" : "was " + describe(verdict_.findings[static_cast<std::size_t>(before)]);
    const std::string less = wafd::variations::without_idle_headers(bytes, verdict_);
    engine_.inspect(wafd::detect::split_request(less), *scratch_, verdict_);
    report.stripped.count(sample.black);
    const Sensitivity listed = *wafd::parse_sensitivity(arguments_.sensitivity);
    const int after = wafd::detect::deciding_finding(verdict_, listed);
    if ((before >= 0) != (after >= 0))
      report.moved.push_back(
          {sample.path,
           after >= 0 ? "now " + describe(verdict_.findings[static_cast<std::size_t>(after)]) : was, 0});
    for (std::size_t level = 0; level < kLevels; ++level) {
      if (wafd::detect::deciding_finding(verdict_, kSensitivities[level]) >= 0)
        report.stripped.deny(sample.black, level);
    }
  }

  void judge_with_peer(const Sample& sample, const wafd::Request& request) {
    const ModSecurity::Judged judged = peer_->judge(request.head, request.body);
    report.peer.count(sample.black);
    (sample.black ? report.peer_black_us : report.peer_white_us).push_back(judged.cpu_us);
    if (judged.denied) report.peer.deny(sample.black, 0);
  }

  const Arguments& arguments_;
  const wafd::detect::Engine& engine_;
  ModSecurity* peer_;
  std::unique_ptr<wafd::detect::Scratch> scratch_;
  Verdict verdict_;
};

// False if the table moved by a point or more.
bool print_stripped(const Report& report) {
  print_confusion("without headers that carry no finding", report.stripped);
  double most = 0;
  for (std::size_t level = 0; level < kLevels; ++level) {
    most = std::max({most, std::abs(report.stripped.black_share(level) - report.all.black_share(level)),
                     std::abs(report.stripped.white_share(level) - report.all.white_share(level))});
  }
  fmt::print("  moved by at most {:.3f} points\n", most);
  return most < kMaxMove;
}

void print_peer(Report& report, const ModSecurity& peer) {
  const Tally& tally = report.peer;
  fmt::print("\n{}, {} rules\n  denied {} of {} blacks ({:.3f} %), {} of {} whites ({:.3f} %)\n",
             peer.version(), peer.rule_count(), tally.denied_blacks[0], tally.blacks, tally.black_share(0),
             tally.denied_whites[0], tally.whites, tally.white_share(0));
  fmt::print("CPU microseconds per request\n");
  print_times("peer, blacks", report.peer_black_us);
  print_times("peer, whites", report.peer_white_us);
  if (!report.white_us.empty())
    fmt::print("  whites: the peer takes {:.0f} times the CPU time\n",
               mean_of(report.peer_white_us) / mean_of(report.white_us));
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app{"Quality of detection over .black and .white request files"};
  app.add_option("--sensitivity", arguments.sensitivity, "whose false positives and misses are listed")
      ->check(CLI::IsMember({"low", "balanced", "strict"}));
  app.add_option("--rules", arguments.rule_files, "further rule files")->allow_extra_args(false);
  app.add_option("--list", arguments.list, "how many wrongly judged requests to show");
  app.add_option("--by-name", arguments.name_bytes, "also a table by the first N bytes of the file names");
  app.add_flag("--peer", arguments.peer, "judge the same requests with libmodsecurity and the Core Rule Set");
  app.add_flag("--no-peer", arguments.no_peer, "go on without the peer where it is not there");
  app.add_option("--peer-level", arguments.peer_level, "paranoia level of the peer")->check(CLI::Range(1, 4));
  app.add_flag("--strip-headers", arguments.strip_headers,
               "judge again without headers that carry no finding; fails if the table moves by a point");
  app.add_option("PATH", arguments.paths)->required()->check(CLI::ExistingPath);
  CLI11_PARSE(app, argc, argv);

  std::vector<std::string> texts;
  std::vector<wafd::detect::RuleFile> rule_files;
  texts.reserve(arguments.rule_files.size());
  for (const std::string& path : arguments.rule_files) {
    texts.push_back(read_file(path));
    rule_files.push_back({path, texts.back()});
  }
  const double build_begin = thread_cpu_us();
  const auto engine = wafd::detect::Engine::build(rule_files);
  if (!engine) {
    fmt::print(stderr, "{}\n", engine.error().what);
    return 1;
  }
  const double build_us = thread_cpu_us() - build_begin;

  std::unique_ptr<ModSecurity> peer;
  if (arguments.peer) {
    auto loaded = ModSecurity::load({.paranoia_level = arguments.peer_level});
    if (loaded) {
      peer = std::move(*loaded);
    } else if (!arguments.no_peer) {
      fmt::print(stderr, "{} (--no-peer goes on without it)\n", loaded.error().what);
      return 1;
    }
  }
  const std::vector<Sample> samples = list_samples(arguments.paths);
  if (samples.empty()) {
    fmt::print(stderr, "no .black or .white file below the paths given\n");
    return 1;
  }
  Run run(arguments, **engine, peer.get());
  {
    Progress progress(samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i) {
      run.judge(samples[i]);
      progress.at(i);
    }
  }

  Report& report = run.report;
  fmt::print(
      "{} rules, built in {:.0f} ms, databases {} KiB; a limit left something out in {} of {} requests\n",
      (*engine)->rules().size(), build_us / 1e3, (*engine)->database_bytes() >> 10, report.limits,
      samples.size());
  print_confusion("sensitivity", report.all);
  print_by("by attack type", report.by_type, false);
  print_by("by location", report.by_location, false);
  if (arguments.name_bytes != 0) print_by("by file name", report.by_name, true);
  fmt::print("\nCPU microseconds per request\n");
  print_times("blacks", report.black_us);
  print_times("whites", report.white_us);
  if (peer) print_peer(report, *peer);
  const bool steady = !arguments.strip_headers || print_stripped(report);
  print_wrong(fmt::format("false positives at {}", arguments.sensitivity).c_str(), report.false_positives,
              arguments.list);
  print_wrong(fmt::format("misses at {}", arguments.sensitivity).c_str(), report.misses, arguments.list);
  if (arguments.strip_headers)
    print_wrong("judged otherwise without headers that carry no finding", report.moved, arguments.list);
  return steady ? 0 : 1;
}
