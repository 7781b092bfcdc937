// Compiled expressions that outlive the process which compiled them: a child compiles, the daemon reads; and
// the next start reads what the last one had.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "detect/core/error.h"

namespace wafd::detect {

// Databases by their expressions, as Vectorscan serialises them. Who reads one trusts where it was
// kept. One thread at a time.
class CompiledSets {
 public:
  // The expressions with Vectorscan's version and how they are compiled.
  static std::string key_of(std::span<const std::string_view> expressions);

  const std::string* find(const std::string& key) const;
  void keep(const std::string& key, std::string bytes) { sets_[key] = std::move(bytes); }
  std::size_t size() const noexcept { return sets_.size(); }

  // One text for a file or a pipe, and back; an error says that it is cut or damaged.
  std::string text() const;
  static Result<CompiledSets> parse(std::string_view text);

 private:
  std::map<std::string, std::string> sets_;
};

// Where the expressions of an engine come from. Pointers may be null.
struct SetSource {
  const CompiledSets* known = nullptr;  // looked in first
  CompiledSets* made = nullptr;         // gets every set, known or compiled
  bool compile = true;                  // false: what is not known is the error kUnknown
};

}  // namespace wafd::detect
