#include "rule_compiler.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <system_error>
#include <utility>

#include <CLI/CLI.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "detect/engine.h"
#include "files/small_file.h"

extern char** environ;

namespace wafd {
namespace {

namespace json = boost::json;

constexpr const char* kCommand = "compile-rules";
constexpr int kRulesWrong = 3;  // exit status; stdout says what
constexpr const char* kFilesKey = "files";
constexpr std::size_t kMaxKeptBytes = 256u << 20;

json::value files_json(const std::vector<RuleText>& files) {
  json::array out;
  for (const RuleText& file : files) out.push_back({{"name", file.name}, {"text", file.text}});
  return out;
}

std::vector<RuleText> files_of(const json::value& value) {
  std::vector<RuleText> out;
  for (const json::value& file : value.as_array())
    out.push_back({std::string(file.at("name").as_string()), std::string(file.at("text").as_string())});
  return out;
}

struct Pipe {
  int ends[2] = {-1, -1};
  bool open() noexcept { return ::pipe2(ends, O_CLOEXEC) == 0; }
  void close(int end) noexcept {
    if (ends[end] >= 0) ::close(std::exchange(ends[end], -1));
  }
  ~Pipe() {
    close(0);
    close(1);
  }
};

// The child, with our ends of its pipes. Waits for it, whatever happens.
struct Child {
  pid_t pid = -1;
  Pipe in, out;

  ~Child() {
    if (pid > 0) {
      ::kill(pid, SIGKILL);
      (void)wait();
    }
  }
  int wait() noexcept {
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    pid = -1;
    return status;
  }
  Result<void> start() {
    const auto failed = [](int error) {
      return fail(ErrorCode::kIo, "rules cannot be compiled: " + std::generic_category().message(error));
    };
    if (!in.open() || !out.open()) return failed(errno);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in.ends[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out.ends[1], 1);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none, defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigmask(&attributes, &none);  // the daemon's threads block what main() waits for
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    std::string name = "wafd", command = kCommand;
    char* const arguments[] = {name.data(), command.data(), nullptr};
    const int error = ::posix_spawn(&pid, "/proc/self/exe", &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
      pid = -1;
      return failed(error);
    }
    in.close(0);
    out.close(1);
    ::fcntl(in.ends[1], F_SETFL, O_NONBLOCK);
    ::fcntl(out.ends[0], F_SETFL, O_NONBLOCK);
    return {};
  }
};

void bound_this_process() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::close_range(3, ~0u, 0);  // locks of the daemon stay the daemon's
  const rlim_t seconds = static_cast<rlim_t>(RuleCompiler::kMaxCompileMs / 1000 + 5);
  const rlimit cpu{seconds, seconds};
  ::setrlimit(RLIMIT_CPU, &cpu);
#ifndef __SANITIZE_ADDRESS__  // whose shadow takes more addresses than that
  const rlimit memory{RuleCompiler::kMaxMemoryBytes, RuleCompiler::kMaxMemoryBytes};
  ::setrlimit(RLIMIT_AS, &memory);
#endif
  const rlimit core{0, 0};
  ::setrlimit(RLIMIT_CORE, &core);
  ::setpriority(PRIO_PROCESS, 0, 10);
}

std::string read_all(int fd) {
  std::string text;
  char block[65536];
  for (;;) {
    const ssize_t got = ::read(fd, block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(block, static_cast<std::size_t>(got));
  }
}

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(fd, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
}

int compile_rules() {
  bound_this_process();
  boost::system::error_code wrong;
  const json::value order = json::parse(read_all(0), wrong);
  if (wrong || !order.is_object()) return 2;
  const std::vector<RuleText> files = files_of(order.at(kFilesKey));
  const std::vector<detect::RuleFile> texts = rule_files(files);
  const std::string kept_path(order.at("kept").as_string());
  const KeptRules kept = kept_path.empty() ? KeptRules{} : read_kept_rules(kept_path);
  detect::CompiledSets made;
  detect::Engine::Options options;
  options.sets.known = &kept.sets;
  options.builtin_rules = order.at("builtin").as_bool();
  options.sets.made = &made;
  const auto built =
      options.builtin_rules
          ? detect::Engine::build(texts, options)
          : detect::Engine::build(std::vector<std::unique_ptr<detect::Analyzer>>(), texts, options);
  write_all(1, built ? made.text() : built.error().what);
  return built ? 0 : kRulesWrong;
}

}  // namespace

std::vector<detect::RuleFile> rule_files(const std::vector<RuleText>& files) {
  std::vector<detect::RuleFile> views;
  views.reserve(files.size());
  for (const RuleText& file : files) views.push_back({file.name, file.text});
  return views;
}

RuleCompiler::RuleCompiler() {
  if (::pipe2(stop_pipe_, O_CLOEXEC) != 0) stop_pipe_[0] = stop_pipe_[1] = -1;
}

RuleCompiler::~RuleCompiler() {
  stop();
  if (stop_pipe_[0] >= 0) ::close(stop_pipe_[0]);
}

void RuleCompiler::stop() noexcept {
  if (!stopped_.exchange(true) && stop_pipe_[1] >= 0) ::close(stop_pipe_[1]);
}

Result<detect::CompiledSets> RuleCompiler::compile(const std::vector<RuleText>& files, bool builtin,
                                                   const std::string& kept_path, std::int64_t timeout_ms) {
  const auto stopping = [] { return fail(ErrorCode::kDenied, "rules are not compiled: wafd is stopping"); };
  if (stopped_) return stopping();
  Child child;
  if (auto started = child.start(); !started) return tl::unexpected<Error>(started.error());
  const std::string order = json::serialize(
      json::object{{kFilesKey, files_json(files)}, {"builtin", builtin}, {"kept", kept_path}});
  std::string_view left = order;
  std::string answer;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  for (;;) {
    const auto wait =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
    if (wait <= 0)
      return fail(ErrorCode::kResource,
                  fmt::format("rules of your own: compiling them took longer than {} s", timeout_ms / 1000));
    pollfd waits[] = {
        {child.out.ends[0], POLLIN, 0}, {stop_pipe_[0], POLLIN, 0}, {child.in.ends[1], POLLOUT, 0}};
    if (::poll(waits, child.in.ends[1] < 0 ? 2 : 3, static_cast<int>(wait)) < 0 && errno != EINTR)
      return fail(ErrorCode::kIo, "rules cannot be compiled: " + std::generic_category().message(errno));
    if (stopped_) return stopping();
    if (waits[2].revents != 0 && child.in.ends[1] >= 0) {
      const ssize_t put = ::write(child.in.ends[1], left.data(), left.size());
      if (put > 0) left.remove_prefix(static_cast<std::size_t>(put));
      if (left.empty() || (put < 0 && errno != EAGAIN && errno != EINTR)) child.in.close(1);
    }
    if (waits[0].revents == 0) continue;
    char block[65536];
    const ssize_t got = ::read(child.out.ends[0], block, sizeof block);
    if (got > 0) answer.append(block, static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) break;
  }
  const int status = child.wait();
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return detect::CompiledSets::parse(answer);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kRulesWrong) return fail(ErrorCode::kInvalid, answer);
  return fail(ErrorCode::kIo,
              WIFSIGNALED(status)
                  ? fmt::format("rules of your own: compiling them was ended by signal {}: too much "
                                "work or memory",
                                WTERMSIG(status))
                  : "rules of your own: compiling them failed: too much memory");
}

KeptRules read_kept_rules(const std::string& path) {
  KeptRules kept;
  const auto text = read_file(path, kMaxKeptBytes);
  if (!text) return kept;
  auto sets = detect::CompiledSets::parse(*text);
  const std::string* files = sets ? sets->find(kFilesKey) : nullptr;
  if (files == nullptr) return kept;
  boost::system::error_code wrong;
  const json::value value = json::parse(*files, wrong);
  if (wrong || !value.is_array()) return kept;
  kept.files = files_of(value);
  kept.sets = std::move(*sets);
  return kept;
}

Result<void> keep_rules(const std::string& path, const std::vector<RuleText>& files,
                        detect::CompiledSets sets) {
  sets.keep(kFilesKey, json::serialize(files_json(files)));
  return write_file(path, sets.text());
}

void add_compile_rules(CLI::App& app, int& status) {
  auto* command = app.add_subcommand(kCommand, "Compile the rules on stdin, for wafd itself");
  command->group("");  // not in the help
  command->callback([&status] { status = compile_rules(); });
}

}  // namespace wafd
