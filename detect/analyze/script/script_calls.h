// Calls by which scripts of a server run commands, read files or load code: Ruby, Python, Lua.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace wafd::detect {

// receiver.method(…) runs a command, reads or writes a file, loads code (the languages' references). With
// case: File is Ruby's, "file" a noun.
bool script_call_runs(std::string_view receiver, std::string_view method) noexcept;

// A word that code of those languages begins to act with; all of the above and below are among them.
enum class ScriptWord : std::uint8_t {
  kNone,
  kShort,  // an ordinary name too: counts in short values
  kAny,    // loads modules, runs a text as a command
};
ScriptWord script_word(std::string_view word) noexcept;

// The first call of a language without a reader of its own, by a name that no other language has; empty if
// there is none. What pages about programs name too counts as all of the text.
std::string_view other_language_call(std::string_view text) noexcept;
// Its hint (detect/analyze/hint_text.h).
std::string other_call_hint();

// Whether text[begin] is in the line of source below the place in a Python traceback:
//   File "/app/a.py", line 12, in run
// As code of Python it would not be read at all: the line above is none.
bool python_traceback(std::string_view text, std::size_t begin) noexcept;

}  // namespace wafd::detect
