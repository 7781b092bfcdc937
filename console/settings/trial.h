// A trial: a pasted request judged with the rules and settings in use, and again with a draft of a change.
// Nothing is recorded. Runs on any thread; compiling a draft rule may take a second.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <boost/json/object.hpp>

#include "console/settings/compile_alone.h"
#include "detect/engine.h"
#include "detect/policy/policy.h"

namespace wafd::console {

inline constexpr std::size_t kMaxDraftRuleBytes = 64u << 10;

// The changes that are tried. Everything absent stays as it is.
struct Draft {
  std::string rule;  // JSON text of one signature rule (detect/signatures/rules/README.md); takes the place
                     // of one of its id
  std::optional<detect::ExceptionSettings> exception;  // asked before all others
  std::optional<Sensitivity> sensitivity;  // of the request's site, also where types have their own
  boost::json::object site;                // members of the request's site that are to be other ones
};

struct Trial {
  std::string bytes;                       // head, empty line, body
  std::string src_ip;                      // for the lists; may be empty
  std::optional<Sensitivity> sensitivity;  // of every site, in both verdicts
  std::optional<Draft> draft;
  std::int64_t now_s = 0;  // Unix time, for expiries
};

// The answer of POST /inspect (schema Inspection). An error is a mistake in the draft: of a rule "draft.rule:
// rule:LINE: rule "ID": reason".
Result<boost::json::object> run_trial(const detect::Engine& engine, detect::PolicySettings settings,
                                      const Trial& trial, const CompileRules& elsewhere = {});

}  // namespace wafd::console
