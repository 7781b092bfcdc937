// Rules of command injection, and what its readers have found in one text. Internal to cmd_injection.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "detect/analyze/base/analyzer.h"

namespace wafd::detect::cmd {

enum Rule : std::uint16_t {
  kInjectedSure,
  kInjected,
  kInjectedWeak,
  kCommandLine,
  kCommandWord,
  kNetworkRedirect,
  kFunctionImport,
  kDisguised,
  kScriptRedirect,
  kPowerShell,
  kBatch,
  kFunction,
  kAlias,
  kExpansion,
  kMailCommand,
  kMailWord,
  kClientCommand,
  kRedirect,
  kProgramPath,
  kOption,
  kRules,  // how many
};

// The first hit of each rule.
struct Findings {
  std::string_view text;
  std::pmr::memory_resource* memory = nullptr;
  bool in_name = false;
  bool in_header = false;
  bool in_path = false;      // of the request: a path of a program there is only a path
  bool in_report = false;    // what a process was started with, as telemetry says it
  bool in_document = false;  // of a body, or a string of JSON
  std::array<std::optional<Hit>, kRules> hits;

  bool has(Rule rule) const noexcept { return hits[rule].has_value(); }
  void add(Rule rule, std::size_t begin, std::size_t end, std::string reason) {
    if (hits[rule]) return;
    end = std::min(std::max(end, begin), text.size());
    hits[rule] =
        Hit{rule, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), std::move(reason)};
  }
};

}  // namespace wafd::detect::cmd
