#include "detect/commands.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include "detect/core/record_json.h"
#include "detect/engine.h"
#include "detect/offline.h"
#include "detect/policy/policy.h"
#include "detect/signatures/builtin_rules.h"
#include "detect/signatures/signatures.h"

namespace wafd::detect {
namespace {

namespace fs = std::filesystem;

bool read_file(const std::string& path, std::string& out) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return false;
  out.clear();
  char buffer[65536];
  std::size_t got = 0;
  while ((got = std::fread(buffer, 1, sizeof buffer, file)) > 0) out.append(buffer, got);
  const bool ok = std::ferror(file) == 0;
  std::fclose(file);
  return ok;
}

double thread_cpu_us() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

// Paths and reasons for stderr: a name may hold any bytes, and a terminal obeys some of them.
void say(std::string_view path, std::string_view what) {
  std::string line;
  append_json_text(path, line);
  fmt::print(stderr, "wafd inspect: {}: {}\n", line, what);
}

// Why a thing that is no regular file is left out; "" for folders, which are gone into.
std::string why_skipped(const fs::directory_entry& entry) {
  std::error_code error;
  if (entry.is_directory(error) && !entry.is_symlink(error)) return {};
  if (entry.is_directory(error)) return "skipped: a link to a folder";
  if (entry.is_symlink(error) && !entry.exists(error)) return "skipped: a link to nothing";
  return "skipped: no regular file";
}

// Appends the files below `argument`, named as the argument is given joined with the way down; what is left
// out is said on stderr. False: not all of it could be read.
bool list_files(const std::string& argument, std::vector<std::string>& out) {
  std::error_code error;
  const fs::file_status status = fs::status(argument, error);
  if (error) {
    say(argument, error.message());
    return false;
  }
  if (!fs::is_directory(status)) {  // a pipe that is named is meant
    out.push_back(argument);
    return true;
  }
  bool whole = true;
  std::vector<fs::path> folders{argument};
  while (!folders.empty()) {
    const fs::path folder = std::move(folders.back());
    folders.pop_back();
    auto at = fs::directory_iterator(folder, error);
    for (; !error && at != fs::directory_iterator(); at.increment(error)) {
      std::error_code ignored;
      if (at->is_regular_file(ignored)) {
        out.push_back(at->path().string());
      } else if (const std::string why = why_skipped(*at); !why.empty()) {
        say(at->path().string(), why);
      } else {
        folders.push_back(at->path());
      }
    }
    if (!error) continue;
    say(folder.string(), error.message());
    whole = false;
  }
  return whole;
}

std::string json_text(std::string_view text) {
  std::string out = "\"";
  append_json_text(text, out);
  out += '"';
  return out;
}

// A column of the TSV: one word for the reader, whatever bytes it is made of.
std::string column(std::string_view text) {
  if (text.empty()) return "-";
  std::string out;
  append_json_text(text, out);
  return out;
}

// The deciding finding; null: none, or an uninspected part decided.
const Finding* deciding_of(const Verdict& verdict, const Decision& decision) noexcept {
  return decision.action == Action::kDeny && decision.weightiest >= 0
             ? &verdict.findings[static_cast<std::size_t>(decision.weightiest)]
             : nullptr;
}

void print_tsv(const std::string& path, const Verdict& verdict, const Decision& decision, double us) {
  const Finding* finding = deciding_of(verdict, decision);
  const bool deny = decision.action == Action::kDeny;
  fmt::print("{}\t{}\t{}\t{}\t{}\t{}\t{:.1f}\n", column(path), deny ? "deny" : "pass",
             deny ? to_string(decision.attack_type) : "-", deny ? decision.rule_id : "-",
             finding != nullptr ? to_string(finding->location, finding->in_name) : "-",
             finding != nullptr ? column(finding->decode_path) : "-", us);
}

void print_json(const std::string& path, const Verdict& verdict, const Decision& decision, double us) {
  const Finding* deciding = deciding_of(verdict, decision);
  const bool deny = decision.action == Action::kDeny;
  std::string out = fmt::format(
      "{{\"path\":{},\"action\":\"{}\",\"rule_id\":{},\"microseconds\":{:.1f},\"limit_reached\":{},"
      "\"body_truncated\":{},\"unknown_coding\":{},\"findings\":[",
      json_text(path), deny ? "deny" : "pass", json_text(deny ? decision.rule_id : ""), us,
      verdict.limit_reached, verdict.body_truncated, verdict.unknown_coding);
  for (std::size_t i = 0; i < verdict.findings.size(); ++i) {
    const Finding& finding = verdict.findings[i];
    const Rule& rule = *finding.rule;
    out += fmt::format(
        "{}{{\"attack_type\":\"{}\",\"risk_level\":\"{}\",\"rule_id\":\"{}\",\"rule_name\":{},\"denies_"
        "from\":\"{}\","
        "\"decides\":{},\"location\":\"{}\",\"name\":{},\"payload\":{},\"decode_path\":{},\"reason\":{},\"in_"
        "body\":{},"
        "\"raw_begin\":{},\"raw_end\":{}}}",
        i == 0 ? "" : ",", to_string(rule.attack_type), to_string(rule.risk), rule.id, json_text(rule.name),
        finding.denies_from ? to_string(*finding.denies_from) : "never", &finding == deciding,
        to_string(finding.location, finding.in_name), json_text(finding.name), json_text(finding.payload),
        json_text(finding.decode_path), json_text(finding.reason), finding.in_body, finding.raw_begin,
        finding.raw_end);
  }
  fmt::print("{}]}}\n", out);
}

// The operator's rule files, read and kept for the engine's building.
bool read_rules(const std::vector<std::string>& paths, std::vector<std::string>& texts,
                std::vector<RuleFile>& files) {
  texts.resize(paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (!read_file(paths[i], texts[i])) {
      say(paths[i], std::strerror(errno));
      return false;
    }
    files.push_back({paths[i], texts[i]});
  }
  return true;
}

// How far it is, once a second, for somebody who watches: nothing unless stderr is a terminal.
class Progress {
 public:
  explicit Progress(std::size_t total) : total_(total), shown_(isatty(STDERR_FILENO) != 0) {}
  ~Progress() {
    if (told_) fmt::print(stderr, "\r\033[K");
  }
  void step() {
    ++done_;
    if (!shown_ || time(nullptr) == last_s_) return;
    if (last_s_ != 0) {
      fmt::print(stderr, "\rwafd inspect: {} of {}", done_, total_);
      told_ = true;
    }
    last_s_ = time(nullptr);
  }

 private:
  std::size_t total_;
  std::size_t done_ = 0;
  bool shown_;
  bool told_ = false;
  std::time_t last_s_ = 0;
};

struct InspectOptions {
  std::string sensitivity = "balanced";
  std::string format = "tsv";
  std::vector<std::string> rules;
  std::vector<std::string> paths;
};

int inspect_command(const InspectOptions& options) {
  std::vector<std::string> texts;
  std::vector<RuleFile> rule_files;
  if (!read_rules(options.rules, texts, rule_files)) return 1;
  const auto engine = Engine::build(rule_files);
  if (!engine) {
    fmt::print(stderr, "wafd inspect: {}\n", engine.error().what);
    return 1;
  }
  const auto scratch = (*engine)->make_scratch();
  if (!scratch) {
    fmt::print(stderr, "wafd inspect: out of memory\n");
    return 1;
  }
  bool ok = true;
  std::vector<std::string> files;
  for (const std::string& path : options.paths) ok = list_files(path, files) && ok;
  std::sort(files.begin(), files.end());
  // As a site of that sensitivity would that says nothing else.
  SiteSettings site;
  site.uuid = std::string(kDefaultSite);
  site.sensitivity = parse_sensitivity(options.sensitivity).value_or(Sensitivity::kBalanced);
  site.on_limit = default_on_limit(site.sensitivity);
  site.on_oversize = default_on_oversize(site.sensitivity);
  const auto policy = Policy::build({.sites = {site}, .exceptions = {}, .lists = {}});
  if (!policy) return 1;
  std::string bytes;
  Verdict verdict;
  Progress progress(files.size());
  for (const std::string& path : files) {
    progress.step();
    if (!read_file(path, bytes)) {
      say(path, std::strerror(errno));
      ok = false;
      continue;
    }
    const double begin = thread_cpu_us();
    const Request request = split_request(bytes);
    (*engine)->inspect(request, *scratch, verdict);
    const Decision decision = policy->decide(request, scratch->head(), verdict, Enforcement::kInline, 0);
    const double us = thread_cpu_us() - begin;
    if (options.format == "json") {
      print_json(path, verdict, decision, us);
    } else {
      print_tsv(path, verdict, decision, us);
    }
  }
  return ok ? 0 : 1;
}

int rules_check_command(const std::vector<std::string>& paths) {
  int status = 0;
  // The files stand beside the built-in rules and beside each other.
  std::vector<Signature> signatures;
  for (const RuleFile& file : builtin_rules()) {
    if (!load_signatures(file.name, file.json, signatures)) return 1;
  }
  for (const std::string& path : paths) {
    std::string text;
    if (!read_file(path, text)) {
      fmt::print(stderr, "wafd rules check: {}: {}\n", path, std::strerror(errno));
      status = 1;
      continue;
    }
    const std::size_t before = signatures.size();
    const std::vector<Error> mistakes = check_signatures(path, text, signatures);
    if (!mistakes.empty()) {
      for (const Error& mistake : mistakes) fmt::print(stderr, "{}\n", mistake.what);
      if (mistakes.size() == kMaxMistakes)
        fmt::print(stderr, "{}: {} mistakes; what follows was not looked at\n", path, kMaxMistakes);
      status = 1;
      continue;
    }
    fmt::print("{}: {} rules, no mistakes\n", path, signatures.size() - before);
  }
  return status;
}

}  // namespace

void add_commands(CLI::App& app, int& exit_status) {
  auto inspect = std::make_shared<InspectOptions>();
  CLI::App* command = app.add_subcommand("inspect", "Judge stored raw HTTP requests, files or folders");
  command->add_option("--sensitivity", inspect->sensitivity, "low, balanced or strict")
      ->check(CLI::IsMember({"low", "balanced", "strict"}))
      ->capture_default_str();
  command->add_option("--format", inspect->format, "tsv or json")
      ->check(CLI::IsMember({"tsv", "json"}))
      ->capture_default_str();
  command->add_option("--rules", inspect->rules, "further files of signature rules")->allow_extra_args(false);
  command->add_option("PATH", inspect->paths, "requests, or folders of them")->required();
  command->footer(
      "tsv: path, deny or pass, attack type, rule, location, decode path, microseconds of CPU; \"-\" for "
      "none.\n"
      "A request of which a limit left something unjudged is denied as a new site would (http_violation).\n"
      "Texts, paths too, are written as inside of a JSON string: \\\" \\\\ \\u000a, and a byte that is "
      "no\n"
      "UTF-8 as \\\\xff. In folders, links to folders or to nothing and what is no regular file are "
      "skipped,\n"
      "which stderr tells; a folder or file that cannot be read makes the exit status 1.");
  command->callback([inspect, &exit_status] { exit_status = inspect_command(*inspect); });

  CLI::App* rules = app.add_subcommand("rules", "Signature rules")->require_subcommand(1);
  auto files = std::make_shared<std::vector<std::string>>();
  CLI::App* check = rules->add_subcommand(
      "check", "Check files of signature rules; every mistake with line, rule and reason");
  check->add_option("FILE", *files, "rule files")->required();
  check->callback([files, &exit_status] { exit_status = rules_check_command(*files); });
}

}  // namespace wafd::detect
