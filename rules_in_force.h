// The rules that the workers judge by: the built-in ones, those of files and those made on the console,
// compiled by a child process, put in force without a pause, and kept for the next start.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "config.h"
#include "console/settings/store.h"
#include "detect/engine.h"
#include "rule_compiler.h"
#include "shared_value.h"

namespace wafd {

// Any thread, but for open() and follow(), which are called once while the program starts.
class RulesInForce {
 public:
  using EnginePointer = std::shared_ptr<const detect::Engine>;

  // `config` must outlive it.
  explicit RulesInForce(const Config& config) : config_(config) {}
  ~RulesInForce() { stop(); }

  // The rules of the console, as they are wanted from now on; rebuild() puts them in force.
  void want(const std::vector<console::OwnRule>& rules);
  // The rules as they are wanted, if they were compiled before. Else those that were in force last, or the
  // built-in ones, until a child has compiled what is wanted; an ordinary set is waited for.
  Result<void> open();
  // Reads and compiles on a thread of its own, because rules take seconds; what changes meanwhile is compiled
  // after it. What is wrong leaves the rules before in force.
  void rebuild();
  // From now on `use` gets every new engine, at once if it is another one than `known` already. Called on any
  // thread, one call at a time; must not call back.
  void follow(const EnginePointer& known, std::function<void(const EnginePointer&)> use);
  void interrupt();  // ends a compilation that goes on; none begins any more
  void stop();       // and waits for its thread. May be called twice

  EnginePointer engine() const { return engine_.get(); }  // null before open()
  std::string error() const;                              // why the newest rules are not in force, or empty
  // Compiles in a child, and keeps nothing: for a rule that is tried.
  Result<detect::CompiledSets> compile(const RuleText& file) { return compiler_.compile({file}, false); }

 private:
  void rebuild_until_settled();
  Result<std::vector<RuleText>> wanted_rules(const std::string& own) const;
  Result<EnginePointer> build(const std::vector<RuleText>& files, const detect::SetSource& sets) const;
  Result<EnginePointer> compile_elsewhere(const std::vector<RuleText>& files);
  std::string kept_path() const { return config_.state_dir + "/compiled-rules"; }

  const Config& config_;
  SharedValue<detect::Engine> engine_;
  RuleCompiler compiler_;
  mutable std::mutex mutex_;  // of what follows
  std::string own_rules_;
  std::string error_;
  std::function<void(const EnginePointer&)> use_;
  std::condition_variable rebuilt_;  // rebuilding_ is over
  bool rebuild_wanted_ = false;
  bool rebuilding_ = false;
  bool stopping_ = false;
  std::thread rebuilder_;
};

}  // namespace wafd
