// PostgreSQL as Debian packages it, with a cluster of its own in a folder of the test, on a free port of
// loopback. It runs as an unprivileged user, because it refuses to run as root. Stopped by process id.
#pragma once

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <fcntl.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/forward/io/delivery_help.h"
#include "tests/support/free_port.h"
#include "tests/support/temp_folder.h"

namespace wafd::test {

class RealPostgres {
 public:
  static constexpr const char* kOwner = "owner";  // a superuser, with the password "secret"

  // With a certificate and its key (PEM) it takes TLS too. With `small_mib` there is a tablespace "small" on
  // a disk of that size, which the server alone sees.
  explicit RealPostgres(const std::string& certificate = "", const std::string& key = "", int small_mib = 0)
      : small_mib_(small_mib) {
    std::filesystem::permissions(folder_.path, std::filesystem::perms(0755));
    const std::string made = fresh_cluster();
    std::filesystem::copy(made, data_, std::filesystem::copy_options::recursive);
    own(data_);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(data_)) own(entry.path());
    std::ofstream conf(data_ + "/postgresql.conf", std::ios::app);
    conf << "fsync = off\nshared_buffers = 32MB\nmax_connections = 30\nmax_wal_size = 128MB\nautovacuum = "
            "off\n";
    if (!certificate.empty()) {
      write(data_ + "/server.crt", certificate);
      write(data_ + "/server.key", key);
      own(data_ + "/server.crt");
      own(data_ + "/server.key");
      conf << "ssl = on\n";
    }
    conf.close();
    if (small_mib_ > 0) {
      std::filesystem::create_directory(small_);
      own(small_);
    }
    start();
    if (small_mib_ > 0) sql("CREATE TABLESPACE small LOCATION '" + small_ + "'");
  }
  ~RealPostgres() { stop(SIGQUIT); }
  RealPostgres(const RealPostgres&) = delete;
  RealPostgres& operator=(const RealPostgres&) = delete;

  const std::uint16_t port = free_port();

  // Waits until it lets people in. One that was killed leaves processes behind for a moment, which keep the
  // next out.
  void start() {
    if (!wait_until([this] { return try_start(); }, 60'000))
      throw std::runtime_error("postgres did not start: " + log("server.log"));
  }
  // SIGQUIT: at once, in order; SIGKILL: as if the machine had lost it; SIGINT: connections are ended.
  void stop(int number) {
    if (pid_ <= 0) return;
    ::kill(pid_, number);
    if (number != SIGCONT) ::kill(pid_, SIGCONT);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  // From the next start on it reads, and takes no changes; or does again.
  void standby(bool yes) const {
    const std::string signal = data_ + "/standby.signal";
    std::filesystem::remove(signal);
    if (!yes) return;
    write(signal, "");
    own(signal);
  }
  // The whole of it stands still, or goes on.
  void freeze(bool still) const {
    for (const pid_t child : children()) ::kill(child, still ? SIGSTOP : SIGCONT);
    ::kill(pid_, still ? SIGSTOP : SIGCONT);
    if (still) ::waitpid(pid_, nullptr, WUNTRACED);
  }

  // The first column of every row; throws what the server says otherwise.
  std::vector<std::string> sql(const std::string& text, const std::string& database = "postgres",
                               const std::string& user = kOwner) const {
    PGconn* connection = connect(database, user);
    PQsetNoticeReceiver(
        connection, [](void*, const PGresult*) {}, nullptr);
    PGresult* answer = PQexec(connection, text.c_str());
    std::vector<std::string> out;
    for (int row = 0; row < PQntuples(answer); ++row) out.emplace_back(PQgetvalue(answer, row, 0));
    const ExecStatusType status = PQresultStatus(answer);
    const std::string why = PQresultErrorMessage(answer);
    PQclear(answer);
    PQfinish(connection);
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) throw std::runtime_error(text + ": " + why);
    return out;
  }
  std::string one(const std::string& text, const std::string& database = "postgres") const {
    const auto rows = sql(text, database);
    return rows.size() == 1 ? rows[0] : "rows: " + std::to_string(rows.size());
  }
  std::string log(const std::string& name) const {
    std::ifstream file(folder_.path + "/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  static std::string bin() {
    for (int version = 20; version >= 13; --version) {
      const std::string path = "/usr/lib/postgresql/" + std::to_string(version) + "/bin";
      if (std::filesystem::exists(path + "/initdb")) return path;
    }
    throw std::runtime_error("no PostgreSQL: packaging/install test");
  }
  // A cluster that nobody has started yet: made once for all tests of this build, because it takes a second.
  std::string fresh_cluster() const {
    const std::string made =
        WAFD_BUILD_DIR "/postgres-cluster" + std::filesystem::path(bin()).parent_path().filename().string();
    if (std::filesystem::exists(made)) return made;
    const std::string here = folder_.path + "/fresh", password = folder_.path + "/password";
    std::filesystem::create_directory(here);
    write(password, "secret\n");
    own(here);
    own(password);
    const int status =
        wait_for(spawn({bin() + "/initdb", "-D", here, "-U", kOwner, "--no-sync", "-A", "scram-sha-256",
                        "--pwfile=" + password, "-E", "UTF8", "--no-instructions", "--no-locale"},
                       "initdb.log"));
    if (status != 0) throw std::runtime_error("initdb: " + log("initdb.log"));
    // Whole or not at all, whoever else does the same.
    const std::string mine = made + "." + std::to_string(getpid());
    std::filesystem::copy(here, mine, std::filesystem::copy_options::recursive);
    std::error_code taken;
    std::filesystem::rename(mine, made, taken);
    if (taken) std::filesystem::remove_all(mine);
    return made;
  }
  static void write(const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
    std::filesystem::permissions(path, std::filesystem::perms(0600));
  }
  static void own(const std::string& path) {
    if (geteuid() != 0) return;
    const passwd* user = getpwnam("nobody");
    if (!user || ::chown(path.c_str(), user->pw_uid, user->pw_gid) != 0)
      throw std::runtime_error(path + ": cannot be given to nobody");
  }
  PGconn* connect(const std::string& database, const std::string& user) const {
    const std::string at = std::to_string(port);
    const char* names[] = {"host",     "port",    "dbname",          "user",
                           "password", "sslmode", "connect_timeout", nullptr};
    const char* values[] = {"127.0.0.1", at.c_str(), database.c_str(), user.c_str(), "secret",
                            "prefer",    "10",       nullptr};
    PGconn* connection = PQconnectdbParams(names, values, 0);
    if (PQstatus(connection) == CONNECTION_OK) return connection;
    const std::string why = PQerrorMessage(connection);
    PQfinish(connection);
    throw std::runtime_error(why);
  }
  bool try_start() {
    if (pid_ > 0 && ::waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = -1;
    if (pid_ <= 0)
      pid_ =
          spawn({bin() + "/postgres", "-D", data_, "-p", std::to_string(port), "-h", "127.0.0.1", "-k", ""},
                "server.log");
    try {
      PQfinish(connect("postgres", kOwner));
      return true;
    } catch (const std::runtime_error&) {
      return false;
    }
  }
  pid_t spawn(std::vector<std::string> words, const std::string& log_name) const {
    const std::string to = folder_.path + "/" + log_name;
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const passwd* user = geteuid() == 0 ? getpwnam("nobody") : nullptr;
    const uid_t uid = user ? user->pw_uid : geteuid();
    const gid_t gid = user ? user->pw_gid : getegid();
    const pid_t pid = fork();
    if (pid != 0) return pid;
    const int out = open(to.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    dup2(out, 1);
    dup2(out, 2);
    setsid();
    if (log_name == "server.log" && small_mib_ > 0 && !mount_small(uid, gid)) _exit(124);
    if (user && (setgid(gid) != 0 || setuid(uid) != 0)) _exit(126);
    if (chdir(folder_.path.c_str()) != 0) _exit(125);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  // In the server's own mount namespace, and without root in a user namespace of its own.
  bool mount_small(uid_t uid, gid_t gid) const {
    const bool root = geteuid() == 0;
    if (unshare(root ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER) != 0) return false;
    const std::string ids = " " + std::to_string(uid) + " 1", groups = " " + std::to_string(gid) + " 1";
    if (!root) {
      std::ofstream("/proc/self/setgroups") << "deny";
      std::ofstream("/proc/self/uid_map") << std::to_string(uid) + ids;
      std::ofstream("/proc/self/gid_map") << std::to_string(gid) + groups;
    }
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
    const std::string options = "mode=0700,size=" + std::to_string(small_mib_) +
                                "m,uid=" + std::to_string(uid) + ",gid=" + std::to_string(gid);
    return ::mount("tmpfs", small_.c_str(), "tmpfs", 0, options.c_str()) == 0;
  }
  static int wait_for(pid_t pid) {
    int status = -1;
    ::waitpid(pid, &status, 0);
    return status;
  }
  std::vector<pid_t> children() const {
    std::vector<pid_t> out;
    const std::string at = std::to_string(pid_);
    std::ifstream file("/proc/" + at + "/task/" + at + "/children");
    for (pid_t child = 0; file >> child;) out.push_back(child);
    return out;
  }

  TempFolder folder_;
  const std::string data_ = folder_.path + "/data", small_ = folder_.path + "/small";
  const int small_mib_;
  pid_t pid_ = -1;
};

}  // namespace wafd::test
