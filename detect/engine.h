// The engine: request -> verdict. Pure: no IO, no clock, no log, no global.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "detect/analyze/base/analyzer.h"
#include "detect/core/error.h"
#include "detect/core/request.h"
#include "detect/core/request_head.h"
#include "detect/core/verdict.h"
#include "detect/prefilter/compiled_sets.h"
#include "detect/signatures/rule_file.h"

namespace wafd::detect {

// Working memory of one worker: Vectorscan scratch, decode buffers, the parsed head of the last request. Made
// by Engine::make_scratch on the compiling thread, then used by one thread at a time. Outlived by its Engine.
class Scratch {
 public:
  virtual ~Scratch() = default;
  // Head of the request inspected last; its views live as long as that request's bytes.
  virtual const RequestHead& head() const noexcept = 0;
  // Cost of judging the request inspected last, in units of core/cost_budget.h: a count, the same
  // everywhere.
  virtual std::uint64_t work_units() const noexcept = 0;
  // The limit of that cost.
  virtual std::uint64_t work_limit() const noexcept = 0;
};

// Immutable after build(); inspect() may run on any number of threads, each with a Scratch of its own.
class Engine {
 public:
  // Compiles the built-in analysers, the built-in signature rules and those of `rule_files` (JSON texts in
  // the format of detect/signatures/rules/README.md, later files after earlier ones). Up to 2 s; an error
  // names file, rule and reason.
  struct Options {
    bool builtin_rules = true;  // the rule files in the library come before `rule_files`
    bool prefilter =
        true;  // false: every analyser looks at every text; the slow twin that tests compare with
    std::size_t max_body_bytes = 1u << 20;  // that callers hand over; so much is inflated whatever the ratio
    SetSource sets = {};  // where compiled expressions come from and go to; outlives the call
  };
  static Result<std::unique_ptr<Engine>> build(std::span<const RuleFile> rule_files, const Options& options);
  static Result<std::unique_ptr<Engine>> build(std::span<const RuleFile> rule_files);
  // With analysers of the caller's own alone, none of requests as a whole.
  static Result<std::unique_ptr<Engine>> build(std::vector<std::unique_ptr<Analyzer>> analyzers,
                                               std::span<const RuleFile> rule_files, const Options& options);

  virtual ~Engine() = default;
  virtual std::unique_ptr<Scratch> make_scratch() const = 0;

  // How far to go with one request.
  struct Effort {
    bool head_only = false;  // the body is not read (Verdict::by_head)
    // Asked about once in a millisecond of work: true ends the judging. What was found until then
    // stands, and the verdict says that there is more (`interrupted`, `limit_reached`). May be empty.
    std::function<bool()> enough;
  };

  // Any bytes give a verdict, in time linear in their number. `out` is cleared first.
  virtual void inspect(const Request& request, const Effort& effort, Scratch& scratch,
                       Verdict& out) const = 0;
  void inspect(const Request& request, Scratch& scratch, Verdict& out) const {
    inspect(request, {}, scratch, out);
  }

  // Every rule, ordered by number. Rule metadata lives as long as the engine.
  virtual std::span<const Rule* const> rules() const noexcept = 0;

  // Size of the compiled databases, for the status page.
  virtual std::size_t database_bytes() const noexcept = 0;
};

}  // namespace wafd::detect
