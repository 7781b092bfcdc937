// Rules are compiled in a child process: however long their expressions take and however much memory, the
// daemon starts, judges and stops meanwhile, and the child is killed when its time is up.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "detect/core/error.h"
#include "detect/prefilter/compiled_sets.h"
#include "detect/signatures/rule_file.h"

namespace CLI {
class App;
}

namespace wafd {

struct RuleText {
  std::string name;  // of the file, for errors
  std::string text;
  bool operator==(const RuleText&) const = default;
};

// As the engine takes them: views on `files`.
std::vector<detect::RuleFile> rule_files(const std::vector<RuleText>& files);

class RuleCompiler {
 public:
  static constexpr std::int64_t kMaxCompileMs = 30'000;
  static constexpr std::uint64_t kMaxMemoryBytes = 1536ull << 20;

  RuleCompiler();
  ~RuleCompiler();
  RuleCompiler(const RuleCompiler&) = delete;
  RuleCompiler& operator=(const RuleCompiler&) = delete;

  // The sets of an engine with these rules, behind the built-in ones if `builtin`; those that `kept_path` has
  // (read_kept_rules) are taken from there. Blocks; any thread, several at a time. kInvalid: the rules are
  // wrong, in the words of Engine::build; kResource: it took longer than `timeout_ms`; kIo: no child could be
  // started, or it ended without an answer; kDenied: stop() was called.
  Result<detect::CompiledSets> compile(const std::vector<RuleText>& files, bool builtin,
                                       const std::string& kept_path = {},
                                       std::int64_t timeout_ms = kMaxCompileMs);
  // Ends what is under way, at once, and refuses what comes later. Any thread.
  void stop() noexcept;

 private:
  int stop_pipe_[2] = {-1, -1};  // closed for writing: readers wake
  std::atomic<bool> stopped_{false};
};

// The rules that were in force last, with what they were compiled to, as kept in `path`. What cannot be read
// is as if nothing were there.
struct KeptRules {
  std::vector<RuleText> files;
  detect::CompiledSets sets;
};
KeptRules read_kept_rules(const std::string& path);
Result<void> keep_rules(const std::string& path, const std::vector<RuleText>& files,
                        detect::CompiledSets sets);

// `wafd compile-rules`, which RuleCompiler starts: the order on stdin, the sets on stdout.
void add_compile_rules(CLI::App& app, int& status);

}  // namespace wafd
