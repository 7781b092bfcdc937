// All of ingest at run time: listeners, worker threads, snapshots, counters. Constructed by main.cc.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "detect/core/ip_address.h"
#include "ingest/check_dialect.h"
#include "ingest/envoy/envoy_session.h"
#include "ingest/http_counters.h"
#include "ingest/judge.h"
#include "ingest/limits.h"
#include "ingest/spop/spop_session.h"
#include "ingest/t1k/t1k_session.h"

namespace wafd::ingest {

// Contents of a listener's `certificate`, `key` and `client_ca`; empty: no TLS, no certificate of clients.
struct ListenerTls {
  std::string certificate_pem, key_pem, client_ca_pem;
};

// Names of configuration keys in comments. A missing `listen` switches that listener off.
struct IngestOptions {
  std::size_t workers = 0;  // workers; 0: one for each hardware thread

  std::optional<Endpoint> t1k_listen = Endpoint::parse("127.0.0.1:8700").value();  // ingest.t1k.listen
  std::string t1k_unix_socket;           // ingest.t1k.unix_socket; empty: none
  unsigned t1k_unix_socket_mode = 0660;  // ingest.t1k.unix_socket_mode
  std::vector<Cidr> t1k_allow;           // ingest.t1k.allow; required when not on loopback
  bool t1k_enforcing = true;             // ingest.t1k.enforcing
  ListenerTls t1k_tls;                   // of ingest.t1k.listen; swapped later

  std::optional<Endpoint> http_listen = Endpoint::parse("127.0.0.1:8701").value();  // ingest.http.listen
  std::vector<Cidr> http_allow;            // ingest.http.allow; required when not on loopback
  bool http_enforcing = true;              // ingest.http.enforcing
  std::vector<Cidr> http_trusted_proxies;  // ingest.http.trusted_proxies; empty: loopback; at the start
  CheckDialect http_check_dialect = CheckDialect::kForwarded;  // ingest.http.check_dialect
  std::string http_mirror_scheme = "http";  // ingest.http.mirror_scheme: of mirrored requests that do not say
  std::vector<std::string> http_crowdsec_api_keys;  // ingest.http.crowdsec_api_keys; required by that dialect

  std::optional<Endpoint> spop_listen;  // ingest.spop.listen
  std::vector<Cidr> spop_allow;         // ingest.spop.allow; required when not on loopback
  bool spop_enforcing = true;           // ingest.spop.enforcing

  std::optional<Endpoint> envoy_listen;  // ingest.envoy.listen
  std::vector<Cidr> envoy_allow;         // ingest.envoy.allow; required when not on loopback
  bool envoy_enforcing = true;           // ingest.envoy.enforcing
  ListenerTls envoy_tls;                 // swapped later

  std::int64_t budget_ms = 800;                 // ingest.budget_ms: age at which judging ends
  OnOverload on_overload = OnOverload::kPass;   // ingest.on_overload: pass | block
  std::size_t max_head_bytes = 128 * 1024;      // ingest.max_head_bytes
  std::size_t max_body_bytes = 1024 * 1024;     // ingest.max_body_bytes: judged; the rest is read and dropped
  std::size_t max_record_line_bytes = 2 << 20;  // of streamed records
  std::size_t max_queued_bytes = 64 << 20;      // that wait, for each worker: mirrored ones, and others
  // ingest.max_connections, over all workers: the listeners that are on share them equally, so that none
  // takes another's. Beyond its share a listener closes the connection that has waited longest without a
  // whole request.
  std::size_t max_connections = 16384;
  std::int64_t head_timeout_ms =
      10'000;  // ingest.head_timeout_s: from a message's first byte to its head's last
  std::int64_t body_timeout_ms =
      60'000;  // ingest.body_timeout_s: from there to its end; of records, to the next line
  std::int64_t t1k_idle_timeout_ms = 300'000;   // ingest.t1k.idle_timeout_ms; clients pool for 60 s
  std::int64_t http_idle_timeout_ms = 75'000;   // ingest.http.idle_timeout_ms
  std::int64_t spop_idle_timeout_ms = 300'000;  // beyond HAProxy's own `timeout idle`
  std::int64_t envoy_idle_timeout_ms = 300'000;
};

enum class IngestListener : std::uint8_t { kT1k, kT1kUnix, kHttp, kSpop, kEnvoy };
inline constexpr std::size_t kIngestListeners = 5;
const char* to_string(IngestListener) noexcept;  // "t1k" | "t1k_unix" | "http" | "spop" | "envoy"

struct ListenerCounters {
  std::uint64_t accepted = 0;
  std::uint64_t not_allowed = 0;     // peers outside the allow-list
  std::uint64_t too_many = 0;        // beyond the listener's share, and nobody could make room
  std::uint64_t made_room = 0;       // closed for a new one, without a whole request
  std::uint64_t too_slow = 0;        // closed in a message that took too long to arrive
  std::uint64_t open = 0;            // now
  std::int64_t last_request_ms = 0;  // Unix time; 0: none yet
};

// Sums over all workers.
struct IngestCounters {
  JudgeCounters judge;
  t1k::Counters t1k;
  HttpCounters http;
  spop::Counters spop;
  envoy::Counters envoy;
  std::array<ListenerCounters, kIngestListeners> listeners;
  std::uint64_t queued_bytes = 0;  // of requests that wait for their turn
  std::uint64_t waiting = 0;       // of them, whose gateways wait for the answer
  std::uint64_t given_up = 0;  // that waited, and whose gateway went or whose time was over when wafd stopped
  std::uint64_t snapshots = 0;  // engine swaps done, of the worker that has done the fewest
};

// The error that open() would give for these files, without listening: a certificate that is none, a key of
// another one. No certificate is no error.
Result<void> check_tls(IngestListener listener, const ListenerTls& files);

// Thread of its own for each worker. Everything below may be called from any one thread at a time, but
// counters() and swap_*() from any thread.
class Ingest {
 public:
  struct Parts {
    const Clock& clock;
    Random& random;
    EventSink& sink;
    std::string node;
    std::function<std::string(std::int64_t unix_s)> time_text;
    std::function<detect::SourcePlace(std::string_view ip)> place_of;  // may be empty; any thread
    std::function<bool()> ready;                                       // for /readyz; any thread
    std::function<void(const std::string& line)> log;  // rate-limited, no request bytes; any thread
    std::function<void(const EventRecord&, std::string_view)> told;  // as of RequestJudge; any thread
  };

  // Binds every listener: an error names the address, or the option and what was expected. Nothing is
  // accepted before start(). The references in `parts` must outlive the object.
  static Result<std::unique_ptr<Ingest>> open(const IngestOptions& options, Parts parts,
                                              std::shared_ptr<const detect::Engine> engine,
                                              std::shared_ptr<const detect::Policy> policy);
  virtual ~Ingest() = default;  // stops at once if that was not done

  virtual void start() = 0;
  // Closes the listeners, gives messages already begun until `timeout_ms` to be answered, judges what is
  // queued, ends the threads. Blocks.
  virtual void stop(std::int64_t timeout_ms) = 0;

  // Posted to every worker; the old ones are freed on a thread of their own. Scratches are made by the
  // caller's thread, so call swap_engine from the one that compiled.
  virtual void swap_engine(std::shared_ptr<const detect::Engine> engine) = 0;
  virtual void swap_policy(std::shared_ptr<const detect::Policy> policy) = 0;
  // Of HTTP ingest, from the next request of each worker on.
  virtual void swap_trusted_proxies(std::vector<Cidr> proxies) = 0;

  // Of kT1k or kEnvoy, from the next connection on; open ones keep theirs. An error says what is wrong with
  // the files, and nothing changes.
  virtual Result<void> swap_tls(IngestListener listener, const ListenerTls& tls) = 0;

  // `done` runs on a worker's thread and must only post elsewhere. After stop() it runs at once.
  virtual void counters(std::function<void(const IngestCounters&)> done) = 0;

  // Each worker's counts since the last call. As counters().
  virtual void take_hits(std::function<void(std::vector<detect::UsageCounters>)> done) = 0;

  // Where it listens, with real ports ("127.0.0.1:8700"); empty if it does not. Not during stop().
  virtual std::string address(IngestListener listener) const = 0;
};

}  // namespace wafd::ingest
