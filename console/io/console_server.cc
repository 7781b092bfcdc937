#include "console/io/console_server.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "console/api/admin.h"
#include "console/api/admin_status.h"
#include "console/api/api.h"
#include "console/api/node_state.h"
#include "console/api/oidc.h"
#include "console/api/routing/etag.h"
#include "console/api/weekly_report.h"
#include "console/base/sealing.h"
#include "console/credentials/own_files.h"
#include "console/io/admin_socket.h"
#include "console/io/certificate.h"
#include "console/io/fleet/fleet_accounts.h"
#include "console/io/fleet/fleet_adoption.h"
#include "console/io/fleet/fleet_audit.h"
#include "console/io/fleet/fleet_node_watch.h"
#include "console/io/fleet/fleet_settings.h"
#include "console/io/fleet/fleet_source.h"
#include "console/io/fleet/fleet_triage_book.h"
#include "console/io/work_pool.h"
#include "forward/io/web/web_question.h"
#include "ingest/io/kit/listen.h"
#include "ingest/io/kit/loop.h"
#include "ingest/io/kit/system.h"

namespace wafd::console {
namespace {

constexpr std::int64_t kHousekeepingMs = 60'000;
constexpr std::int64_t kFileWatchMs = 1'000;
constexpr std::int64_t kObserveMs = 5'000;

// All that is read at the start, before anything can refer to it.
struct Stores {
  CredentialStore credentials;
  SettingsStore settings;
  AuditLog audit_log;
  UsageCounterStore hits;
  Setup setup;
  TriageStore triage_store;
  KnownClients known_clients;
  Result<SealingKeys> fleet_keys;
};

Result<SealingKeys> read_fleet_keys(const std::string& path) {
  if (path.empty()) return fail(ErrorCode::kMissing, "fleet.key_file is not set");
  auto keys = SealingKeys::read(path);
  if (!keys) keys.error().what = "fleet.key_file: " + keys.error().what;
  return keys;
}

// Without what the loop does for it.
FleetSettingsParts fleet_settings_parts(const ConsoleOptions& options, const ConsoleParts& parts) {
  return {.database = *parts.fleet,
          .clock = parts.clock,
          .random = parts.random,
          .node = options.node,
          .key_file = options.fleet_key_file};
}

class Server final : public ConsoleServer, private CertificateKeeper {
 public:
  Server(ConsoleOptions options, ConsoleParts parts, Stores stores, Certificate certificate,
         CertificatePlace place, kit::ListenSockets sockets, kit::ListenSockets admin)
      : options_(std::move(options)),
        parts_(std::move(parts)),
        stores_(std::move(stores)),
        certificate_(std::move(certificate)),
        place_(std::move(place)),
        sockets_(std::move(sockets)),
        admin_sockets_(std::move(admin)),
        services_{.node = options_.node,
                  .clock = parts_.clock,
                  .random = parts_.random,
                  .started_ms = parts_.clock.unix_us() / 1000,
                  .config = options_.config,
                  .configured = options_.configured,
                  .hosts = options_.hosts,
                  .own_listeners = options_.own_listeners,
                  .zone = options_.zone,
                  .certificate = this,
                  .local_addresses = [] { return kit::local_addresses(); },
                  .credentials = accounts_ ? accounts_->store() : stores_.credentials,
                  .login_guard = guard_,
                  .setup = stores_.setup,
                  .password_cost = options_.password_cost,
                  .known_clients = &stores_.known_clients,
                  .fetch = [this](const WebRequest& request) { return fetch(request); },
                  .settings = stores_.settings,
                  .audit_log = stores_.audit_log,
                  .etag_key = etag_key_of(options_.state_dir, parts_.random),
                  .compile_rules = parts_.compile_rules,
                  .ring = parts_.ring,
                  .delivery = parts_.delivery,
                  .triage_store = &stores_.triage_store,
                  .source_facts = parts_.source_facts,
                  .engine = parts_.engine,
                  .collect = parts_.collect,
                  .more_metrics = parts_.more_metrics,
                  .take_hits = parts_.take_hits,
                  .hits = stores_.hits,
                  .console_status = [this] { return status(); },
                  .ready = parts_.ready,
                  .post = [this](std::function<void()> function) { loop_.post(std::move(function)); },
                  .background = background_holder_,
                  .passwords = &passwords_holder_,
                  .outgoing = &outgoing_holder_,
                  .database = &database_holder_},
        api_(services_, options_.assets),
        housekeeping_(loop_,
                      [this] {
                        keep_house();
                        services_.gather_hits([this] { save_hits(); });
                        services_.gather_traffic([] {});
                        tell_weekly_report(services_);
                      }),
        observing_(loop_, [this] { observe(services_); }) {
    services_.own_listeners.push_back(sockets_.local());
    if (parts_.fleet != nullptr) {
      services_.events = std::make_shared<FleetSource>(*parts_.fleet, own_events_, exports_holder_,
                                                       *parts_.fleet_tails, tails_holder_);
      services_.shared_triage = std::make_shared<FleetTriageBook>(*parts_.fleet);
      services_.fleet_nodes = std::make_shared<FleetNodeWatch>(*parts_.fleet, tails_holder_);
      services_.fleet = true;
    } else {
      services_.database = nullptr;
    }
    if (options_.settings_of_fleet) open_shared_settings();
    if (accounts_) open_accounts();
    services_.beat = parts_.beat;
    services_.notifier = parts_.notifier != nullptr ? parts_.notifier : &nobody_;
    services_.notifier->set_sent([this](forward::SendRecord record) {
      loop_.post([this, record = std::move(record)] { services_.audit(audit_of(record)); });
    });
    SettingsHooks hooks = parts_.hooks;
    hooks.apply_system = [this, told = std::move(hooks.apply_system)](const SystemSettings& system) {
      use_zone(system);
      if (told) told(system);
    };
    hooks.apply_oidc = [this, told = std::move(hooks.apply_oidc)](const OidcSettings& oidc) {
      provider_changed(services_);
      if (told) told(oidc);
    };
    stores_.settings.set_hooks(std::move(hooks));
    provider_changed(services_);  // the file may be another one than at the last end
    use_zone(stores_.settings.current().system);
    for (const auto& [account, clients] : stores_.known_clients.all())
      for (const KnownClient& client : clients) guard_.know(account, client.address);
    if (!options_.settings_file.empty())
      file_watch_ = std::make_unique<kit::Timer>(loop_, [this] { watch_file(); });
  }

  ~Server() override { stop(); }

  const Settings& settings() const noexcept override { return stores_.settings.current(); }
  const std::string& settings_notice() const noexcept override { return stores_.settings.notice(); }
  Endpoint local() const noexcept override { return sockets_.local(); }
  std::string fingerprint() const override {
    const std::lock_guard lock(certificate_mutex_);
    return certificate_.facts.fingerprint_sha256;
  }
  std::string setup_token() const override { return stores_.setup.token(); }
  bool setup_token_filed() const override { return stores_.setup.notice().empty(); }

  void set_own_listeners(std::vector<Endpoint> listeners) override {
    services_.own_listeners = std::move(listeners);
    services_.own_listeners.push_back(sockets_.local());
  }

  void start() override {
    listener_ = std::make_unique<kit::Listener>(
        loop_, sockets_.take(0), false,
        [this](std::unique_ptr<kit::Stream> stream) { accept(std::move(stream)); });
    admin_ =
        std::make_unique<AdminSocket>(loop_, std::move(admin_sockets_),
                                      [this](std::string_view line, std::function<void(std::string)> answer) {
                                        if (asks_for_status(line))
                                          return answer_status(services_, std::move(answer));
                                        answer_command(std::string(line), answer);
                                      });
    loop_.post([this] { say_certificate(); });
    housekeeping_.start(kHousekeepingMs, kHousekeepingMs);
    if (file_watch_) file_watch_->start(kFileWatchMs, kFileWatchMs);
    observing_.start(0, kObserveMs);
    if (shared_settings_) {
      shared_settings_->uses(stores_.settings.current());
      shared_settings_->start();
    }
    if (accounts_) accounts_turn_.start(FleetAccounts::kLeastMs, FleetAccounts::kLeastMs);
    thread_ = std::thread([this] { loop_.run(); });
  }

  void stop() override {
    if (!thread_.joinable()) return;
    stopping_ = true;
    loop_.post([this] {
      listener_.reset();
      admin_.reset();
      for (const auto& item : connections_) item.second->end_stream();
      loop_.post([this] {
        connections_.clear();
        background_.reset();
        passwords_.reset();
        outgoing_.reset();
        if (parts_.fleet != nullptr) parts_.fleet->stop();
        if (shared_settings_) shared_settings_->stop();
        if (parts_.fleet_tails != nullptr) parts_.fleet_tails->stop();
        keep_accounts();
        if (parts_.accounts != nullptr) parts_.accounts->stop();
        accounts_pool_.reset();
        database_.reset();
        exports_.reset();
        tails_.reset();
        if (!accounts_) keep_accounts();
        loop_.stop();
      });
    });
    thread_.join();
    save_last_hits();
  }

  void collect_metrics(std::function<void(std::vector<telemetry::MetricFamily>)> done) override {
    loop_.post(
        [this, done = std::move(done)]() mutable { console::collect_metrics(services_, std::move(done)); });
  }

  void reload_certificate() override {
    loop_.post([this] {
      if (auto good = read_certificate(); !good)
        parts_.log("console: the new certificate is no good, the old one stays: " + good.error().what);
    });
  }

 private:
  // The background is destroyed before the loop stops, the API keeps a reference: this stands between.
  class BackgroundHolder final : public Background {
   public:
    explicit BackgroundHolder(std::unique_ptr<WorkPool>& to) : to_(to) {}
    Taken take(Task task) override { return to_ == nullptr ? Taken::kFull : to_->take(std::move(task)); }

   private:
    std::unique_ptr<WorkPool>& to_;
  };

  const CertificateFacts& facts() const override { return certificate_.facts; }

  Result<void> upload(const std::string& certificate, const std::string& key) override {
    if (auto kept = keep_uploaded(place_, certificate, key, services_.now_ms() / 1000); !kept) return kept;
    return read_certificate();
  }

  Result<void> forget() override {
    if (auto gone = forget_uploaded(place_); !gone) return gone;
    return read_certificate();
  }

  Result<void> read_certificate() {
    auto fresh = load_certificate(place_, services_.now_ms() / 1000, false);
    if (!fresh) return tl::unexpected(fresh.error());
    {
      const std::lock_guard lock(certificate_mutex_);
      certificate_ = std::move(*fresh);
    }
    say_certificate();
    return {};
  }

  // That there is another certificate than before, which nobody asked for.
  void say_certificate() {
    if (certificate_.notice.empty()) return;
    parts_.log("console: " + certificate_.notice);
    services_.audit(
        {services_.now_ms(),
         "",
         "console",
         "",
         "certificate.made",
         certificate_.facts.subject,
         {{"fingerprint_sha256", certificate_.facts.fingerprint_sha256}, {"why", certificate_.notice}}});
  }

  // On a thread of `outgoing_`.
  WebAnswer fetch(const WebRequest& request) const {
    forward::WebQuestion question{request.method, request.url, {},
                                  request.body,   request.ca,  kMaxWebAnswerBytes};
    for (const Header& header : request.headers) question.headers.emplace_back(header.name, header.value);
    forward::WebReply reply =
        forward::ask(question, services_.own_listeners, kit::local_addresses(), stopping_);
    return {reply.status, std::move(reply.body), std::move(reply.failure)};
  }

  // Signed by somebody else: browsers that believe it may be told to use nothing else.
  static bool has_authority(const CertificateFacts& facts) {
    return facts.source != "self_signed" && facts.issuer != facts.subject;
  }

  ConsoleStatus status() const {
    ConsoleStatus out;
    out.address = sockets_.local().text();
    out.connections = connections_.size();
    for (const auto& item : connections_) out.streams += item.second->streaming() ? 1u : 0u;
    out.fingerprint_sha256 = certificate_.facts.fingerprint_sha256;
    out.refused.assign(refused_.begin(), refused_.end());
    return out;
  }

  void accept(std::unique_ptr<kit::Stream> stream) {
    const auto peer = stream->peer();
    if (!peer) return;
    const std::string address = peer->address.text();
    const std::string key = address_key(address);
    std::size_t strangers = 0;
    for (const auto& [id, connection] : connections_) {
      if (!connection->known() && keys_[id] == key) ++strangers;
    }
    if (strangers >= options_.max_strangers_per_address) {
      ++refused_["too_many_of_one_address"];
      return;
    }
    if (connections_.size() >= options_.max_connections) {
      ++refused_["too_many"];
      const auto place = place_of_crowd();
      if (!place) return;
      remove(*place);
    }
    const std::uint64_t id = ++last_id_;
    auto connection = std::make_unique<Connection>(
        Connection::Parts{loop_, parts_.clock, options_.limits, address,
                          [this](HttpRequest request, Respond respond, const std::function<void()>& known) {
                            api_.handle(std::move(request), std::move(respond), known);
                          },
                          [this](const char* reason) { ++refused_[reason]; }, [this, id] { remove(id); },
                          has_authority(certificate_.facts)},
        kit::make_tls_server(std::move(stream), certificate_.context));
    Connection& begun = *connection;
    connections_.emplace(id, std::move(connection));
    keys_.emplace(id, key);
    begun.start();
  }

  // Those inside stay. Of the address with most strangers, the one who waited longest makes room for the next
  // one: who comes alone keeps the place that a crowd would take.
  std::optional<std::uint64_t> place_of_crowd() const {
    struct Crowd {
      std::size_t size = 0;
      std::uint64_t oldest = UINT64_MAX;  // ids count up
    };
    std::unordered_map<std::string_view, Crowd> crowds;
    for (const auto& [id, connection] : connections_) {
      if (connection->known()) continue;
      Crowd& crowd = crowds[keys_.at(id)];
      ++crowd.size;
      crowd.oldest = std::min(crowd.oldest, id);
    }
    const auto largest = std::max_element(crowds.begin(), crowds.end(), [](const auto& a, const auto& b) {
      return a.second.size < b.second.size;
    });
    if (largest == crowds.end()) return std::nullopt;
    return largest->second.oldest;
  }

  void remove(std::uint64_t id) {
    keys_.erase(id);
    connections_.erase(id);
  }

  void open_accounts() {
    audit_ = std::make_unique<FleetAudit>(
        FleetAudit::Parts{*parts_.accounts, *parts_.fleet, stores_.audit_log, parts_.ring.generation(),
                          options_.node, accounts_pool_holder_, parts_.log});
    services_.accounts = accounts_.get();
    services_.audit_pages = audit_.get();
    accounts_->set_seen([this] { meet_fleet_accounts(); });
    accounts_->set_unknown([this](const std::vector<std::string>& accounts) {
      boost::json::array named(accounts.begin(), accounts.end());
      services_.audit({services_.now_ms(),
                       "",
                       "console",
                       "",
                       "accounts.unknown",
                       "",
                       {{"accounts", std::move(named)},
                        {"why", "the database did not say whether it made a change of them"}}});
    });
    accounts_->look_now();
  }

  // Something is new in the accounts of the fleet.
  void meet_fleet_accounts() {
    const auto met = meet_fleet(accounts_->store(), stores_.credentials, !accounts_->damaged());
    if (!met) return parts_.log("console: accounts: " + met.error().what);
    for (const std::string& line : *met) parts_.log("console: " + line);
    if (!accounts_->store().empty() || !stores_.setup.token().empty()) return;
    stores_.setup = Setup::begin(options_.state_dir, true, parts_.random, services_.now_ms());
    parts_.log(
        "console: the fleet has no account yet: the set-up token is in the state folder, as setup-token");
  }

  void keep_accounts() {
    if (auto kept = services_.credentials.tick(services_.now_ms()); !kept)
      parts_.log("console: " + kept.error().what);
  }

  void keep_house() {
    keep_accounts();
    if (certificate_.facts.source == "self_signed" &&
        certificate_.facts.not_after_s < services_.now_ms() / 1000 + kRenewBeforeS)
      reload_certificate();
    if (!stores_.setup.token().empty() && !stores_.setup.open(services_.now_ms())) stores_.setup.finish();
  }

  void watch_file() {
    const std::string before = stores_.settings.notice();
    if (stores_.settings.refresh_file(services_.now_ms())) {
      const std::string version = std::to_string(stores_.settings.current().version);
      services_.audit(
          {services_.now_ms(), "", "file", "", "settings.file", version, {{"file", options_.settings_file}}});
      parts_.log("settings: version " + version + " read from " + options_.settings_file);
    } else if (stores_.settings.notice() != before && !stores_.settings.notice().empty()) {
      parts_.log("settings: " + stores_.settings.notice());
    }
  }

  // For what asks this database; null where there is none.
  std::unique_ptr<WorkPool> pool_for(const forward::FleetDatabase* asked, WorkPoolLimits limits) {
    return asked == nullptr ? nullptr : std::make_unique<WorkPool>(loop_, limits);
  }

  void open_shared_settings() {
    FleetSettingsParts parts = fleet_settings_parts(options_, parts_);
    parts.post = [this](std::function<void()> function) { loop_.post(std::move(function)); };
    parts.tell = [this](FleetSettingsNews news) { return take_news(std::move(news)); };
    shared_settings_ = std::make_unique<FleetSettings>(std::move(parts));
    services_.shared_settings = shared_settings_.get();
  }

  void answer_command(const std::string& line, const std::function<void(std::string)>& answer) {
    const auto said = std::make_shared<std::string>(run_admin_line(
        line, {services_.credentials.for_commands(), stores_.settings, &stores_.setup, parts_.random,
               options_.password_cost, services_.now_ms(),
               [this](const AuditEntry& entry) { services_.audit(entry); },
               [this](const forward::TargetSettings& target) { return services_.delivery.check(target); }}));
    services_.settle_settings([this, line, answer] { answer_command(line, answer); },
                              [said, answer](const Result<void>& stored) {
                                answer(stored ? std::move(*said) : admin_refusal(stored.error()));
                              });
  }

  // Takes over what the fleet's database answered, or that it did not answer.
  std::string take_news(FleetSettingsNews news) {
    SettingsStore& settings = stores_.settings;
    const std::string before = settings.notice();
    Result<void> used;
    if (news.settings) {
      used = take_version(news);
    } else {
      settings.fleet_is(news.newest, news.why, fleet_notice(news, settings.current().version));
    }
    if (settings.notice() != before && !settings.notice().empty())
      parts_.log("settings: " + settings.notice());
    return used ? std::string() : used.error().what;
  }

  Result<void> take_version(FleetSettingsNews& news) {
    auto used = use_fleet_version(stores_.settings, news, [this](const forward::TargetSettings& target) {
      return services_.delivery.check(target);
    });
    if (!used) return used;
    shared_settings_->uses(stores_.settings.current());
    const forward::FleetSettingsRow& about = *news.about;
    parts_.inform(fmt::format("settings: version {} of the fleet is in use, by {} on node {}", about.version,
                              about.author, about.node));
    if (about.node != options_.node)
      services_.audit({services_.now_ms(),
                       about.author,
                       "fleet",
                       "",
                       "settings.fleet",
                       std::to_string(about.version),
                       {{"node", about.node}, {"comment", about.comment}}});
    return {};
  }

  // Of previews and copies. A zone that the machine no longer knows leaves the one before.
  void use_zone(const SystemSettings& system) {
    if (auto zone = forward::ZoneTime::of(in_force(system, options_.configured).time_zone))
      services_.zone = std::move(*zone);
  }

  // Made here, written elsewhere; one at a time, because both would write the same file.
  void save_hits() {
    if (saving_hits_) return;
    stores_.hits.prune(stores_.settings.current().policy);
    const auto saved = std::make_shared<Result<void>>();
    saving_hits_ =
        background_holder_.run([saved, path = stores_.hits.path(),
                                text = stores_.hits.text()] { *saved = UsageCounterStore::save(path, text); },
                               [this, saved] {
                                 saving_hits_ = false;
                                 if (!*saved) parts_.log("console: " + saved->error().what);
                               });
  }

  // The loop has ended, and the workers before it, so that they answer at once.
  void save_last_hits() {
    const auto taken = std::make_shared<std::vector<detect::UsageCounters>>();
    parts_.take_hits([taken](std::vector<detect::UsageCounters> parts) { *taken = std::move(parts); });
    stores_.hits.add(*taken);
    stores_.hits.prune(stores_.settings.current().policy);
    if (auto saved = UsageCounterStore::save(stores_.hits.path(), stores_.hits.text()); !saved)
      parts_.log("console: " + saved.error().what);
  }

  ConsoleOptions options_;
  ConsoleParts parts_;
  Stores stores_;
  mutable std::mutex certificate_mutex_;  // the loop alone changes it; fingerprint() reads from elsewhere
  Certificate certificate_;
  CertificatePlace place_;
  kit::ListenSockets sockets_;
  kit::ListenSockets admin_sockets_;
  LoginGuard guard_;
  kit::Loop loop_;
  std::unique_ptr<WorkPool> background_ = std::make_unique<WorkPool>(loop_);
  BackgroundHolder background_holder_{background_};
  // Passwords alone: log-ins wait for no search. Each hashing takes its 19 MiB.
  std::unique_ptr<WorkPool> passwords_ =
      std::make_unique<WorkPool>(loop_, WorkPoolLimits{.threads = 2, .waiting_of_user = 32});
  BackgroundHolder passwords_holder_{passwords_};
  // Waiting for other servers, which may be slow: nobody else waits for that.
  std::unique_ptr<WorkPool> outgoing_ =
      std::make_unique<WorkPool>(loop_, WorkPoolLimits{.threads = 4, .waiting_of_user = 4});
  BackgroundHolder outgoing_holder_{outgoing_};
  // Searches in the fleet's database, which may be slow or away.
  std::unique_ptr<WorkPool> database_ = pool_for(parts_.fleet, {.threads = 4});
  BackgroundHolder database_holder_{database_};
  // Pages of exports; what is new for live tails, and the nodes.
  std::unique_ptr<WorkPool> exports_ = pool_for(parts_.fleet, {.threads = 2, .waiting = 256});
  BackgroundHolder exports_holder_{exports_};
  std::unique_ptr<WorkPool> tails_ = pool_for(parts_.fleet, {.threads = 2});
  BackgroundHolder tails_holder_{tails_};
  std::unique_ptr<FleetSettings> shared_settings_;
  // Threads of their own for the accounts of a fleet, which every request waits for, and for its audit log.
  std::unique_ptr<WorkPool> accounts_pool_ = pool_for(parts_.accounts, {.threads = 2});
  BackgroundHolder accounts_pool_holder_{accounts_pool_};
  std::unique_ptr<FleetAccounts> accounts_ =
      parts_.accounts == nullptr
          ? nullptr
          : std::make_unique<FleetAccounts>(
                FleetAccounts::Parts{*parts_.accounts, std::move(stores_.fleet_keys), parts_.random,
                                     parts_.clock, accounts_pool_holder_, parts_.log},
                stores_.credentials);
  std::unique_ptr<FleetAudit> audit_;
  RingEvents own_events_{parts_.ring};
  std::atomic<bool> stopping_ = false;
  forward::NoNotifier nobody_;
  Services services_;
  Api api_;
  kit::Timer housekeeping_;
  kit::Timer observing_;
  kit::Timer accounts_turn_{loop_, [this] {
                              accounts_->turn();
                              audit_->turn(services_.steady_ms());
                            }};
  std::unique_ptr<kit::Timer> file_watch_;
  std::unique_ptr<kit::Listener> listener_;
  std::unique_ptr<AdminSocket> admin_;
  std::unordered_map<std::uint64_t, std::string> keys_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Connection>> connections_;
  std::map<std::string, std::uint64_t> refused_;
  std::uint64_t last_id_ = 0;
  bool saving_hits_ = false;
  std::thread thread_;
};

// Settings that are not this node's own: a file's, or a fleet's.
Result<void> follow_source(SettingsStore& settings, const ConsoleOptions& options, const ConsoleParts& parts,
                           std::int64_t now_ms) {
  if (!options.settings_file.empty()) {
    auto followed = settings.follow_file(options.settings_file, now_ms);
    if (!followed && settings.current().version == 0) return followed;
  }
  if (options.settings_of_fleet) {
    FleetSettings fleet(fleet_settings_parts(options, parts));
    if (auto begun = begin_with_fleet(settings, options.state_dir + kFleetCopyFile, fleet, parts.log); !begun)
      return begun;
  } else {
    std::remove((options.state_dir + kFleetCopyFile).c_str());  // of a fleet that this node has left
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<ConsoleServer>> ConsoleServer::open(ConsoleOptions options, ConsoleParts parts) {
  const std::int64_t now_ms = parts.clock.unix_us() / 1000;
  auto credentials = CredentialStore::open_or_replace(options.state_dir);
  if (!credentials) return tl::unexpected(credentials.error());
  if (!credentials->notice().empty()) parts.log("console: " + credentials->notice());
  // Nothing that could be told of a change exists yet: only what may refuse one is asked.
  auto settings = SettingsStore::open(
      options.state_dir, {parts.hooks.check_policy, {}, {}, {}, {}, parts.hooks.check_system, {}, {}});
  if (!settings) return tl::unexpected(settings.error());
  if (auto followed = follow_source(*settings, options, parts, now_ms); !followed)
    return tl::unexpected(followed.error());
  auto audit_log = AuditLog::open(options.state_dir);
  if (!audit_log) return tl::unexpected(audit_log.error());
  const auto note = [&](const char* action, const std::string& what) {
    if (what.empty()) return;
    (void)audit_log->append({now_ms, {}, "console", {}, action, {}, {{"what", what}}});
  };
  if (!audit_log->damage().empty()) parts.log("console: " + audit_log->damage());
  note("audit.damaged", audit_log->damage());
  note("credentials.put_aside", credentials->notice());
  Setup setup = Setup::begin(options.state_dir, credentials->empty() && parts.accounts == nullptr,
                             parts.random, now_ms);
  if (!setup.notice().empty()) parts.log("console: " + setup.notice());
  CertificatePlace place{options.certificate_file, options.key_file, options.state_dir, own_names()};
  if (!options.listen.address.is_unspecified()) {
    const std::string address = options.listen.address.text();
    if (std::find(place.names.begin(), place.names.end(), address) == place.names.end())
      place.names.push_back(address);
  }
  auto certificate = load_certificate(place, now_ms / 1000);
  if (!certificate) return tl::unexpected(certificate.error());
  auto sockets = kit::ListenSockets::tcp(options.listen, 1);
  if (!sockets) return tl::unexpected(sockets.error());
  auto admin = kit::ListenSockets::unix_stream(options.state_dir + "/admin.sock", 0600, 1);
  if (!admin) return tl::unexpected(admin.error());
  UsageCounterStore hits = UsageCounterStore::open(options.state_dir);
  if (!hits.notice().empty()) parts.log("console: " + hits.notice());
  TriageStore triage_store = TriageStore::open(options.state_dir);
  if (!triage_store.notice().empty()) parts.log("console: " + triage_store.notice());
  KnownClients known = KnownClients::open(options.state_dir, now_ms);
  if (!known.notice().empty()) parts.log("console: " + known.notice());
  // Without it nobody is let in but by this node's files: judging depends on no key.
  auto keys = parts.accounts == nullptr ? SealingKeys() : read_fleet_keys(options.fleet_key_file);
  Stores stores{std::move(*credentials), std::move(*settings),    std::move(*audit_log), std::move(hits),
                std::move(setup),        std::move(triage_store), std::move(known),      std::move(keys)};
  return std::make_unique<Server>(std::move(options), std::move(parts), std::move(stores),
                                  std::move(*certificate), std::move(place), std::move(*sockets),
                                  std::move(*admin));
}

}  // namespace wafd::console
