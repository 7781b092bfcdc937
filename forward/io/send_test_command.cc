#include "forward/io/send_test_command.h"

#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "forward/format/zone_time.h"
#include "forward/io/target_address.h"
#include "forward/io/tester.h"
#include "forward/target/presets.h"
#include "ingest/io/kit/system.h"

namespace wafd::forward {
namespace {

namespace json = boost::json;

struct SendTestOptions {
  std::string target, to, config, state_dir, node, time_zone;
  std::string preset, header, content, framing;  // empty: the preset's, or the default
  bool sample = false;
};

Result<TargetSettings> parse_to(const SendTestOptions& options) {
  auto read = target_members_of(options.to, "--to");
  if (!read) return tl::unexpected(read.error());
  json::object o = std::move(*read);
  o["name"] = "send-test";
  if (!options.header.empty()) o["header"] = options.header;
  if (!options.content.empty()) o["content"] = options.content;
  if (!options.framing.empty()) o["framing"] = options.framing;
  if (!options.preset.empty()) {
    auto merged = with_preset(options.preset, o);
    if (!merged) return fail(ErrorCode::kInvalid, "--" + merged.error().what);
    o = std::move(*merged);
  }
  auto target = parse_target(o);
  if (!target) target.error().what = "--to: " + target.error().what;
  return target;
}

std::string settings_path(const SendTestOptions& options) { return options.state_dir + "/settings.json"; }

Result<json::object> read_settings(const SendTestOptions& options) {
  const std::string path = settings_path(options);
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(ErrorCode::kMissing, fmt::format("{}: cannot be read", path));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  boost::system::error_code ec;
  json::value root = json::parse(text, ec);
  if (ec || !root.is_object()) return fail(ErrorCode::kInvalid, fmt::format("{}: no JSON object", path));
  return std::move(root.get_object());
}

// The time zone of the settings, which precedes the configuration's; empty: none is set.
std::string zone_of_settings(const SendTestOptions& options) {
  const auto root = read_settings(options);
  const json::value* system = root ? root->if_contains("system") : nullptr;
  const json::value* zone =
      system && system->is_object() ? system->get_object().if_contains("time_zone") : nullptr;
  return zone && zone->is_string() ? std::string(std::string_view(zone->get_string())) : std::string();
}

Result<TargetSettings> find_target(const SendTestOptions& options) {
  const std::string path = settings_path(options);
  const auto root = read_settings(options);
  if (!root) return tl::unexpected(root.error());
  const json::value* list = root->if_contains("targets");
  if (list && list->is_array())
    for (const auto& t : list->as_array()) {
      if (!t.is_object()) continue;
      const auto is_meant = [&](const char* member) {
        const json::value* v = t.as_object().if_contains(member);
        return v && v->is_string() && std::string_view(v->get_string()) == options.target;
      };
      if (!is_meant("name") && !is_meant("id")) continue;
      auto target = parse_target(t.as_object());
      if (!target)
        target.error().what = fmt::format("{}: target \"{}\": {}", path, options.target, target.error().what);
      return target;
    }
  return fail(ErrorCode::kUnknown, fmt::format("{}: no target named \"{}\"", path, options.target));
}

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "wafd";
}

void print(const TestResult& result) {
  for (const auto& stage : result.stages) {
    fmt::print("{:<8} {:<6} {:8.1f} ms", stage.name, stage.ok ? "ok" : "failed", stage.ms);
    for (const auto& d : stage.detail)
      fmt::print("  {}={}", std::string_view(d.key()), json::serialize(d.value()));
    fmt::print("{}{}\n", stage.error.empty() ? "" : "  ", stage.error);
  }
  fmt::print("message  {}\n", result.message);
  if (!result.event_id.empty()) fmt::print("event_id {}\n", result.event_id);
  fmt::print("verdict  {}: {}\n", result.verdict, result.text);
}

// Options that are not given come from the daemon's configuration, so that the message is the one
// that the daemon would send.
Result<ZoneTime> complete(SendTestOptions& options, const ReadSetup& read_setup) {
  auto setup = read_setup(options.config);
  if (!setup) return tl::unexpected(setup.error());
  if (options.state_dir.empty()) options.state_dir = setup->state_dir;
  if (options.node.empty()) options.node = setup->node.empty() ? host_name() : setup->node;
  if (options.time_zone.empty() && options.to.empty()) options.time_zone = zone_of_settings(options);
  if (options.time_zone.empty()) options.time_zone = setup->time_zone;
  return ZoneTime::of(options.time_zone);
}

int send_test(SendTestOptions options, const ReadSetup& read_setup) {
  const auto zone = complete(options, read_setup);
  if (!zone) {
    fmt::print(stderr, "wafd send-test: {}\n", zone.error().what);
    return 2;
  }
  const auto target = options.to.empty() ? find_target(options) : parse_to(options);
  if (!target) {
    fmt::print(stderr, "wafd send-test: {}\n", target.error().what);
    return 2;
  }
  kit::SystemClock clock;
  kit::SystemRandom random;
  kit::Loop loop;
  const TesterParts parts{clock, random, options.node, *zone, {}, {}};
  std::optional<TestResult> result;
  Tester tester(loop, parts, *target, options.sample ? TestKind::kSample : TestKind::kConnectivity,
                [&](TestResult r) {
                  result = std::move(r);
                  loop.stop();
                });
  loop.run();
  if (!result) return 1;
  print(*result);
  return result->verdict == "failed" || result->verdict == "closed" ? 1 : 0;
}

}  // namespace

void add_send_test_command(CLI::App& app, int& status, ReadSetup read_setup) {
  auto options = std::make_shared<SendTestOptions>();
  CLI::App* command = app.add_subcommand("send-test", "Send the connectivity test to a receiver, in stages");
  auto* target =
      command->add_option("--target", options->target, "A configured target")->type_name("NAME|ID");
  auto* to = command
                 ->add_option(
                     "--to", options->to,
                     "Any receiver: udp://, tcp://, tls:// or relp://HOST:PORT, kafka://HOST:PORT/TOPIC, or "
                     "postgresql://USER:PASSWORD@HOST:PORT/DATABASE (others see a command's words: a "
                     "password may be "
                     "file:/PATH)")
                 ->type_name("URL");
  target->excludes(to);
  command->add_option("--config", options->config, "Configuration file, for node, time zone and state folder")
      ->type_name("FILE");
  command->add_option("--state-dir", options->state_dir, "Folder of settings.json; default: as configured")
      ->type_name("DIR");
  for (auto* option :
       {command->add_option("--preset", options->preset,
                            "With --to: the settings for elastic_agent, graylog, qradar, sentinel, rsyslog, "
                            "splunk_sc4s, syslog_ng or wazuh; the options below come on top"),
        command->add_option("--header", options->header, "With --to: rfc5424 or rfc3164"),
        command->add_option("--content", options->content, "With --to and --sample: json, cef, leef or ecs"),
        command->add_option("--framing", options->framing, "With --to over TCP: octet_counting or lf")})
    option->needs(to);
  command
      ->add_option("--node", options->node,
                   "HOSTNAME of the message where the target has none; default: as configured")
      ->type_name("NAME");
  command->add_option("--time-zone", options->time_zone, "Of the timestamp; default: as configured")
      ->type_name("ZONE");
  command->add_flag("--sample", options->sample, "Send an invented event instead");
  command->callback([options, target, to, &status, read = std::move(read_setup)] {
    if (target->count() + to->count() != 1) {
      fmt::print(stderr, "wafd send-test: one of --target and --to is required\n");
      status = 2;
      return;
    }
    status = send_test(*options, read);
  });
}

}  // namespace wafd::forward
