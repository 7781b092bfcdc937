// Documentation of the command line, made of the same table as `--help`: pages for man(1), completion
// for bash and zsh, and their commands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <CLI/App.hpp>

namespace wafd {

struct ManPage {
  std::string name;  // "wafd-user-add"; the file is NAME.1
  std::string text;  // roff with the man macros
};

// A page for each command, also those that only hold others; the program's own first. `version` and `date`
// (2026-01-31) stand in the foot; the same command line gives the same bytes.
std::vector<ManPage> man_pages(const CLI::App& app, std::string_view version, std::string_view date);

// Scripts that source themselves alone: sub-commands, options, the folders and files that some take.
std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);

// `man` and `completion`. `app` holds all other commands when they run.
void add_document_commands(CLI::App& app, int& exit_status);

}  // namespace wafd
