#include "forward/io/receive/receive_command.h"

#include <cstdio>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <uv.h>

#include "files/given_text.h"
#include "forward/io/receive/receiver.h"
#include "ingest/io/kit/system.h"

namespace wafd::forward {
namespace {

struct Options {
  std::string udp, tcp, tls, certificate, key;
};

// Ends the loop on SIGINT and SIGTERM; the handles close with the loop.
struct Signal final : kit::LoopHandle {
  Signal(kit::Loop& l, int number) : loop(l) {
    uv_signal_init(l.uv(), &handle);
    handle.data = static_cast<LoopHandle*>(this);
    uv_signal_start(
        &handle, [](uv_signal_t* s, int) noexcept { of(s->data)->loop.stop(); }, number);
  }
  static Signal* of(const void* data) noexcept {
    return static_cast<Signal*>(static_cast<LoopHandle*>(const_cast<void*>(data)));
  }
  void loop_closing() noexcept override {
    uv_close(reinterpret_cast<uv_handle_t*>(&handle), [](uv_handle_t* h) noexcept { delete of(h->data); });
  }
  kit::Loop& loop;
  uv_signal_t handle{};
};

void print(std::string_view message) {
  const std::string line = one_line(message) + "\n";
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

void complain(const std::string& text) { fmt::print(stderr, "wafd receive: {}\n", text); }

// The given certificate, or one made for the occasion.
Result<std::shared_ptr<const kit::TlsContext>> server_context(const Options& options) {
  kit::TlsServerOptions o;
  if (!options.certificate.empty()) {
    auto certificate = read_pem_file("--cert", options.certificate);
    if (!certificate) return tl::unexpected(certificate.error());
    auto key = read_pem_file("--key", options.key);
    if (!key) return tl::unexpected(key.error());
    o.certificate_pem = std::move(*certificate);
    o.key_pem = std::move(*key);
  } else {
    const std::int64_t now_s = kit::SystemClock().unix_us() / 1'000'000;
    auto made = kit::make_self_signed({"localhost", "127.0.0.1", "::1"}, now_s, 30);
    if (!made) return tl::unexpected(made.error());
    o.certificate_pem = std::move(made->certificate_pem);
    o.key_pem = std::move(made->key_pem);
  }
  return kit::TlsContext::server(o);
}

int receive(const Options& options) {
  kit::Loop loop;
  new Signal(loop, SIGINT);  // each frees itself when the loop closes
  new Signal(loop, SIGTERM);
  std::unique_ptr<UdpReceiver> udp;
  std::unique_ptr<TcpReceiver> tcp, tls;
  const auto usage = [](const char* option, const Error& e) {
    fmt::print(stderr, "wafd receive: {}: {}\n", option, e.what);
    return 2;
  };
  if (!options.udp.empty()) {
    const auto at = Endpoint::parse(options.udp);
    if (!at) return usage("--udp", at.error());
    auto opened = UdpReceiver::open(loop, *at, print);
    if (!opened) return fmt::print(stderr, "wafd receive: {}\n", opened.error().what), 1;
    udp = std::move(*opened);
  }
  if (!options.tcp.empty()) {
    const auto at = Endpoint::parse(options.tcp);
    if (!at) return usage("--tcp", at.error());
    auto opened = TcpReceiver::open(loop, *at, print, complain);
    if (!opened) return fmt::print(stderr, "wafd receive: {}\n", opened.error().what), 1;
    tcp = std::move(*opened);
  }
  if (!options.tls.empty()) {
    const auto at = Endpoint::parse(options.tls);
    if (!at) return usage("--tls", at.error());
    const auto context = server_context(options);
    if (!context) return usage("--tls", context.error());
    auto opened = TcpReceiver::open(loop, *at, print, complain, *context);
    if (!opened) return fmt::print(stderr, "wafd receive: {}\n", opened.error().what), 1;
    tls = std::move(*opened);
  }
  if (udp) fmt::print(stderr, "listening on udp {}\n", udp->local().text());
  if (tcp) fmt::print(stderr, "listening on tcp {}\n", tcp->local().text());
  if (tls) fmt::print(stderr, "listening on tls {}\n", tls->local().text());
  std::fflush(stderr);
  loop.run();
  return 0;
}

}  // namespace

void add_receive_command(CLI::App& app, int& status) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("receive", "Print arriving syslog messages, one a line");
  command->add_option("--udp", options->udp, "Listen here for datagrams; port 0 picks a free one")
      ->type_name("ADDR:PORT");
  command
      ->add_option("--tcp", options->tcp,
                   "Listen here for TCP; octet counting and LF are told apart frame by frame")
      ->type_name("ADDR:PORT");
  command
      ->add_option("--tls", options->tls,
                   "Listen here for TLS, with --cert and --key, or a certificate made for the occasion for "
                   "localhost, 127.0.0.1 and ::1 that no sender knows")
      ->type_name("ADDR:PORT");
  auto* certificate =
      command->add_option("--cert", options->certificate, "Certificate for --tls, with its chain")
          ->type_name("FILE");
  auto* key =
      command->add_option("--key", options->key, "Its private key, without pass phrase")->type_name("FILE");
  certificate->needs(key);
  key->needs(certificate);
  command->require_option(1, 5);
  command->footer(
      "Each message is one line on stdout, control bytes escaped; where it listens and what broke the "
      "framing is "
      "told on stderr.\nAt least one of --udp, --tcp, --tls. SIGINT or SIGTERM ends it with status 0; 1: "
      "cannot "
      "listen; 2: usage.");
  command->callback([options, &status] { status = receive(*options); });
}

}  // namespace wafd::forward
