#include "console/commands.h"

#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "console/base/audit_log.h"
#include "console/base/json_text.h"
#include "console/base/strict_json.h"
#include "console/io/offline.h"
#include "forward/io/tls_check.h"
#include "ingest/io/kit/system.h"

namespace wafd::console {
namespace {

constexpr const char* kDefaultStateDir = "/var/lib/wafd";

struct CommonOptions {
  std::string state_dir = kDefaultStateDir;

  void add_to(CLI::App& command) {
    command.add_option("--state-dir", state_dir, "Folder of settings and credentials")
        ->type_name("DIR")
        ->capture_default_str();
  }
};

int report_failure(const Error& error) {
  fmt::print(stderr, "wafd: {}\n", error.what);
  return error.code == ErrorCode::kInvalid ? 2 : 1;
}

// Runs the command and hands its answer to `show`.
template <class Show>
int run(const std::string& state_dir, boost::json::object command, Show show) {
  const kit::SystemClock clock;
  auto answer = run_command(state_dir, command, [&clock](const forward::TargetSettings& target) {
    return forward::check_tls(target, clock.unix_us() / 1'000'000);
  });
  if (!answer) return report_failure(answer.error());
  return show(*answer);
}

int say_nothing(const boost::json::object&) { return 0; }

Result<std::string> read_password() {
  std::string password;
  if (!std::getline(std::cin, password) || password.empty()) {
    return fail(ErrorCode::kInvalid, "password: expected one line on standard input");
  }
  return password;
}

Result<boost::json::object> read_settings_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return fail(ErrorCode::kInvalid, path + ": cannot be opened; expected a settings file");
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  boost::system::error_code error;
  boost::json::value value = boost::json::parse(text, error);
  if (error || !value.is_object()) return fail(ErrorCode::kInvalid, path + ": expected one JSON object");
  if (const auto twice = member_given_twice(text))
    return fail(ErrorCode::kInvalid, path + ": " + twice->what);
  return std::move(value.get_object());
}

// The settings without what differs between machines and times.
std::string comparable(boost::json::object settings) {
  for (const char* name : {"version", "saved_ms", "author"}) settings.erase(name);
  return indented_json(settings);
}

void add_user_commands(CLI::App& app, int& exit_status) {
  struct Options : CommonOptions {
    std::string name;
    std::string role = "admin";
  };
  CLI::App* user = app.add_subcommand("user", "Users of the console; passwords are read from standard input");
  user->require_subcommand(1);
  const auto options = std::make_shared<Options>();
  CLI::App* add = user->add_subcommand("add", "Add a user");
  CLI::App* passwd = user->add_subcommand("passwd", "Change a user's password and end their sessions");
  CLI::App* remove = user->add_subcommand("remove", "Remove a user and their sessions");
  for (CLI::App* command : {add, passwd, remove}) {
    options->add_to(*command);
    command->add_option("NAME", options->name, "Name of the user")->required();
  }
  add->add_option("--role", options->role, "viewer, operator or admin")->capture_default_str();
  const auto with_password = [options, &exit_status](const char* name, bool role) {
    auto password = read_password();
    if (!password) {
      exit_status = report_failure(password.error());
      return;
    }
    boost::json::object command{{"command", name}, {"username", options->name}, {"password", *password}};
    if (role) command["role"] = options->role;
    exit_status = run(options->state_dir, std::move(command), say_nothing);
  };
  add->callback([with_password] { with_password("user.add", true); });
  passwd->callback([with_password] { with_password("user.passwd", false); });
  remove->callback([options, &exit_status] {
    exit_status =
        run(options->state_dir, {{"command", "user.remove"}, {"username", options->name}}, say_nothing);
  });
}

void add_token_commands(CLI::App& app, int& exit_status) {
  struct Options : CommonOptions {
    std::string name;
    std::string scope;
  };
  CLI::App* token = app.add_subcommand("token", "Tokens for the HTTP API");
  token->require_subcommand(1);
  const auto options = std::make_shared<Options>();
  CLI::App* create = token->add_subcommand("create", "Make a token and print it");
  options->add_to(*create);
  create->add_option("--name", options->name, "Name of the token")->required();
  create->add_option("--scope", options->scope, "read, write or admin")->required();
  create->callback([options, &exit_status] {
    exit_status = run(options->state_dir,
                      {{"command", "token.create"}, {"name", options->name}, {"scope", options->scope}},
                      [](const boost::json::object& answer) {
                        fmt::print("{}\n", std::string(answer.at("token").as_string()));
                        return 0;
                      });
  });
}

struct SettingsOptions : CommonOptions {
  std::string file;
  std::int64_t base = -1;
};

int apply_settings_file(const SettingsOptions& options) {
  auto file = read_settings_file(options.file);
  if (!file) return report_failure(file.error());
  boost::json::object command{{"command", "settings.apply"}, {"settings", *file}};
  if (options.base >= 0) command["base"] = options.base;
  return run(options.state_dir, command, say_nothing);
}

// 0: no difference.
int diff_settings_file(const SettingsOptions& options) {
  auto file = read_settings_file(options.file);
  if (!file) return report_failure(file.error());
  auto normal = run_command(options.state_dir, {{"command", "settings.normal"}, {"settings", *file}});
  if (!normal) return report_failure(normal.error());
  return run(options.state_dir, {{"command", "settings.export"}}, [&](const boost::json::object& answer) {
    const std::string difference = differing_lines(comparable(answer.at("settings").as_object()),
                                                   comparable(normal->at("settings").as_object()));
    fmt::print("{}", difference);
    return difference.empty() ? 0 : 1;
  });
}

void add_settings_commands(CLI::App& app, int& exit_status) {
  CLI::App* settings = app.add_subcommand(
      "settings", "Settings as a file: sites, exceptions, lists, targets, rules, what holds for the node");
  settings->require_subcommand(1);
  const auto options = std::make_shared<SettingsOptions>();
  CLI::App* to_file = settings->add_subcommand("export", "Print the settings, or write them to FILE");
  CLI::App* diff =
      settings->add_subcommand("diff", "Say whether FILE differs from the settings in use (exit status 1)");
  CLI::App* apply = settings->add_subcommand("apply", "Put the settings of FILE in use");
  for (CLI::App* command : {to_file, diff, apply}) options->add_to(*command);
  to_file->add_option("FILE", options->file, "Where to write; standard output if missing");
  for (CLI::App* command : {diff, apply})
    command->add_option("FILE", options->file, "Settings file")->required();

  apply
      ->add_option(
          "--base", options->base,
          "The version that FILE was made of (`version` in what export writes): refused if the settings "
          "are at another one")
      ->check(CLI::NonNegativeNumber);

  to_file->callback([options, &exit_status] {
    exit_status =
        run(options->state_dir, {{"command", "settings.export"}}, [&](const boost::json::object& answer) {
          const std::string text = indented_json(answer.at("settings"));
          if (options->file.empty()) {
            fmt::print("{}", text);
            return 0;
          }
          std::ofstream out(options->file, std::ios::binary | std::ios::trunc);
          out << text;
          out.close();
          if (out) return 0;
          return report_failure({ErrorCode::kIo, 0, options->file + ": cannot be written"});
        });
  });
  diff->callback([options, &exit_status] { exit_status = diff_settings_file(*options); });
  apply->callback([options, &exit_status] { exit_status = apply_settings_file(*options); });
}

void add_audit_commands(CLI::App& app, int& exit_status) {
  CLI::App* audit = app.add_subcommand("audit", "The audit log");
  audit->require_subcommand(1);
  const auto options = std::make_shared<CommonOptions>();
  CLI::App* check = audit->add_subcommand(
      "check", "Say whether lines were changed, taken out or cut off (exit status 1); the daemon may run");
  options->add_to(*check);
  check->callback([options, &exit_status] {
    const auto log = AuditLog::open_to_read(options->state_dir);
    if (!log) {
      exit_status = report_failure(log.error());
      return;
    }
    if (!log->damage().empty()) {
      exit_status = report_failure({ErrorCode::kIo, 0, log->damage()});
      return;
    }
    fmt::print("{}/audit.log: whole, the last entry is {}\n", options->state_dir, log->next_seq() - 1);
  });
}

}  // namespace

void add_commands(CLI::App& app, int& exit_status) {
  add_audit_commands(app, exit_status);
  add_user_commands(app, exit_status);
  add_token_commands(app, exit_status);
  add_settings_commands(app, exit_status);
}

}  // namespace wafd::console
