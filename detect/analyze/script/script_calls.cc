#include "detect/analyze/script/script_calls.h"

#include <algorithm>
#include <array>

#include "detect/analyze/base/hint_text.h"
#include "detect/core/octets.h"
#include "detect/core/word_set.h"

namespace wafd::detect {
namespace {

// The methods of a receiver, each with a space behind it.
struct Receiver {
  std::string_view name;
  std::string_view methods;
};
constexpr std::array kReceivers = {
    // Ruby
    Receiver{"Process", "spawn daemon exec fork kill "},
    Receiver{"Kernel", "system exec open spawn fork eval load require syscall "},
    Receiver{"IO", "popen read binread readlines foreach write binwrite copy_stream sysopen "},
    Receiver{"Open3",
             "popen2 popen2e popen3 capture2 capture2e capture3 pipeline pipeline_r pipeline_w pipeline_rw "},
    Receiver{"File", "open read write new delete unlink readlines binread foreach rename "},
    Receiver{"Dir", "entries glob children each_child foreach "},
    Receiver{"PTY", "spawn getpty "},
    Receiver{"Marshal", "load restore "},
    Receiver{"YAML", "load unsafe_load load_file "},
    Receiver{"Object", "const_get send "},
    // Python
    Receiver{"os",
             "system popen popen2 popen3 popen4 execl execle execlp execlpe execv execve execvp execvpe "
             "spawnl spawnle "
             "spawnlp spawnv spawnve spawnvp spawn posix_spawn startfile listdir scandir walk environ getenv "
             "remove "
             "unlink execute rename exit tmpname fork kill "},
    Receiver{"posix", "system popen listdir "},
    Receiver{"subprocess", "run call check_call check_output Popen getoutput getstatusoutput "},
    Receiver{"commands", "getoutput getstatusoutput "},
    Receiver{"pty", "spawn "},
    Receiver{"platform", "popen "},
    Receiver{"pickle", "load loads Unpickler "},
    Receiver{"cPickle", "load loads "},
    Receiver{"dill", "load loads "},
    Receiver{"marshal", "load loads "},
    Receiver{"yaml", "load unsafe_load full_load "},
    Receiver{"importlib", "import_module reload "},
    Receiver{"ctypes", "CDLL WinDLL PyDLL "},
    Receiver{"builtins", "eval exec open compile getattr "},
    Receiver{"timeit", "timeit repeat "},
    Receiver{"runpy", "run_path run_module "},
    Receiver{"asyncio", "create_subprocess_shell create_subprocess_exec "},
    // Lua
    Receiver{"io", "popen open lines "},
    Receiver{"package", "loadlib "},
};
constexpr WordSet kLoaders({"__import__", "execute"});
constexpr WordSet kShortWords({"open",
                               // receivers
                               "process", "kernel", "io", "open3", "file", "dir", "pty", "marshal", "yaml",
                               "object", "os", "posix", "subprocess", "commands", "platform", "pickle",
                               "cpickle", "dill", "importlib", "ctypes", "builtins", "timeit", "runpy",
                               "asyncio", "package"});

bool lists(std::string_view methods, std::string_view method) noexcept {
  for (std::size_t at = methods.find(method); at != std::string_view::npos;
       at = methods.find(method, at + 1)) {
    if ((at == 0 || methods[at - 1] == ' ') && methods[at + method.size()] == ' ') return true;
  }
  return false;
}

struct OtherCall {
  std::string_view word;
  bool whole = false;
};
// Go, Rust, Ruby, .NET, Java and Groovy, Scala, Erlang (their references).
constexpr OtherCall kOtherCalls[] = {
    {"syscall.Exec("},       {"process::Command::new("}, {"send(:system"},         {"send(:eval"},
    {"send(:exec"},          {"send(:instance_eval"},    {"System.getenv(", true}, {"System.exit(", true},
    {"Thread.sleep(", true}, {"Runtime.runtime.exec("},  {"sys.process.Process("}, {"Diagnostics.Process()"},
    {"import subprocess;"},
};

}  // namespace

bool script_call_runs(std::string_view receiver, std::string_view method) noexcept {
  if (method.empty()) return false;
  for (const Receiver& known : kReceivers) {
    if (known.name == receiver) return lists(known.methods, method);
  }
  return false;
}

ScriptWord script_word(std::string_view word) noexcept {
  if (kLoaders.has(word)) return ScriptWord::kAny;
  return kShortWords.has(word) ? ScriptWord::kShort : ScriptWord::kNone;
}

bool python_traceback(std::string_view text, std::size_t begin) noexcept {
  const std::size_t end = begin == 0 ? std::string_view::npos : text.rfind('\n', begin - 1);
  if (end == std::string_view::npos || end == 0) return false;
  const std::size_t last = text.rfind('\n', end - 1);
  const std::string_view above =
      trim(text.substr(last == std::string_view::npos ? 0 : last + 1, end - (last + 1)));
  if (!above.starts_with("File \"")) return false;
  const std::size_t quote = above.find('"', 6);
  if (quote == std::string_view::npos || !above.substr(quote).starts_with("\", line ")) return false;
  std::size_t at = quote + 8;
  while (at < above.size() && is_digit(above[at])) ++at;
  if (!above.substr(at).starts_with(", in ")) return false;
  const std::string_view name = above.substr(at + 5);
  const std::string_view line = trim(text.substr(end + 1, begin - end - 1));
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return is_alnum(c) || c == '_' || c == '<' || c == '>'; }) &&
         line.find_first_of("'\"#`") == std::string_view::npos;
}

std::string other_call_hint() { return to_lower(any_of_words(kOtherCalls)); }

std::string_view other_language_call(std::string_view text) noexcept {
  const std::size_t first = text.find_first_not_of(" \t\r\n;'\"");
  const std::size_t last = text.find_last_not_of(" \t\r\n;");
  for (const OtherCall& call : kOtherCalls) {
    const std::size_t at = text.find(call.word);
    if (at == std::string_view::npos || (at > 0 && (is_alnum(text[at - 1]) || text[at - 1] == '_'))) continue;
    if (call.whole && (first != at || text[last] != ')')) continue;
    return text.substr(at, call.word.size());
  }
  return {};
}

}  // namespace wafd::detect
