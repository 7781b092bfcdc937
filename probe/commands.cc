#include "probe/commands.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <memory>
#include <span>
#include <string>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "ingest/io/kit/system.h"
#include "probe/io/http_client.h"
#include "probe/probe.h"

namespace wafd::probe {
namespace {

struct Arguments {
  std::string url, console, token;
  std::size_t max_body_bytes = 1 << 20;
  std::int64_t timeout_s = 10;
  bool json = false, insecure = false;
};

std::string random_marker() {
  std::array<std::byte, 8> bytes{};
  kit::SystemRandom().fill(bytes);
  std::string text;
  for (const std::byte b : bytes) text += fmt::format("{:02x}", std::to_integer<unsigned>(b));
  return text;
}

// record.src_ip of the event.
std::string source_of(const Url& console, const std::string& token, const ClientOptions& options,
                      const std::string& id) {
  Url url = console;
  url.path = "/api/v1/events/" + id;
  Request request;
  request.headers.emplace_back("Authorization", "Bearer " + token);
  const Answer answer = exchange(url, request, options);
  const std::size_t body = answer.text.find("\r\n\r\n");
  if (answer.status != 200 || body == std::string::npos) return {};
  boost::system::error_code wrong;
  const boost::json::value event = boost::json::parse(std::string_view(answer.text).substr(body + 4), wrong);
  if (wrong) return {};
  const boost::json::value* address = event.find_pointer("/record/src_ip", wrong);
  return address != nullptr && address->is_string() ? std::string(address->get_string()) : std::string();
}

void print(const std::vector<Finding>& findings, const Options& options, bool as_json) {
  if (!as_json) {
    for (const Finding& one : findings) fmt::print("{:<4}  {}\n", to_string(one.state), one.text);
    return;
  }
  boost::json::array list;
  for (const Finding& one : findings) {
    const char* state = one.state == State::kGood ? "ok" : one.state == State::kBad ? "fail" : "unknown";
    list.push_back(boost::json::object{{"check", one.check}, {"state", state}, {"text", one.text}});
  }
  fmt::print("{}\n",
             boost::json::serialize(boost::json::object{{"marker", options.marker}, {"findings", list}}));
}

int complain(std::string_view what) {
  fmt::print(stderr, "wafd: {}\n", what);
  return 2;
}

int probe(const Arguments& arguments) {
  std::signal(SIGPIPE, SIG_IGN);  // a gateway that closes while a long body is written has often answered
  const auto url = Url::parse(arguments.url);
  if (!url) return complain(url.error().what);
  const ClientOptions client{arguments.timeout_s * 1000, !arguments.insecure};
  AddressOf address_of;
  if (arguments.console.empty() != arguments.token.empty())
    return complain("--console and --token: expected both or neither");
  if (!arguments.console.empty()) {
    const auto console = Url::parse(arguments.console);
    if (!console) return complain(console.error().what);
    address_of = [client, console = *console, token = arguments.token](const std::string& id) {
      return source_of(console, token, client, id);
    };
  }
  Options options{random_marker(), arguments.max_body_bytes, {}};
  const Send send = [&](const Request& request) {
    return exchange(*url, request, client, &options.own_address);
  };
  const std::vector<Finding> findings = run(options, send, address_of);
  print(findings, options, arguments.json);
  if (findings.front().check == "reached") return 2;
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& f) { return f.state == State::kBad; })
             ? 1
             : 0;
}

}  // namespace

void add_commands(CLI::App& app, int& exit_status) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("probe",
                                         "Send marked attacks through a gateway and say what it blocks: "
                                         "query, bodies and their size, the client's address, "
                                         "forged headers, the event id, 300 headers. Exit status 0: nothing "
                                         "is wrong, 1: something is, 2: no answer");
  command->add_option("url", arguments->url, "Where the gateway serves a page that takes GET and POST")
      ->type_name("URL")
      ->required();
  command
      ->add_option("--max-body", arguments->max_body_bytes,
                   "Bytes of the largest body that is tried (1048576)")
      ->check(CLI::Range(1024, 64 << 20))
      ->type_name("BYTES");
  command->add_option("--console", arguments->console, "The console, to look at the events' source address")
      ->type_name("URL");
  command->add_option("--token", arguments->token, "An API token of scope read; better by the environment")
      ->envname("WAFD_TOKEN")
      ->type_name("TOKEN");
  command->add_option("--timeout", arguments->timeout_s, "Seconds that each request may take (10)")
      ->check(CLI::Range(1, 600))
      ->type_name("SECONDS");
  command->add_flag("--insecure", arguments->insecure,
                    "Do not check certificates, such as the console's own one");
  command->add_flag("--json", arguments->json, "One JSON object");
  command->callback([arguments, &exit_status] { exit_status = probe(*arguments); });
}

}  // namespace wafd::probe
