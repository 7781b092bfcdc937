// How much of what is detected is still detected when it is written otherwise, and how much of what is let
// through still is.
//
//   variations [--list N] [--module M] [--only NAME] [--out FOLDER] PATH...
//
// Every NAME.black that is denied at a sensitivity is varied by every rule that applies to it; the table says
// which share of the variations is denied at that sensitivity. Every NAME.white that is allowed is changed in
// ways that say the same to the application. What is lost is listed with the finding that carried the
// original.
#include "tests/support/variations/variations.h"

#include <cstdio>
#include <filesystem>
#include <map>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "bench/quality/samples.h"
#include "detect/core/bytes.h"
#include "detect/core/record_json.h"
#include "detect/engine.h"
#include "detect/offline.h"
#include "tests/support/variations/benign.h"

namespace {

using wafd::Sensitivity;
using wafd::Verdict;
namespace variations = wafd::variations;

struct WafdJudge {
  const wafd::detect::Engine& engine;
  std::unique_ptr<wafd::detect::Scratch> scratch = engine.make_scratch();
  Verdict verdict;

  int decide(std::string_view bytes, Sensitivity sensitivity) {
    engine.inspect(wafd::detect::split_request(bytes), *scratch, verdict);
    return wafd::detect::deciding_finding(verdict, sensitivity);
  }
  bool denies(Sensitivity sensitivity) const {
    return wafd::detect::deciding_finding(verdict, sensitivity) >= 0;
  }
};

struct Line {
  std::string holds;
  std::size_t tried[2] = {0, 0};  // at balanced, at strict
  std::size_t kept[2] = {0, 0};
  std::vector<std::string> lost;
};

std::string shown(std::string_view text, std::size_t limit) {
  std::string out;
  wafd::append_json_text(text.substr(0, limit), out);
  return out;
}

std::string describe(const wafd::Finding& finding) {
  return fmt::format("{} {} in {} [{}]: {}", finding.rule->module, finding.rule->number,
                     to_string(finding.location, finding.in_name), finding.decode_path,
                     shown(finding.payload, 100));
}

void print(const char* title, const std::vector<std::string>& order, std::map<std::string, Line>& lines,
           std::size_t limit) {
  fmt::print("\n{:<40} {:>17} {:>17}\n", title, "balanced", "strict");
  std::size_t tried[2] = {0, 0};
  std::size_t kept[2] = {0, 0};
  for (const std::string& name : order) {
    const Line& line = lines[name];
    if (line.tried[0] + line.tried[1] == 0) continue;
    fmt::print("{:<40}", name);
    for (int i = 0; i < 2; ++i) {
      fmt::print(" {:>5}/{:<5} {:>5.1f}", line.kept[i], line.tried[i],
                 line.tried[i] == 0
                     ? 100.0
                     : 100.0 * static_cast<double>(line.kept[i]) / static_cast<double>(line.tried[i]));
      tried[i] += line.tried[i];
      kept[i] += line.kept[i];
    }
    fmt::print("  {}\n", line.holds);
  }
  fmt::print("{:<40}", "all");
  for (int i = 0; i < 2; ++i)
    fmt::print(" {:>5}/{:<5} {:>5.1f}", kept[i], tried[i],
               tried[i] == 0 ? 100.0 : 100.0 * static_cast<double>(kept[i]) / static_cast<double>(tried[i]));
  fmt::print("\n");
  for (const std::string& name : order) {
    const Line& line = lines[name];
    if (line.lost.empty() || limit == 0) continue;
    fmt::print("\nlost by \"{}\" ({}; {}):\n", name, line.lost.size(), line.holds);
    for (std::size_t i = 0; i < line.lost.size() && i < limit; ++i) fmt::print("{}\n", line.lost[i]);
    if (line.lost.size() > limit) fmt::print("  … and {} more\n", line.lost.size() - limit);
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Variations of stored requests: what is still detected, what is still let through"};
  std::vector<std::string> paths;
  std::string module;
  std::string only;
  std::string folder;
  std::size_t limit = 10;
  app.add_option("--list", limit, "how many losses of each variation to show");
  app.add_option("--module", module, "only attacks that this module found (m_sqli)");
  app.add_option("--only", only, "only variations whose name begins so");
  app.add_option("--out", folder, "write the requests that were lost there, as they were sent");
  app.add_option("PATH", paths)->required()->check(CLI::ExistingPath);
  CLI11_PARSE(app, argc, argv);
  const auto engine = wafd::detect::Engine::build({});
  if (!engine) {
    fmt::print(stderr, "{}\n", engine.error().what);
    return 1;
  }
  const std::vector<wafd::bench::Sample> samples = wafd::bench::list_samples(paths);
  if (samples.empty()) {
    fmt::print(stderr, "no .black or .white file below the paths given\n");
    return 1;
  }
  if (!folder.empty()) std::filesystem::create_directories(folder);

  WafdJudge judge{**engine};
  std::map<std::string, Line> lines;
  std::vector<std::string> order;
  for (const auto& one : variations::all_variations()) {
    order.emplace_back(one.name);
    lines[one.name].holds = one.holds;
  }
  std::map<std::string, Line> benign_lines;
  std::vector<std::string> benign_order;
  for (const auto& one : variations::benign_changes()) {
    benign_order.emplace_back(one.name);
    benign_lines[one.name].holds = "";
  }

  std::size_t no_place = 0;
  std::size_t blacks = 0;
  std::string varied;
  const bool progress = isatty(STDERR_FILENO) != 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (progress && i % 100 == 0) fmt::print(stderr, "\r{} of {}", i, samples.size());
    const std::string bytes = wafd::bench::read_file(samples[i].path);
    const std::string name = std::filesystem::path(samples[i].path).filename().string();
    const int deciding = judge.decide(bytes, Sensitivity::kStrict);
    const bool denied[2] = {judge.denies(Sensitivity::kBalanced), deciding >= 0};
    if (!samples[i].black) {
      for (const auto& one : variations::benign_changes()) {
        if (!std::string_view(one.name).starts_with(only)) continue;
        const auto request = variations::read_request(bytes);
        if (!one.change(request, varied)) continue;
        judge.decide(varied, Sensitivity::kStrict);
        Line& line = benign_lines[one.name];
        for (const int s : {0, 1}) {
          if (denied[s]) continue;
          ++line.tried[s];
          const Sensitivity sensitivity = s == 0 ? Sensitivity::kBalanced : Sensitivity::kStrict;
          const int at = wafd::detect::deciding_finding(judge.verdict, sensitivity);
          line.kept[s] += at < 0 ? 1 : 0;
          if (at >= 0)
            line.lost.push_back(fmt::format("  {} at {}: {}", name, to_string(sensitivity),
                                            describe(judge.verdict.findings[static_cast<std::size_t>(at)])));
        }
      }
      continue;
    }
    if (deciding < 0) continue;
    const wafd::Finding finding = judge.verdict.findings[static_cast<std::size_t>(deciding)];
    if (!module.empty() && finding.rule->module != module) continue;
    ++blacks;
    const auto attack = variations::attack_of(bytes, finding);
    if (!attack) {
      ++no_place;
      continue;
    }
    for (const auto& one : variations::all_variations()) {
      if (!std::string_view(one.name).starts_with(only) || !variations::vary(one, *attack, varied)) continue;
      const int found = judge.decide(varied, Sensitivity::kStrict);
      const bool kept[2] = {judge.denies(Sensitivity::kBalanced), found >= 0};
      Line& line = lines[one.name];
      for (const int s : {0, 1}) {
        line.tried[s] += denied[s] ? 1 : 0;
        line.kept[s] += denied[s] && kept[s] ? 1 : 0;
      }
      if ((denied[0] && !kept[0]) || (denied[1] && !kept[1])) {
        line.lost.push_back(fmt::format(
            "  {} was {}\n      {}; now {}", name, denied[0] ? "balanced" : "strict", describe(finding),
            kept[1] ? "strict: " + describe(judge.verdict.findings[static_cast<std::size_t>(found)])
            : judge.verdict.findings.empty() ? "nothing found"
                                             : "recorded: " + describe(judge.verdict.findings[0])));
        if (!folder.empty()) {
          std::string file = fmt::format("{}.{}", name, one.name);
          for (char& c : file) c = wafd::is_alnum(c) || c == '.' || c == '-' ? c : '_';
          std::ofstream(std::filesystem::path(folder) / file, std::ios::binary) << varied;
          line.lost.back() += fmt::format("\n      {}", file);
        }
      }
    }
  }
  if (progress) fmt::print(stderr, "\r{} of {}\n", samples.size(), samples.size());
  fmt::print("{} attacks varied; {} of them have no single value that could be\n", blacks - no_place,
             no_place);
  print("attacks: variation, still denied", order, lines, limit);
  print("ordinary requests: change, still allowed", benign_order, benign_lines, limit);
  return 0;
}
