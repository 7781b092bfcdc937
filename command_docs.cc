#include "command_docs.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>

namespace wafd {
namespace {

// Without those that `--help` leaves out, too.
std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands(
      [](const CLI::App* one) { return !one->get_name().empty() && !one->get_group().empty(); });
}

std::vector<const CLI::Option*> options_of(const CLI::App& app, bool positional) {
  return app.get_options([&](const CLI::Option* one) { return one->get_positional() == positional; });
}

bool takes_value(const CLI::Option& option) { return option.get_type_size() > 0; }

// "--sensitivity=WORD", as it is typed.
std::vector<std::string> spellings(const CLI::Option& option) {
  std::vector<std::string> out;
  for (const std::string& name : option.get_snames()) out.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) out.push_back("--" + name);
  return out;
}

// --- man -------------------------------------------------------------------------------------------------

// A line of text in roff: a backslash, a leading dot or quote and hyphens that are typed are no commands.
std::string roff(std::string_view text) {
  std::string out;
  if (!text.empty() && (text[0] == '.' || text[0] == '\'')) out += "\\&";
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (c == '\n')
      out += "\n.br\n";
    else
      out += c;
  }
  return out;
}

std::string sentence(std::string text) {
  if (!text.empty() && text.back() != '.' && text.back() != '?' && text.back() != ')') text += '.';
  return text;
}

// The one-line description for whatis(1).
std::string short_description(const CLI::App& app) {
  std::string text = app.get_description();
  if (app.get_parent() == nullptr) return text.substr(text.find(": ") + 2);
  for (const char* end : {": ", "; ", ". "}) text.resize(std::min(text.find(end), text.size()));
  return text;
}

// In brackets what may be left out.
std::string bracketed(const CLI::Option& option, const std::string& part) {
  return option.get_required() ? part : fmt::format("[{}]", part);
}

std::string synopsis(const CLI::App& app, const std::string& path) {
  std::string out = ".SH SYNOPSIS\n.B " + roff(path);
  if (!commands_of(app).empty()) out += "\n.I COMMAND\n[\\fIOPTION\\fR]...";
  for (const CLI::Option* option : options_of(app, false)) {
    if (option->get_name() == "--help" || option->get_lnames().empty()) continue;
    std::string part = "\\fB" + roff("--" + option->get_lnames().front()) + "\\fR";
    if (takes_value(*option)) part += " \\fI" + roff(option->get_type_name()) + "\\fR";
    out += "\n" + bracketed(*option, part);
  }
  for (const CLI::Option* option : options_of(app, true)) {
    const std::string part = "\\fI" + roff(option->get_type_name()) + "\\fR";
    const std::string more = option->get_expected_max() > 1 ? "..." : "";
    out += fmt::format("\n{}{}", bracketed(*option, part), more);
  }
  return out + "\n";
}

std::string list_of_options(const CLI::App& app) {
  std::string out;
  for (const bool positional : {false, true}) {
    for (const CLI::Option* option : options_of(app, positional)) {
      std::string head;
      for (const std::string& name : spellings(*option))
        head += (head.empty() ? "" : ", ") + ("\\fB" + roff(name) + "\\fR");
      if (positional || takes_value(*option))
        head += (head.empty() ? "" : " ") + ("\\fI" + roff(option->get_type_name()) + "\\fR");
      std::string text = sentence(option->get_description());
      if (!option->get_default_str().empty()) text += " Default: " + option->get_default_str() + ".";
      out += ".TP\n" + head + "\n" + roff(text) + "\n";
    }
  }
  return out.empty() ? out : ".SH OPTIONS\n" + out;
}

std::string list_of_commands(const CLI::App& app, const std::string& name) {
  std::string out;
  for (const CLI::App* one : commands_of(app))
    out += fmt::format(".TP\n\\fB{}\\fR\n{} See \\fB{}\\fR(1).\n", roff(one->get_name()),
                       roff(sentence(one->get_description())), roff(name + "-" + one->get_name()));
  return out.empty() ? out : ".SH COMMANDS\n" + out;
}

constexpr const char* kFiles =
    ".SH FILES\n"
    ".TP\n\\fI/etc/wafd/wafd.json\\fR\nThe configuration: JSON with comments. \\fBwafd config defaults\\fR "
    "prints "
    "every key with its default and what it means.\n"
    ".TP\n\\fI/var/lib/wafd\\fR\nThe state folder: events, settings, credentials, audit log.\n";

void add_pages(const CLI::App& app, const std::string& path, std::string_view version, std::string_view date,
               std::vector<ManPage>& out) {
  std::string name = path;
  std::replace(name.begin(), name.end(), ' ', '-');
  std::string upper = name;
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  const std::string described = app.get_description();
  const bool top = app.get_parent() == nullptr;
  std::string text = fmt::format(".TH {} 1 {} \"wafd {}\" \"wafd\"\n.SH NAME\n{} \\- {}\n", roff(upper), date,
                                 version, roff(name), roff(short_description(app)));
  text += synopsis(app, path) + ".SH DESCRIPTION\n" + roff(sentence(described)) + "\n";
  text += list_of_commands(app, name) + list_of_options(app);
  if (!app.get_footer().empty()) text += ".SH NOTES\n" + roff(app.get_footer()) + "\n";
  text += ".SH EXIT STATUS\n";
  text += app.get_footer().find("Exit status") == std::string::npos
              ? "0: done. 1: it failed; a line on standard error says why. 2: the command line, the "
                "configuration "
                "or a file that was given is wrong.\n"
              : "As under NOTES.\n";
  if (top) text += kFiles;
  text += ".SH SEE ALSO\n";
  text += top ? "\\fIfile:///usr/share/doc/wafd/README.md\\fR\n"
              : "\\fB" + roff(name.substr(0, name.rfind('-'))) + "\\fR(1)\n";
  out.push_back({name, std::move(text)});
  for (const CLI::App* one : commands_of(app))
    add_pages(*one, path + " " + one->get_name(), version, date, out);
}

// --- completion --------------------------------------------------------------------------------------------

// The completions of one command: its sub-commands and options, and the options that take a file or a folder.
struct Words {
  std::string path;                // "wafd user"
  std::vector<std::string> names;  // sub-commands
  std::vector<std::string> options;
  std::vector<std::string> files, folders, values;  // options that take one
};

void add_words(const CLI::App& app, const std::string& path, std::vector<Words>& out) {
  Words words;
  words.path = path;
  for (const CLI::App* one : commands_of(app)) words.names.push_back(one->get_name());
  for (const CLI::Option* option : options_of(app, false)) {
    for (const std::string& name : spellings(*option)) {
      words.options.push_back(name);
      if (!takes_value(*option)) continue;
      const std::string type = option->get_type_name();
      (type == "FILE" ? words.files : type == "DIR" ? words.folders : words.values).push_back(name);
    }
  }
  out.push_back(std::move(words));
  for (const CLI::App* one : commands_of(app)) add_words(*one, path + " " + one->get_name(), out);
}

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

// The function that both shells share: sets, by the command so far, which words may follow; 1: no such
// command.
std::string words_function(const CLI::App& app) {
  std::vector<Words> table;
  add_words(app, app.get_name(), table);
  std::string out = "_wafd_words() {\n  case $1 in\n";
  for (const Words& one : table)
    out += fmt::format("    '{}') names='{}' options='{}' files=' {} ' folders=' {} ' values=' {} ' ;;\n",
                       one.path, joined(one.names), joined(one.options), joined(one.files),
                       joined(one.folders), joined(one.values));
  return out + "    *) return 1 ;;\n  esac\n}\n";
}

}  // namespace

std::vector<ManPage> man_pages(const CLI::App& app, std::string_view version, std::string_view date) {
  std::vector<ManPage> out;
  add_pages(app, app.get_name(), version, date, out);
  return out;
}

std::string bash_completion(const CLI::App& app) {
  return "# Completion of wafd for bash; made by `wafd completion bash`.\n" + words_function(app) +
         R"(_wafd() {
  local names options files folders values word path=wafd i
  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    [[ $word == -* ]] && continue
    _wafd_words "$path $word" && path="$path $word"
  done
  _wafd_words "$path" || return 0
  if [[ $files == *" $before "* ]]; then
    COMPREPLY=($(compgen -f -- "$current")); compopt -o filenames 2>/dev/null
  elif [[ $folders == *" $before "* ]]; then
    COMPREPLY=($(compgen -d -- "$current")); compopt -o filenames 2>/dev/null
  elif [[ $values == *" $before "* ]]; then
    return 0
  elif [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  elif [[ -n $names ]]; then
    COMPREPLY=($(compgen -W "$names" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current")); compopt -o filenames 2>/dev/null
  fi
  return 0
}
complete -F _wafd wafd
)";
}

std::string zsh_completion(const CLI::App& app) {
  return "#compdef wafd\n# Completion of wafd for zsh; made by `wafd completion zsh`.\n" +
         words_function(app) +
         R"(_wafd() {
  local names options files folders values word so_far=wafd i
  for ((i = 2; i < CURRENT; i++)); do
    word=${words[i]}
    [[ $word == -* ]] && continue
    _wafd_words "$so_far $word" && so_far="$so_far $word"
  done
  _wafd_words "$so_far" || return 0
  local before=${words[CURRENT-1]}
  if [[ $files == *" $before "* ]]; then
    _files
  elif [[ $folders == *" $before "* ]]; then
    _files -/
  elif [[ $values == *" $before "* ]]; then
    _message value
  elif [[ ${words[CURRENT]} == -* ]]; then
    compadd -- ${=options}
  elif [[ -n $names ]]; then
    compadd -- ${=names}
  else
    _files
  fi
}
if [[ $funcstack[1] == _wafd ]]; then _wafd "$@"; else compdef _wafd wafd; fi
)";
}

void add_document_commands(CLI::App& app, int& exit_status) {
  auto folder = std::make_shared<std::string>();
  CLI::App* man = app.add_subcommand("man", "Print the manual page of wafd, or write one for each command");
  man->add_option("--write", *folder, "Write all pages into this folder, NAME.1 each")->type_name("DIR");
  man->callback([&app, folder, &exit_status] {
    // The time of the package, not of whoever asks, where there is one (reproducible-builds.org).
    const char* epoch = std::getenv("SOURCE_DATE_EPOCH");
    const std::time_t at =
        epoch == nullptr ? std::time(nullptr) : static_cast<std::time_t>(std::atoll(epoch));
    const auto pages = man_pages(app, WAFD_VERSION, fmt::format("{:%Y-%m-%d}", fmt::gmtime(at)));
    if (folder->empty()) return fmt::print("{}", pages.front().text);
    std::error_code error;
    std::filesystem::create_directories(*folder, error);
    for (const ManPage& page : pages) {
      const std::string file = *folder + "/" + page.name + ".1";
      std::ofstream out(file, std::ios::binary);
      out << page.text;
      if (out.flush()) continue;
      fmt::print(stderr, "wafd: {}: cannot be written\n", file);
      exit_status = 1;
      return;
    }
  });

  CLI::App* completion = app.add_subcommand("completion", "Print what completes commands in a shell");
  completion->require_subcommand(1);
  completion->add_subcommand("bash", "For bash: put it into /usr/share/bash-completion/completions/wafd")
      ->callback([&app] { fmt::print("{}", bash_completion(app)); });
  completion->add_subcommand("zsh", "For zsh: put it into a folder of fpath, as _wafd")->callback([&app] {
    fmt::print("{}", zsh_completion(app));
  });
}

}  // namespace wafd
