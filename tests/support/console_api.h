// The console's API without sockets: stores in a temporary folder, work done at once, a client that keeps its
// cookie.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "console/api/api.h"
#include "console/api/oidc.h"
#include "detect/policy/policy.h"
#include "tests/support/console_parts.h"
#include "tests/support/temp_folder.h"

namespace wafd::test {

// A certificate that is whatever was uploaded; the real one has tests of its own.
class NotingCertificate final : public console::CertificateKeeper {
 public:
  const console::CertificateFacts& facts() const override { return present; }
  Result<void> upload(const std::string& certificate, const std::string& key) override {
    if (key == "wrong") return fail(ErrorCode::kInvalid, "key: does not belong to the certificate");
    present.source = "uploaded";
    present.subject = certificate;
    return {};
  }
  Result<void> forget() override {
    present = {};
    present.source = "self_signed";
    return {};
  }
  console::CertificateFacts present{"self_signed", "", "CN=a", "CN=a", {"a"}, 0, 4'000'000'000, "AB"};
};

class AtOnce final : public console::Background {
 public:
  Taken take(Task task) override {
    if (full) return Taken::kFull;
    if (!nobody_waits) task.work();
    task.done();
    return Taken::kYes;
  }
  bool full = false;
  bool nobody_waits = false;  // as if whoever calls had gone before the work began
};

template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().what);
  return std::move(*result);
}

inline constexpr console::Asset kPage[] = {
    {"/", "text/html; charset=utf-8", "<!doctype html>", "", "", "e1", false}};

// Everything an Api needs. `password` of the user "admin", once set_up() was called, is kPassword.
struct ConsoleUnderTest {
  static constexpr const char* kPassword = "violet-otter-41";

  explicit ConsoleUnderTest(std::shared_ptr<const detect::Engine> used_engine = nullptr)
      : engine(std::move(used_engine)),
        ring(must(forward::Ring::open(ring_options()))),
        credentials(must(console::CredentialStore::open(folder.path))),
        settings(must(console::SettingsStore::open(folder.path, hooks()))),
        audit_log(must(console::AuditLog::open(folder.path))),
        hits(console::UsageCounterStore::open(folder.path)),
        setup(console::Setup::begin(folder.path, credentials.empty(), random, clock.unix_us() / 1000)) {
    services.triage_store = &triage_store;
    services.certificate = &certificate;
    services.notifier = &notifier;
  }

  forward::RingOptions ring_options() const {
    forward::RingOptions options;
    options.path = folder.path + "/ring";
    options.size_bytes = 4u << 20;
    options.sync_interval_ms = 0;
    return options;
  }
  console::SettingsHooks hooks() {
    console::SettingsHooks made;
    made.check_policy = [](const detect::PolicySettings& policy) -> Result<void> {
      if (auto built = detect::Policy::build(policy); !built) return tl::unexpected(built.error());
      return {};
    };
    made.apply_policy = [this](const detect::PolicySettings& policy) { applied_policy = policy; };
    made.apply_targets = [this](const std::vector<forward::TargetSettings>& targets) {
      delivery.apply(targets);
    };
    made.apply_notifications = [this](const console::Settings& now) {
      notifier.apply(now.channels, now.alerts);
    };
    made.apply_rules = [this](const std::vector<console::OwnRule>& rules) { applied_rules = rules; };
    made.check_system = [this](const console::SystemSettings& system) -> Result<void> {
      if (refuse_system || system.geoip_database == "/refused")
        return fail(ErrorCode::kInvalid, "geoip_database: /refused: expected a MaxMind DB file");
      return {};
    };
    made.apply_oidc = [this](const console::OidcSettings&) { console::provider_changed(services); };
    made.apply_system = [this](const console::SystemSettings& system) { applied_systems.push_back(system); };
    return made;
  }

  // One request; `headers` as "Name: value" lines without the last line end.
  console::HttpResponse call(const std::string& method, const std::string& target,
                             const std::string& body = {}, std::vector<console::Header> headers = {}) {
    console::HttpRequest request;
    request.method = method;
    request.target = target;
    request.body = body;
    request.peer = peer;
    request.headers = {{"Host", "127.0.0.1:8743"}};
    if (!body.empty()) request.headers.push_back({"Content-Type", "application/json"});
    for (auto& header : headers) request.headers.push_back(std::move(header));
    // An answer may come later than this call returns: nobody waits for it then.
    const auto answer = std::make_shared<console::HttpResponse>();
    answer->status = 0;
    api.handle(std::move(request),
               [answer](console::HttpResponse response) { *answer = std::move(response); });
    return std::move(*answer);
  }
  console::HttpResponse as_admin(const std::string& method, const std::string& target,
                                 const std::string& body = {}, std::vector<console::Header> headers = {}) {
    headers.push_back({"Cookie", cookie});
    headers.push_back({"X-Wafd-Csrf", "1"});
    return call(method, target, body, std::move(headers));
  }
  // Makes the user "admin" and logs in.
  console::HttpResponse set_up() {
    auto answer =
        call("POST", "/api/v1/setup",
             R"({"token":")" + setup.token() + R"(","username":"admin","password":")" + kPassword + R"("})");
    take_cookie(answer);
    return answer;
  }
  void take_cookie(const console::HttpResponse& answer) {
    const std::string header(answer.header("Set-Cookie"));
    cookie = header.substr(0, header.find(';'));
  }
  std::string token(console::Role role) {
    return must(credentials.add_token("t" + std::to_string(++tokens), role, 0, "test", random,
                                      clock.unix_us() / 1000))
        .secret;
  }

  TempFolder folder;
  SetClock clock;
  CountingRandom random;
  NotingDelivery delivery;
  NotingNotifier notifier;
  AtOnce background;
  NotingCertificate certificate;
  std::shared_ptr<const detect::Engine> engine;
  detect::PolicySettings applied_policy;
  std::vector<console::OwnRule> applied_rules;
  std::vector<console::SystemSettings> applied_systems;
  bool refuse_system = false;
  std::unique_ptr<forward::Ring> ring;
  console::CredentialStore credentials;
  console::SettingsStore settings;
  console::AuditLog audit_log;
  console::UsageCounterStore hits;
  std::vector<detect::UsageCounters> worker_hits;  // what "the workers" counted and nobody took yet
  console::LoginGuard guard;
  console::Setup setup;
  console::Services services{
      .node = "node-1",
      .clock = clock,
      .random = random,
      .started_ms = 1'700'000'000'000,
      .own_listeners = {Endpoint::parse("127.0.0.1:8700").value()},
      .credentials = credentials,
      .login_guard = guard,
      .setup = setup,
      .password_cost = {64, 1},
      .settings = settings,
      .audit_log = audit_log,
      .ring = *ring,
      .delivery = delivery,
      .engine = [this] { return engine; },
      .collect =
          [](std::function<void(console::StatusReport)> done) {
            console::StatusReport report;
            report.listeners.push_back({"t1k", "127.0.0.1:8700", true, 1, 2, 2, 0, 3, {{"bad_frame", 4}}});
            done(report);
          },
      .take_hits =
          [this](std::function<void(std::vector<detect::UsageCounters>)> done) {
            done(std::exchange(worker_hits, {}));
          },
      .hits = hits,
      .console_status = [] { return console::ConsoleStatus{}; },
      .ready = [] { return true; },
      .post = [](std::function<void()> function) { function(); },
      .background = background};
  console::TriageStore triage_store = console::TriageStore::open(folder.path);
  console::Api api{services, kPage};
  std::string cookie;
  std::string peer = "192.0.2.10";
  int tokens = 0;
};

inline boost::json::value json_of(const console::HttpResponse& response) {
  boost::system::error_code error;
  boost::json::value value =
      boost::json::parse({response.content().data(), response.content().size()}, error);
  return error ? boost::json::value() : value;
}

}  // namespace wafd::test
