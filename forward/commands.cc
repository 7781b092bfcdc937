#include "forward/commands.h"

#include <fstream>
#include <iterator>

#include "config.h"
#include "forward/io/fleet_command.h"
#include "forward/io/receive/receive_command.h"
#include "forward/io/send_test_command.h"
#include "forward/query/events_command.h"

namespace wafd::forward {
namespace {

Result<SendTestSetup> read_setup(const std::string& file) {
  Config config = default_config();
  const std::string name = file.empty() ? kDefaultConfigFile : file;
  std::ifstream in(name, std::ios::binary);
  if (in) {
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    if (auto read = read_config(text, name, config); !read) return tl::unexpected<Error>(read.error());
  } else if (!file.empty()) {
    return fail(ErrorCode::kMissing, name + ": cannot be opened; expected the configuration file");
  }
  return SendTestSetup{config.node, config.time_zone, config.state_dir};
}

}  // namespace

void add_commands(CLI::App& app, int& status) {
  add_events_command(app, status);
  add_receive_command(app, status);
  add_send_test_command(app, status, read_setup);
  add_fleet_command(app, status);
}

}  // namespace wafd::forward
