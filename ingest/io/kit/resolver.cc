#include "ingest/io/kit/resolver.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_map>
#include <utility>

#include <ares.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include "detect/core/bytes.h"
#include "ingest/io/kit/socket_stream.h"

namespace wafd::kit {
namespace {

// A socket of c-ares watched by the loop.
struct Watch final : LoopHandle {
  Watch(Loop& loop, ares_socket_t fd, ares_channel c) : channel(c) {
    uv_poll_init_socket(loop.uv(), &poll, fd);
    poll.data = static_cast<LoopHandle*>(this);
  }
  static Watch* of(const void* data) noexcept {
    return static_cast<Watch*>(static_cast<LoopHandle*>(const_cast<void*>(data)));
  }
  void loop_closing() noexcept override {
    if (uv_is_closing(reinterpret_cast<uv_handle_t*>(&poll)) != 0) return;
    uv_poll_stop(&poll);
    uv_close(reinterpret_cast<uv_handle_t*>(&poll), [](uv_handle_t* h) noexcept { delete of(h->data); });
  }
  uv_poll_t poll{};
  ares_channel channel;
  std::function<void()> after;  // once c-ares has looked
};

ResolveError error_of(int status, const std::string& name) {
  const auto make = [&](ResolveFailure failure, std::string_view why) {
    return ResolveError{failure, fmt::format("resolve {}: {}", name, why)};
  };
  switch (status) {
    case ARES_ENOTFOUND:
    case ARES_ENONAME:
      return make(ResolveFailure::kNotFound, "no such name");
    case ARES_ENODATA:
      return make(ResolveFailure::kNotFound, "the name has no address");
    case ARES_ETIMEOUT:
      return make(ResolveFailure::kTimeout, "no name server answered in time");
    case ARES_EBADNAME:
    case ARES_EBADQUERY:
      return make(ResolveFailure::kBadName, "expected a host name or address");
    case ARES_ECONNREFUSED:
      // c-ares says the same of servers that answer SERVFAIL once it has tried them all.
      return make(ResolveFailure::kServerFailure, "the name servers failed or could not be reached");
    case ARES_ESERVFAIL:
      return make(ResolveFailure::kServerFailure, "the name server failed");
    case ARES_EREFUSED:
      return make(ResolveFailure::kServerFailure, "the name server refused to answer");
    default:
      return make(ResolveFailure::kServerFailure, ares_strerror(status));
  }
}

}  // namespace

struct ResolveQuery::State {
  State(Loop& l, std::string n, std::function<void(ResolveResult)> f)
      : loop(l), name(std::move(n)), done(std::move(f)), timer(l, [this] { on_timer(); }) {}

  ~State() {
    done = nullptr;
    if (channel != nullptr) ares_destroy(std::exchange(channel, nullptr));
    for (auto& [fd, watch] : watches) watch->loop_closing();
  }

  // The result is delivered from the timer alone: c-ares may call back from within the constructor, and its
  // channel must not be destroyed from within its own callbacks.
  void settle(ResolveResult r) {
    if (result) return;
    result = std::move(r);
    timer.start(0);
  }

  void on_timer() {
    if (result) {
      const auto call = std::exchange(done, nullptr);
      auto given = std::move(*result);
      if (call) call(std::move(given));
      return;  // `this` may be gone
    }
    ares_process_fd(channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
    arm();
  }

  void arm() {
    if (result || channel == nullptr) return;
    timeval longest{60, 0}, wait{};
    const auto* next = ares_timeout(channel, &longest, &wait);
    timer.start(std::max<std::int64_t>(1, next->tv_sec * 1000 + (next->tv_usec + 999) / 1000));
  }

  void on_socket(ares_socket_t fd, bool readable, bool writable) noexcept {
    const auto found = watches.find(fd);
    if (!readable && !writable) {
      if (found != watches.end()) {
        found->second->loop_closing();
        watches.erase(found);
      }
      return;
    }
    auto* watch = found != watches.end() ? found->second : watches[fd] = new Watch(loop, fd, channel);
    watch->after = [this] { arm(); };
    uv_poll_start(&watch->poll, (readable ? UV_READABLE : 0) | (writable ? UV_WRITABLE : 0),
                  [](uv_poll_t* poll, int status, int events) noexcept {
                    auto* w = Watch::of(poll->data);
                    const auto after = w->after;
                    uv_os_fd_t socket = -1;
                    uv_fileno(reinterpret_cast<const uv_handle_t*>(poll), &socket);
                    const bool in = status < 0 || (events & UV_READABLE) != 0;
                    const bool out = status < 0 || (events & UV_WRITABLE) != 0;
                    ares_process_fd(w->channel, in ? socket : ARES_SOCKET_BAD,
                                    out ? socket : ARES_SOCKET_BAD);
                    after();  // the owner is still there: results are delivered from its timer
                  });
  }

  void on_answer(int status, ares_addrinfo* answer) {
    const std::unique_ptr<ares_addrinfo, void (*)(ares_addrinfo*)> owned(answer, ares_freeaddrinfo);
    if (status == ARES_EDESTRUCTION || status == ARES_ECANCELLED) return;
    if (status != ARES_SUCCESS) {
      settle(tl::unexpected(error_of(status, name)));
      return;
    }
    std::vector<IpAddress> addresses;
    for (const auto* node = answer->nodes; node != nullptr; node = node->ai_next) {
      sockaddr_storage address{};
      std::memcpy(&address, node->ai_addr, std::min<std::size_t>(sizeof address, node->ai_addrlen));
      const auto endpoint = endpoint_of(address);
      if (endpoint && std::find(addresses.begin(), addresses.end(), endpoint->address) == addresses.end())
        addresses.push_back(endpoint->address);
    }
    if (addresses.empty()) {
      settle(tl::unexpected(error_of(ARES_ENODATA, name)));
    } else {
      settle(std::move(addresses));
    }
  }

  void begin(const ResolveOptions& wanted) {
    if (const auto literal = IpAddress::parse(name)) {
      settle(std::vector<IpAddress>{*literal});
      return;
    }
    if (name.empty() || name.size() > 253 || name.find('\0') != std::string::npos) {
      settle(tl::unexpected(error_of(ARES_EBADNAME, name)));
      return;
    }
    // RFC 6761 section 6.3, also with the dot of the root, which no hosts file has and name servers refuse.
    std::string lower = name;
    for (char& c : lower) c = to_lower(c);
    const std::string asked = lower == "localhost." ? "localhost" : name;
    ares_options options{};
    options.timeout = wanted.timeout_ms;
    options.tries = wanted.tries;
    options.sock_state_cb_data = this;
    options.sock_state_cb = [](void* data, ares_socket_t fd, int readable, int writable) noexcept {
      static_cast<State*>(data)->on_socket(fd, readable != 0, writable != 0);
    };
    int status =
        ares_init_options(&channel, &options, ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB);
    if (status == ARES_SUCCESS && !wanted.servers.empty())
      status = ares_set_servers_ports_csv(channel, wanted.servers.c_str());
    if (status != ARES_SUCCESS) {
      settle(tl::unexpected(error_of(status, name)));
      return;
    }
    ares_addrinfo_hints hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    ares_getaddrinfo(
        channel, asked.c_str(), nullptr, &hints,
        [](void* data, int code, int, ares_addrinfo* answer) noexcept {
          static_cast<State*>(data)->on_answer(code, answer);
        },
        this);
    arm();
  }

  Loop& loop;
  std::string name;
  std::function<void(ResolveResult)> done;
  Timer timer;
  ares_channel channel = nullptr;
  std::unordered_map<ares_socket_t, Watch*> watches;
  std::optional<ResolveResult> result;
};

ResolveQuery::ResolveQuery(Loop& loop, const std::string& name, const ResolveOptions& options,
                           std::function<void(ResolveResult)> done)
    : state_(std::make_unique<State>(loop, name, std::move(done))) {
  state_->begin(options);
}

ResolveQuery::~ResolveQuery() = default;

}  // namespace wafd::kit
