#include "forward/commands.h"

#include "forward/events_command.h"
#include "forward/io/receive_command.h"
#include "forward/io/send_test_command.h"

namespace wafd::forward {

void add_commands(CLI::App& app, int& status) {
  add_events_command(app, status);
  add_receive_command(app, status);
  add_send_test_command(app, status);
}

}  // namespace wafd::forward
