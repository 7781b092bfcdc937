// wafd: the program. Reads the command line; `run` is in daemon.cc, every folder brings its own sub-commands.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "command_docs.h"
#include "config.h"
#include "console/commands.h"
#include "daemon.h"
#include "detect/commands.h"
#include "doctor_command.h"
#include "fleet_join.h"
#include "forward/commands.h"
#include "probe/commands.h"
#include "rule_compiler.h"
#include "run_check.h"

namespace wafd {
namespace {

// Where configuration comes from: a file (a named one must exist), then each --set.
struct ConfigOptions {
  std::string file;
  std::string state_dir;
  std::vector<std::string> sets;

  void add_to(CLI::App& command) {
    command.add_option("--config", file, fmt::format("Configuration file (default {})", kDefaultConfigFile))
        ->type_name("FILE");
    command.add_option("--state-dir", state_dir, "Folder of ring, cursors, settings, credentials")
        ->type_name("DIR");
    command.add_option("--set", sets, "One key of the configuration; may be repeated")
        ->type_name("KEY=VALUE")
        ->take_all();
  }

  Result<Config> load() const {
    Config config = default_config();
    const std::string name = file.empty() ? kDefaultConfigFile : file;
    std::ifstream in(name, std::ios::binary);
    if (in) {
      const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
      if (in.bad()) return fail(ErrorCode::kIo, fmt::format("{}: cannot be read", name));
      if (auto read = read_config(text, name, config); !read) return tl::unexpected<Error>(read.error());
    } else if (!file.empty()) {
      return fail(ErrorCode::kMissing,
                  fmt::format("{}: cannot be opened; expected the configuration file", name));
    }
    for (const std::string& set : sets) {
      if (auto done = set_config(set, config); !done) return tl::unexpected<Error>(done.error());
    }
    if (!state_dir.empty()) config.state_dir = state_dir;
    if (auto sound = check_config(config); !sound) return tl::unexpected<Error>(sound.error());
    return config;
  }
};

int report_error(const Error& error) {
  fmt::print(stderr, "wafd: {}\n", error.what);
  return 2;
}

void add_doctor_commands(CLI::App& app, int& status) {
  const auto options = std::make_shared<ConfigOptions>();  // of whichever of the two is run
  const auto as_json = std::make_shared<bool>(false);
  CLI::App* doctor =
      app.add_subcommand("doctor", "Look for what keeps wafd from working, and say what to do");
  options->add_to(*doctor);
  doctor->add_flag("--json", *as_json, "One JSON object");
  doctor->footer("Exit status: 0: all is well, 1: warnings, 2: errors. Changes nothing.");
  doctor->callback([=, &status] { status = run_doctor(options->load(), options->state_dir, *as_json); });

  CLI::App* health = app.add_subcommand("health", "Say whether wafd runs and is ready, for health checks");
  options->add_to(*health);
  health->footer("Exit status: 0: it is ready, 1: it is not, and a line says why.");
  health->callback([=, &status] {
    const auto loaded = options->load();
    status = loaded ? run_health(*loaded) : report_error(loaded.error());
  });
}

int main_of(int argc, char** argv) {
  CLI::App app{"wafd: the detection, event and syslog side of a web application firewall", "wafd"};
  app.require_subcommand(1);
  app.failure_message([](const CLI::App*, const CLI::Error& error) {
    return fmt::format("wafd: {}; `wafd --help` lists what there is\n", error.what());
  });
  int status = 0;

  ConfigOptions check_options;
  CLI::App* config = app.add_subcommand("config", "Look at the configuration");
  config->require_subcommand(1);
  CLI::App* check = config->add_subcommand("check", "Say whether the configuration is sound");
  check_options.add_to(*check);
  check->callback([&] {
    const auto loaded = check_options.load();
    const auto good = loaded ? check_all(*loaded) : Result<void>(tl::unexpected<Error>(loaded.error()));
    if (good) fmt::print("ok\n");
    status = good ? 0 : report_error(good.error());
  });
  config->add_subcommand("defaults", "Print every key with its default and what it means")->callback([] {
    fmt::print("{}", describe_defaults());
  });

  app.add_subcommand("version", "Print the version")->callback([] { fmt::print("wafd {}\n", WAFD_VERSION); });

  ConfigOptions run_options;
  CLI::App* run = app.add_subcommand("run", "Run the daemon");
  run_options.add_to(*run);
  run->callback([&] {
    const auto loaded = run_options.load();
    status = loaded ? run_daemon(*loaded) : report_error(loaded.error());
  });

  add_doctor_commands(app, status);
  add_compile_rules(app, status);
  detect::add_commands(app, status);
  forward::add_commands(app, status);
  console::add_commands(app, status);
  add_fleet_join(app, status);
  probe::add_commands(app, status);
  add_document_commands(app, status);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return status;
}

}  // namespace
}  // namespace wafd

int main(int argc, char** argv) { return wafd::main_of(argc, argv); }
