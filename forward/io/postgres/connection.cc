#include "forward/io/postgres/connection.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>
#include <system_error>

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "detect/core/plain_text.h"

namespace wafd::forward {
namespace {

constexpr std::size_t kMaxText = 300;
constexpr std::size_t kCopyPiece = 64 * 1024;
constexpr std::int64_t kAskOverMs = 100;
constexpr const char* kNoFile = "/nonexistent";
// Where Debian's ca-certificates has the system's authorities; libpq 15 knows none by itself.
constexpr const char* kSystemCa = "/etc/ssl/certs/ca-certificates.crt";

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// PEM text as a file that libpq can open and that is on no disk; it goes with the descriptor.
class PemFile {
 public:
  ~PemFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  bool write(std::string_view text) {
    descriptor_ = ::memfd_create("wafd-pem", MFD_CLOEXEC);
    return descriptor_ >= 0 && ::fchmod(descriptor_, 0600) == 0 &&
           ::write(descriptor_, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  }
  std::string path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

 private:
  int descriptor_ = -1;
};

class Parameters {
 public:
  void add(const char* name, std::string value) {
    names_.push_back(name);
    values_.push_back(std::move(value));
  }
  PGconn* start() const {
    std::vector<const char*> names(names_), values;
    for (const std::string& value : values_) values.push_back(value.c_str());
    names.push_back(nullptr);
    values.push_back(nullptr);
    return PQconnectStartParams(names.data(), values.data(), 0);
  }

 private:
  std::vector<const char*> names_;
  std::vector<std::string> values_;
};

struct Files {
  PemFile ca, certificate, key;
};

Result<void> add_pem(Parameters& parameters, const char* name, std::string_view text, PemFile& file) {
  if (!file.write(text))
    return fail(ErrorCode::kResource,
                fmt::format("{}: no memory file: {}", name, std::generic_category().message(errno)));
  parameters.add(name, file.path());
  return {};
}

Result<void> add_tls(Parameters& parameters, const PgLogin& login, Files& files) {
  parameters.add("gssencmode", "disable");
  if (!login.encrypted) {
    parameters.add("sslmode", "disable");
    return {};
  }
  parameters.add("sslmode", login.verify ? "verify-full" : "require");
  parameters.add("ssl_min_protocol_version", login.min_version == "1.3" ? "TLSv1.3" : "TLSv1.2");
  parameters.add("sslcrl", kNoFile);
  // With a file of authorities libpq would verify by them whatever the mode.
  if (!login.verify)
    parameters.add("sslrootcert", kNoFile);
  else if (login.ca_pem.empty())
    parameters.add("sslrootcert", kSystemCa);
  else if (auto good = add_pem(parameters, "sslrootcert", login.ca_pem, files.ca); !good)
    return good;
  if (login.certificate_pem.empty()) {
    parameters.add("sslcert", kNoFile);
    parameters.add("sslkey", kNoFile);
    return {};
  }
  auto good = add_pem(parameters, "sslcert", login.certificate_pem, files.certificate);
  if (good) good = add_pem(parameters, "sslkey", login.key_pem, files.key);
  return good;
}

std::string_view login_hint(const std::string& what, bool needs_password, bool used_password) {
  if (needs_password) return "the server asks for a password";
  if (what.find("authentication failed") != std::string::npos) return "wrong password, or no such user";
  if (what.find("pg_hba.conf") != std::string::npos)
    return "the server's pg_hba.conf lets this user not in from here, or not without encryption";
  if (what.find("database") != std::string::npos && what.find("does not exist") != std::string::npos)
    return "there is no such database on the server";
  if (what.find("too many") != std::string::npos) return "the server takes no more connections";
  return used_password ? "perhaps the password" : "";
}

std::string_view hint_of(std::string_view state, std::string_view what) {
  if (state == "25006") return "a read-only replica: the primary is elsewhere";
  if (state == "42501" && what.find("temporary") != std::string_view::npos)
    return "the user needs TEMPORARY on the database";
  if (state == "42501") return "the user has not the rights that the documentation lists";
  if (state == kPgNoDay) return "no table for that day: the user needs EXECUTE on wafd_make_days";
  if (state == "57014" && what.find("statement timeout") != std::string_view::npos)
    return "it took too long: a search needs a shorter time, or fields instead of free text";
  if (state == "53100") return "the database server's disk is full";
  if (state == "3F000") return "the user has no schema to make tables in";
  return "";
}

PgError error_of(const PGresult* answer, PgStage stage) {
  const char* state = PQresultErrorField(answer, PG_DIAG_SQLSTATE);
  const char* text = PQresultErrorField(answer, PG_DIAG_MESSAGE_PRIMARY);
  PgError e{stage, printable_line(text ? text : PQresultErrorMessage(answer), kMaxText), "",
            state ? state : "", false};
  // No day for a row is a check violation too, but of no constraint that has a name.
  const bool no_day = e.state == "23514" && PQresultErrorField(answer, PG_DIAG_CONSTRAINT_NAME) == nullptr;
  if (no_day) e.state = kPgNoDay;
  e.hint = hint_of(e.state, e.what);
  // Data exceptions, constraints, limits of the program.
  e.data = e.state.starts_with("22") || e.state.starts_with("23") || e.state.starts_with("54");
  return e;
}

}  // namespace

StopSignal::StopSignal() : descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
StopSignal::~StopSignal() { ::close(descriptor_); }
void StopSignal::set() noexcept { (void)::eventfd_write(descriptor_, 1); }
bool StopSignal::is_set() const noexcept {
  pollfd look{descriptor_, POLLIN, 0};
  return ::poll(&look, 1, 0) > 0;
}

PgConnection::~PgConnection() {
  if (handle_) PQfinish(handle_);
}

PgError PgConnection::lost() const {
  const std::string text = printable_line(PQerrorMessage(handle_), kMaxText);
  return {PgStage::kWrite, text.empty() ? fmt::format("the connection to {} is lost", place_) : text, "", "",
          false};
}

PgResult<void> PgConnection::wait(short events, std::int64_t deadline_ms) {
  for (;;) {
    const std::int64_t left = deadline_ms - now_ms();
    if (left <= 0)
      return tl::unexpected(
          PgError{PgStage::kWrite, fmt::format("{} does not answer", place_), "", "", false});
    pollfd both[2] = {{PQsocket(handle_), events, 0}, {stop_.descriptor(), POLLIN, 0}};
    const std::int64_t slice_ms = over_ ? kAskOverMs : 60'000;
    if (::poll(both, 2, static_cast<int>(std::min(left, slice_ms))) < 0 && errno != EINTR)
      return tl::unexpected(PgError{PgStage::kWrite, std::generic_category().message(errno), "", "", false});
    if (both[1].revents != 0) return tl::unexpected(PgError{PgStage::kWrite, "given up", "", "", false});
    if (both[0].revents != 0) return {};
    if (over_ && over_())
      return tl::unexpected(
          PgError{PgStage::kWrite, "nobody waits any more", "", std::string(kPgGivenUp), false});
  }
}

PgResult<std::unique_ptr<PgConnection>> PgConnection::open(const PgLogin& login, const PgPlace& place,
                                                           const StopSignal& stop, std::int64_t timeout_ms) {
  Parameters parameters;
  Files files;
  const auto refuse = [](const std::string& what) {
    return tl::unexpected(PgError{PgStage::kConnect, what, "", "", false});
  };
  parameters.add("host", place.host);
  parameters.add("hostaddr", place.address);
  parameters.add("port", fmt::format("{}", place.port));
  parameters.add("dbname", login.database);
  parameters.add("user", login.user);
  if (!login.password.empty()) parameters.add("password", login.password);
  parameters.add("passfile", kNoFile);
  parameters.add("client_encoding", "UTF8");
  parameters.add("application_name", "wafd");
  parameters.add("target_session_attrs", "any");
  parameters.add("keepalives_idle", "30");
  parameters.add("keepalives_interval", "10");
  parameters.add("keepalives_count", "3");
  parameters.add("tcp_user_timeout", fmt::format("{}", kAnswerMs));
  if (auto good = add_tls(parameters, login, files); !good) return refuse(good.error().what);

  std::unique_ptr<PgConnection> made(new PgConnection(stop));
  made->place_ = fmt::format("{}:{}", place.address, place.port);
  made->handle_ = parameters.start();
  if (!made->handle_) return refuse("no memory for a connection");
  auto logged_in = made->log_in(now_ms() + timeout_ms);
  if (!logged_in) return tl::unexpected(logged_in.error());
  // Notices and warnings are nothing to be printed.
  PQsetNoticeReceiver(
      made->handle_, [](void*, const PGresult*) {}, nullptr);
  PQsetnonblocking(made->handle_, 1);
  return made;
}

PgResult<void> PgConnection::log_in(std::int64_t deadline_ms) {
  PgStage stage = PgStage::kConnect;
  const auto failed = [&](PgError e) {
    e.stage = stage;
    if (stage == PgStage::kLogin && e.hint.empty())
      e.hint =
          login_hint(e.what, PQconnectionNeedsPassword(handle_) != 0, PQconnectionUsedPassword(handle_) != 0);
    return tl::unexpected(std::move(e));
  };
  if (PQstatus(handle_) == CONNECTION_BAD) return failed(lost());
  for (PostgresPollingStatusType next = PGRES_POLLING_WRITING; next != PGRES_POLLING_OK;) {
    if (auto ready = wait(next == PGRES_POLLING_READING ? POLLIN : POLLOUT, deadline_ms); !ready)
      return failed(ready.error());
    next = PQconnectPoll(handle_);
    if (next == PGRES_POLLING_FAILED) return failed(lost());
    const ConnStatusType status = PQstatus(handle_);
    if (status == CONNECTION_SSL_STARTUP)
      stage = PgStage::kTls;
    else if (status == CONNECTION_AWAITING_RESPONSE || status == CONNECTION_AUTH_OK)
      stage = PgStage::kLogin;
  }
  return {};
}

PgResult<void> PgConnection::flush(std::int64_t deadline_ms) {
  for (;;) {
    const int more = PQflush(handle_);
    if (more < 0) return tl::unexpected(lost());
    if (more == 0) return {};
    if (auto ready = wait(POLLIN | POLLOUT, deadline_ms); !ready) return ready;
    if (PQconsumeInput(handle_) == 0) return tl::unexpected(lost());
  }
}

PgResult<PgAnswer> PgConnection::next(std::int64_t deadline_ms) {
  if (auto sent = flush(deadline_ms); !sent) return tl::unexpected(sent.error());
  while (PQisBusy(handle_)) {
    if (auto ready = wait(POLLIN, deadline_ms); !ready) return tl::unexpected(ready.error());
    if (PQconsumeInput(handle_) == 0) return tl::unexpected(lost());
  }
  return PgAnswer(PQgetResult(handle_));
}

PgResult<PgAnswer> PgConnection::collect(bool until_copy) {
  const std::int64_t deadline_ms = now_ms() + answer_ms_;
  PgAnswer last;
  std::optional<PgError> error;
  for (;;) {
    auto answer = next(deadline_ms);
    if (!answer) return answer;
    if (!*answer) break;
    const ExecStatusType status = PQresultStatus(answer->get());
    if (status == PGRES_COPY_IN && until_copy) return answer;
    if (status == PGRES_COPY_IN)
      return tl::unexpected(PgError{PgStage::kWrite, "unexpected COPY", "", "", false});
    if (status == PGRES_FATAL_ERROR && !error) error = error_of(answer->get(), PgStage::kWrite);
    last = std::move(*answer);
  }
  if (PQstatus(handle_) == CONNECTION_BAD)
    return tl::unexpected(error && !error->state.empty() ? *error : lost());
  if (error) return tl::unexpected(std::move(*error));
  return last;
}

PgResult<PgAnswer> PgConnection::run(const std::string& sql) {
  if (PQsendQuery(handle_, sql.c_str()) == 0) return tl::unexpected(lost());
  return collect(false);
}

PgResult<PgAnswer> PgConnection::run(const std::string& sql, std::span<const std::string> parameters) {
  std::vector<const char*> values;
  values.reserve(parameters.size());
  for (const std::string& parameter : parameters) values.push_back(parameter.c_str());
  if (PQsendQueryParams(handle_, sql.c_str(), static_cast<int>(values.size()), nullptr, values.data(),
                        nullptr, nullptr, 0) == 0)
    return tl::unexpected(lost());
  return collect(false);
}

PgResult<void> PgConnection::put(std::string_view piece, std::int64_t deadline_ms) {
  for (;;) {
    const int taken = PQputCopyData(handle_, piece.data(), static_cast<int>(piece.size()));
    if (taken < 0) return tl::unexpected(lost());
    if (taken > 0) return {};
    if (auto sent = flush(deadline_ms); !sent) return sent;
  }
}

PgResult<void> PgConnection::copy(const std::string& sql, std::span<const std::string_view> texts) {
  if (PQsendQuery(handle_, sql.c_str()) == 0) return tl::unexpected(lost());
  auto begun = collect(true);
  if (!begun) return tl::unexpected(begun.error());
  const std::int64_t deadline_ms = now_ms() + answer_ms_;
  // Short ones are put together, else each would be sent alone.
  std::string piece;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const bool whole = piece.empty() && texts[i].size() >= kCopyPiece;
    if (!whole) piece += texts[i];
    if (!whole && piece.size() < kCopyPiece && i + 1 < texts.size()) continue;
    if (auto taken = put(whole ? texts[i] : piece, deadline_ms); !taken) return taken;
    piece.clear();
  }
  while (true) {
    const int ended = PQputCopyEnd(handle_, nullptr);
    if (ended < 0) return tl::unexpected(lost());
    if (ended == 1) break;
    if (auto sent = flush(deadline_ms); !sent) return sent;
  }
  auto done = collect(false);
  if (!done) return tl::unexpected(done.error());
  return {};
}

PgResult<void> PgConnection::look() {
  if (PQconsumeInput(handle_) == 0 || PQstatus(handle_) == CONNECTION_BAD) return tl::unexpected(lost());
  return {};
}

std::string PgConnection::quoted(std::string_view text) const {
  char* made = PQescapeLiteral(handle_, text.data(), text.size());
  std::string out = made ? made : "''";
  PQfreemem(made);
  return out;
}

std::string PgConnection::tls_version() const {
  const char* version = PQsslInUse(handle_) ? PQsslAttribute(handle_, "protocol") : nullptr;
  return version ? version : "";
}

std::string PgConnection::peer() const { return place_; }

}  // namespace wafd::forward
