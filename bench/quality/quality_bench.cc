// Quality of detection over stored requests: NAME.black are attacks, NAME.white are not; other files are left
// alone.
//
//   quality_bench [--sensitivity S] [--rules FILE] [--list N] PATH...
//
// Prints the confusion table, what was denied by attack type and by location, the requests judged wrongly,
// and the CPU time of judging (one thread, from octets to verdict, reading left out).
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include "detect/core/record_json.h"
#include "detect/engine.h"
#include "detect/offline.h"

namespace {

namespace fs = std::filesystem;
using wafd::Sensitivity;
using wafd::Verdict;

struct Sample {
  std::string path;
  bool black = false;
};

struct Wrong {
  std::string path;
  std::string why;
  int weight = 0;  // false positives: the riskier first
};

struct Table {
  std::size_t denied_blacks = 0, blacks = 0;
  std::size_t denied_whites = 0, whites = 0;
};

double thread_cpu_us() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

std::vector<Sample> list(const std::vector<std::string>& paths) {
  std::vector<Sample> out;
  const auto take = [&](const fs::path& path) {
    const std::string kind = path.extension().string();
    if (kind == ".black" || kind == ".white") out.push_back({path.string(), kind == ".black"});
  };
  for (const std::string& path : paths) {
    if (!fs::is_directory(path)) {
      take(path);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(path)) take(entry.path());
  }
  std::sort(out.begin(), out.end(), [](const Sample& a, const Sample& b) { return a.path < b.path; });
  return out;
}

std::string describe(const wafd::Finding& finding) {
  std::string payload;
  wafd::append_json_text(std::string_view(finding.payload).substr(0, 120), payload);
  return fmt::format("{} in {} {} [{}]: {} | {}", to_string(finding.rule->attack_type),
                     to_string(finding.location, finding.in_name), finding.name, finding.decode_path,
                     finding.reason, payload);
}

void print_share(const char* what, std::size_t part, std::size_t whole) {
  fmt::print("  {:<16} {:>7} of {:>7}  {:>8.3f} %\n", what, part, whole,
             whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

void print_times(const char* what, std::vector<double>& us) {
  if (us.empty()) return;
  std::sort(us.begin(), us.end());
  double sum = 0;
  for (const double one : us) sum += one;
  const auto at = [&](double share) {
    return us[std::min(us.size() - 1, static_cast<std::size_t>(share * static_cast<double>(us.size())))];
  };
  fmt::print(
      "  {:<8} mean {:>8.1f}  p50 {:>8.1f}  p90 {:>8.1f}  p99 {:>8.1f}  p99.9 {:>9.1f}  worst {:>9.1f}\n",
      what, sum / static_cast<double>(us.size()), at(0.5), at(0.9), at(0.99), at(0.999), us.back());
}

void print_wrong(const char* title, std::vector<Wrong>& wrong, std::size_t limit) {
  std::stable_sort(wrong.begin(), wrong.end(),
                   [](const Wrong& a, const Wrong& b) { return a.weight > b.weight; });
  fmt::print("\n{} ({}):\n", title, wrong.size());
  for (std::size_t i = 0; i < wrong.size() && i < limit; ++i)
    fmt::print("  {}\n      {}\n", wrong[i].path, wrong[i].why);
  if (wrong.size() > limit) fmt::print("  … and {} more (--list N shows more)\n", wrong.size() - limit);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Quality of detection over .black and .white request files"};
  std::string sensitivity_text = "balanced";
  std::vector<std::string> rule_paths;
  std::vector<std::string> paths;
  std::size_t list_limit = 20;
  app.add_option("--sensitivity", sensitivity_text)->check(CLI::IsMember({"low", "balanced", "strict"}));
  app.add_option("--rules", rule_paths, "further rule files")->allow_extra_args(false);
  app.add_option("--list", list_limit, "how many wrongly judged requests to show");
  app.add_option("PATH", paths)->required()->check(CLI::ExistingPath);
  CLI11_PARSE(app, argc, argv);
  const Sensitivity sensitivity = *wafd::parse_sensitivity(sensitivity_text);

  std::vector<std::string> texts;
  std::vector<wafd::detect::Engine::RuleFile> rule_files;
  texts.reserve(rule_paths.size());
  for (const std::string& path : rule_paths) {
    std::ifstream in(path, std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    rule_files.push_back({path, texts.back()});
  }
  const double build_begin = thread_cpu_us();
  const auto engine = wafd::detect::Engine::build(rule_files);
  if (!engine) {
    fmt::print(stderr, "{}\n", engine.error().what);
    return 1;
  }
  const double build_us = thread_cpu_us() - build_begin;
  const auto scratch = (*engine)->make_scratch();

  const std::vector<Sample> samples = list(paths);
  if (samples.empty()) {
    fmt::print(stderr, "no .black or .white file below the paths given\n");
    return 1;
  }
  Table all;
  std::map<std::string, std::pair<std::size_t, std::size_t>> by_type;  // denied blacks, denied whites
  std::map<std::string, std::pair<std::size_t, std::size_t>> by_location;
  std::vector<Wrong> misses;
  std::vector<Wrong> false_positives;
  std::vector<double> black_us;
  std::vector<double> white_us;
  std::size_t limits = 0;
  Verdict verdict;
  const bool progress = isatty(STDERR_FILENO) != 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Sample& sample = samples[i];
    if (progress && i % 500 == 0) fmt::print(stderr, "\r{} of {}", i, samples.size());
    std::ifstream in(sample.path, std::ios::binary);
    const std::string octets((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    const double begin = thread_cpu_us();
    (*engine)->inspect(wafd::detect::split_request(octets), *scratch, verdict);
    const int deciding = wafd::detect::deciding_finding(verdict, sensitivity);
    (sample.black ? black_us : white_us).push_back(thread_cpu_us() - begin);
    limits += verdict.limit_reached ? 1 : 0;
    ++(sample.black ? all.blacks : all.whites);
    if (deciding < 0) {
      if (!sample.black) continue;
      std::string why =
          verdict.findings.empty() ? "nothing found" : "only recorded: " + describe(verdict.findings[0]);
      misses.push_back({sample.path, std::move(why), 0});
      continue;
    }
    const wafd::Finding& finding = verdict.findings[static_cast<std::size_t>(deciding)];
    auto& type = by_type[to_string(finding.rule->attack_type)];
    auto& location = by_location[to_string(finding.location, finding.in_name)];
    ++(sample.black ? type.first : type.second);
    ++(sample.black ? location.first : location.second);
    ++(sample.black ? all.denied_blacks : all.denied_whites);
    if (!sample.black)
      false_positives.push_back({sample.path, describe(finding), static_cast<int>(finding.rule->risk)});
  }
  if (progress) fmt::print(stderr, "\r{} of {}\n", samples.size(), samples.size());

  fmt::print("sensitivity {}, {} rules, built in {:.0f} ms, databases {} KiB\n\n", sensitivity_text,
             (*engine)->rules().size(), build_us / 1e3, (*engine)->database_octets() >> 10);
  print_share("blacks denied", all.denied_blacks, all.blacks);
  print_share("whites denied", all.denied_whites, all.whites);
  fmt::print("  a limit left something out in {} of {}\n", limits, samples.size());
  fmt::print("\ndenied by attack type          blacks  whites\n");
  for (const auto& [name, count] : by_type)
    fmt::print("  {:<28} {:>6}  {:>6}\n", name, count.first, count.second);
  fmt::print("\ndenied by location             blacks  whites\n");
  for (const auto& [name, count] : by_location)
    fmt::print("  {:<28} {:>6}  {:>6}\n", name, count.first, count.second);
  fmt::print("\nCPU microseconds per request\n");
  print_times("blacks", black_us);
  print_times("whites", white_us);
  print_wrong("false positives", false_positives, list_limit);
  print_wrong("misses", misses, list_limit);
  return 0;
}
