#include "detect/analyze/shell/cmd_options.h"

#include <algorithm>

#include <fmt/format.h>

#include "detect/analyze/shell/shell_commands.h"
#include "detect/analyze/shell/shell_shape.h"
#include "detect/core/octets.h"
#include "detect/core/word_set.h"

namespace wafd::detect::cmd {
namespace {

constexpr std::size_t kMaxOptionBytes = 48;
constexpr std::size_t kMaxOptions = 16;  // of one value

// Their value is run, whatever it is: --use-compress-program=id
constexpr WordSet kRuns({
    "use-compress-program",
    "checkpoint-action",
    "to-command",
    "rsh-command",
    "rmt-command",
    "info-script",
    "new-volume-script",
    "compress-program",
    "upload-pack",
    "receive-pack",
    "open-files-in-pager",
    "unzip-command",
    "use-askpass",
    "gpu-launcher",
    "renderer-cmd-prefix",
    "utility-cmd-prefix",
    "browser-subprocess-path",
    "plugin-launcher",
    "ppapi-plugin-launcher",
    "script-shell",
    "pre-invoke",
    "post-invoke",
    "rcfile",
    "init-file",
    "shell-escape",
    "rsync-path",
    "sendmail-path",
    "dynamic-linker",
    "pinentry-program",
    "photo-viewer",
});
// Their value is run, but words behind dashes are like that too: --exec="sh x", -exec id \;
constexpr WordSet kRunsCommand({"exec", "execdir", "ok", "okdir", "eval", "pager", "rsh", "shell", "filter",
                                "command", "editor", "wrapper", "require", "preload", "browser", "ssh",
                                "pipe", "run", "interpreter"});
// Configuration given on the command line by which ssh, git, Mercurial and mail agents run programs.
constexpr WordSet kConfigRuns({
    "proxycommand",      "localcommand",        "permitlocalcommand",
    "knownhostscommand", "proxyusefdpass",      "remotecommand",
    "pkcs11provider",    "securitykeyprovider", "match",
    "include",           "queuedirectory",      "core.sshcommand",
    "core.gitproxy",     "core.pager",          "core.editor",
    "core.fsmonitor",    "core.hookspath",      "protocol.ext.allow",
    "credential.helper", "diff.external",       "uploadpack.packobjectshook",
    "sequence.editor",   "gpg.program",         "http.proxy",
});

bool name_char(char c) noexcept { return is_alnum(c) || c == '-' || c == '_' || c == '.'; }

struct Option {
  std::string_view name;   // without dashes
  std::string_view value;  // the text behind '=' or white space
  bool assigned = false;   // by '='
};

// A command line by itself: a known command or a path of a program, or what only shells read.
bool runs_something(std::string_view value) noexcept {
  while (!value.empty() && (value[0] == '"' || value[0] == '\'' || value[0] == '!' || value[0] == '|'))
    value.remove_prefix(1);
  const std::string_view word = value.substr(0, std::min(value.find_first_of(" \t\"';|&"), value.size()));
  if (word.empty()) return false;
  const CommandKind kind = command_kind(word);
  const bool command =
      kind != CommandKind::kUnknown && kind != CommandKind::kKeyword && kind != CommandKind::kStatement;
  return (command && (!is_ordinary_word(word) || word.size() < value.size() || word == "id")) ||
         is_program_path(word) || word.starts_with("/tmp/") || word.starts_with("./") ||
         is_script_name(word) || value.find_first_of("`;|") != std::string_view::npos ||
         value.find("$(") != std::string_view::npos;
}

Option read_option(std::string_view text, std::size_t at) noexcept {
  Option out;
  while (at < text.size() && text[at] == '-') ++at;
  const std::size_t begin = at;
  while (at < text.size() && name_char(text[at]) && at - begin < kMaxOptionBytes) ++at;
  out.name = text.substr(begin, at - begin);
  if (at < text.size() && text[at] == '=') {
    out.assigned = true;
    ++at;
  } else {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '+')) ++at;
  }
  out.value = text.substr(std::min(at, text.size()));
  return out;
}

// git -c core.pager=id, --config=alias.x=!id, -oProxyCommand=id: `setting` is what stands behind the option.
bool runs_by_setting(std::string_view setting) noexcept {
  const std::size_t equals = setting.find_first_of("= ");
  if (equals == std::string_view::npos || equals + 1 >= setting.size()) return false;
  const std::string_view key = setting.substr(0, equals);
  if (kConfigRuns.has(key)) return true;
  const std::string_view value = setting.substr(equals + 1);
  return (istarts_with(key, "alias.") || istarts_with(key, "hooks.") || istarts_with(key, "merge-tools.")) &&
         (value[0] == '!' || runs_something(value));
}

// php-cgi -d auto_prepend_file=php://input
bool loads_by_setting(std::string_view setting) noexcept {
  static constexpr WordSet kSettings({"auto_prepend_file", "auto_append_file", "allow_url_include",
                                      "allow_url_fopen", "disable_functions", "safe_mode", "open_basedir",
                                      "sendmail_path", "extension", "zend_extension"});
  const std::size_t equals = setting.find('=');
  return equals != std::string_view::npos && kSettings.has(setting.substr(0, equals));
}

// `rest` is the text from the option's name on.
bool is_harmful(const Option& option, std::string_view rest) noexcept {
  static constexpr WordSet kSetting({"c", "o", "config"});
  const std::string_view name = option.name;
  const std::string_view value = option.value;
  if (name.empty() || value.empty()) return false;
  if (iequals(name, "checkpoint-action")) return istarts_with(value, "exec");
  if (kRuns.has(name)) return option.assigned || runs_something(value);
  if (kRunsCommand.has(name)) return runs_something(value);
  if (kSetting.has(name)) return runs_by_setting(value);
  if (to_lower(name[0]) == 'o') return option.assigned && kConfigRuns.has(name.substr(1));
  if (name == "d") return loads_by_setting(value);
  if (name[0] == 'd') return loads_by_setting(rest.substr(1));
  // java -XX:OnError=id -javaagent:x.jar: the colon ends the name
  if (iequals(name, "xx")) return istarts_with(value, ":on") && value.find('=') != std::string_view::npos;
  if (iequals(name, "javaagent") || iequals(name, "agentpath")) return value.starts_with(':');
  // Ghostscript
  if (iequals(name, "soutputfile")) return istarts_with(value, "%pipe%") || value.starts_with('|');
  // sendmail -X/var/www/x.php: a log that is a script
  return name[0] == 'X' && is_script_name(rest.substr(0, rest.find_first_of(" \t")));
}

}  // namespace

void read_options(Findings& out) {
  const std::string_view text = out.text;
  std::size_t at = text.find_first_not_of(" \t\r\n\"'");
  if (at == std::string_view::npos) return;
  if (text[at] != '-') {
    // ssh://-oProxyCommand=id/x
    at = text.find("://-");
    if (at == std::string_view::npos) return;
    at += 3;
  }
  for (std::size_t looked = 0; looked < kMaxOptions && at < text.size(); ++looked) {
    const Option option = read_option(text, at);
    const std::size_t name = std::min(text.find_first_not_of('-', at), text.size());
    if (is_harmful(option, text.substr(name))) {
      out.add(kOption, at, text.size(),
              fmt::format("The value is an option, {}, by which a tool runs a program.", option.name));
      return;
    }
    at = text.find(" -", at + 1);
    if (at == std::string_view::npos) return;
    ++at;
  }
}

}  // namespace wafd::detect::cmd
