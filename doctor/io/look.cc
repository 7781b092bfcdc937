#include "doctor/io/look.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include <fmt/format.h>
#include <netdb.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <pwd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/timex.h>

#include "detect/core/free_with.h"
#include "files/given_text.h"

namespace wafd::doctor {
namespace {

namespace fs = std::filesystem;

std::string name_of(uid_t user) {
  passwd entry{};
  passwd* found = nullptr;
  char buffer[4096];
  if (::getpwuid_r(user, &entry, buffer, sizeof buffer, &found) == 0 && found != nullptr)
    return found->pw_name;
  return std::to_string(user);
}

bool holds_secrets(const fs::path& path) {
  const std::string name = path.filename();
  return name.starts_with("credentials.json") || name.starts_with("settings.json") || name == "setup-token" ||
         name.ends_with(".key") || name == "console-uploaded.pem" || name == "admin.sock";
}

}  // namespace

void look_at_files(Facts& facts) {
  struct stat folder {};
  if (::stat(facts.state_dir.c_str(), &folder) != 0 || !S_ISDIR(folder.st_mode)) {
    facts.state_error = fmt::format(
        "{}: {}", facts.state_dir, errno == 0 ? std::string("no folder") : std::string(std::strerror(errno)));
    return;
  }
  facts.state_owner = name_of(folder.st_uid);
  std::error_code error;
  fs::recursive_directory_iterator at(facts.state_dir, error), end;
  for (; !error && at != end && facts.files.size() < kMaxFiles; at.increment(error)) {
    struct stat file {};
    if (::lstat(at->path().c_str(), &file) != 0 || S_ISDIR(file.st_mode)) continue;
    facts.files.push_back(
        {at->path(), holds_secrets(at->path()), name_of(file.st_uid), file.st_mode & 07777u});
  }
  if (error) facts.state_error = fmt::format("{}: {}", facts.state_dir, error.message());
}

DiskFacts look_at_disk(const std::string& folder, const std::string& ring_file, std::uint64_t ring_bytes) {
  DiskFacts out;
  std::error_code error;
  fs::path at = folder;
  while (!fs::exists(at, error) && at.has_parent_path() && at != at.parent_path()) at = at.parent_path();
  struct statvfs found {};
  if (::statvfs(at.c_str(), &found) != 0) {
    out.error = fmt::format("{}: {}", at.string(), std::strerror(errno));
    return out;
  }
  out.free_bytes = static_cast<std::uint64_t>(found.f_bavail) * found.f_frsize;
  out.free_inodes = found.f_favail;
  out.inodes = found.f_files;
  struct stat ring {};
  const std::uint64_t has =
      ::stat(ring_file.c_str(), &ring) == 0 ? static_cast<std::uint64_t>(ring.st_blocks) * 512 : 0;
  out.needed_bytes = ring_bytes > has ? ring_bytes - has : 0;
  return out;
}

std::optional<bool> clock_synchronised() {
  timex state{};
  const int said = ::adjtimex(&state);
  if (said < 0) return std::nullopt;
  return said != TIME_ERROR && (state.status & STA_UNSYNC) == 0;
}

void look_at_names(std::vector<NameFacts>& names) {
  ::setenv("RES_OPTIONS", "timeout:2 attempts:1", 0);
  const auto begin = std::chrono::steady_clock::now();
  for (NameFacts& name : names) {
    if (std::chrono::steady_clock::now() - begin > std::chrono::seconds(kMaxNamesS)) {
      name.error = "not looked at: the names before it took too long";
      continue;
    }
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const int failed = ::getaddrinfo(name.host.c_str(), nullptr, &hints, &found);
    if (failed != 0) name.error = ::gai_strerror(failed);
    if (found != nullptr) ::freeaddrinfo(found);
  }
}

Result<std::int64_t> certificate_end_s(const std::string& pem_or_path, Certificates of) {
  const bool given = pem_or_path.starts_with("-----BEGIN ");
  const auto pem = given ? pem_or_path : read_pem_file("certificate", pem_or_path);
  if (!pem) return fail(ErrorCode::kIo, "it cannot be read");
  const std::unique_ptr<BIO, FreeWith<BIO_free_all>> in(
      BIO_new_mem_buf(pem->data(), static_cast<int>(pem->size())));
  std::optional<std::int64_t> end_s;
  while (const auto one = std::unique_ptr<X509, FreeWith<X509_free>>(
             PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr))) {
    std::tm parts{};
    if (ASN1_TIME_to_tm(X509_get0_notAfter(one.get()), &parts) != 1) continue;
    const std::int64_t ends = ::timegm(&parts);
    if (!end_s || (of == Certificates::kChain ? ends < *end_s : ends > *end_s)) end_s = ends;
  }
  if (!end_s) return fail(ErrorCode::kInvalid, "it holds no certificate in PEM");
  return *end_s;
}

LimitFacts look_at_limits(std::uint64_t files_needed) {
  LimitFacts out;
  out.files_needed = files_needed;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) out.files = limit.rlim_max;
  std::ifstream backlog("/proc/sys/net/core/somaxconn");
  if (!(backlog >> out.listen_backlog)) out.listen_backlog = 0;
  return out;
}

}  // namespace wafd::doctor
