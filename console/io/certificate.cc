#include "console/io/certificate.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include "detect/core/ip_address.h"
#include "files/small_file.h"
#include "ingest/io/kit/system.h"

namespace wafd::console {
namespace {

constexpr int kSelfSignedDays = 3650;
constexpr std::size_t kMaxNames = 64;

std::string uploaded_file(const CertificatePlace& place) { return place.state_dir + "/console-uploaded.pem"; }

// "AB:CD:…", as browsers show it.
std::string in_pairs(std::string_view hex) {
  std::string text;
  for (std::size_t i = 0; i < hex.size(); ++i) {
    if (i > 0 && i % 2 == 0) text += ':';
    text += static_cast<char>(hex[i] >= 'a' ? hex[i] - 'a' + 'A' : hex[i]);
  }
  return text;
}

bool ends_soon(const std::string& pem, std::int64_t now_s) {
  const auto info = kit::describe_certificate(pem);
  return info && info->not_after_s < now_s + kRenewBeforeS;
}

// Errors begin with the member that is wrong.
Result<Certificate> judge(const std::string& certificate_pem, const std::string& key_pem) {
  kit::TlsServerOptions options;
  options.certificate_pem = certificate_pem;
  options.key_pem = key_pem;
  options.alpn = {"http/1.1"};
  auto context = kit::TlsContext::server(options);
  if (!context) return tl::unexpected(context.error());
  auto info = kit::describe_certificate(certificate_pem);
  if (!info) return tl::unexpected(info.error());
  Certificate out;
  out.context = std::move(*context);
  out.facts = {"",
               "",
               std::move(info->subject),
               std::move(info->issuer),
               std::move(info->names),
               info->not_before_s,
               info->not_after_s,
               in_pairs(info->fingerprint_sha256)};
  return out;
}

std::string day_text(std::int64_t time_s) {
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(static_cast<std::time_t>(time_s)));
}

Result<Certificate> load_files(const std::string& certificate_file, const std::string& key_file) {
  auto pem = read_file(certificate_file, kMaxPemBytes);
  if (!pem) return tl::unexpected(pem.error());
  auto key = read_file(key_file, kMaxPemBytes);
  if (!key) return tl::unexpected(key.error());
  auto loaded = judge(*pem, *key);
  if (!loaded)
    return fail(loaded.error().code,
                fmt::format("{} and {}: {}", certificate_file, key_file, loaded.error().what));
  loaded->facts.file = certificate_file;
  return loaded;
}

// Out of the way of a new one. What cannot be renamed stays, and the new one is in memory alone.
bool rejected(const std::string& file, const std::string& aside) {
  return std::rename(file.c_str(), aside.c_str()) == 0;
}

// A new self-signed pair, in the files if they can be written.
Result<Certificate> make_pair(const CertificatePlace& place, std::int64_t now_s,
                              const std::string& certificate_file, const std::string& key_file,
                              std::string& notice) {
  auto fresh = kit::make_self_signed(place.names, now_s, kSelfSignedDays);
  // A machine may be called anything; its certificate may not.
  if (!fresh) fresh = kit::make_self_signed({"localhost", "127.0.0.1", "::1"}, now_s, kSelfSignedDays);
  if (!fresh) return tl::unexpected(fresh.error());
  auto saved = write_file(key_file, fresh->key_pem);
  if (saved) saved = write_file(certificate_file, fresh->certificate_pem);
  if (!saved)
    notice += fmt::format("{}it cannot be kept, so the next start makes another one: {}",
                          notice.empty() ? "a self-signed certificate was made; " : "; ", saved.error().what);
  auto made = judge(fresh->certificate_pem, fresh->key_pem);
  if (!made) return made;
  made->made = true;
  made->facts.file = certificate_file;
  return made;
}

// An unusable file of the self-signed pair is renamed, and a new pair is made when one is needed: the console
// stays reachable whatever became of its files.
Result<Certificate> load_self_signed(const CertificatePlace& place, std::int64_t now_s) {
  const std::string certificate_file = place.state_dir + "/console.crt";
  const std::string key_file = place.state_dir + "/console.key";
  const auto pem = read_file(certificate_file, kMaxPemBytes);
  const auto key = read_file(key_file, kMaxPemBytes);
  const auto is_missing = [](const Result<std::string>& file) {
    return !file && file.error().code == ErrorCode::kMissing;
  };
  std::string notice;
  bool renew = false;
  if (!is_missing(pem) && !is_missing(key)) {
    auto loaded = load_files(certificate_file, key_file);
    renew = loaded && ends_soon(*pem, now_s);
    if (loaded && !renew) {
      loaded->facts.source = "self_signed";
      return loaded;
    }
    if (!loaded) {
      notice = fmt::format(
          "{}: a new self-signed certificate was made, so its fingerprint is another one; the old files were "
          "put aside "
          "as {}.damaged and {}.damaged",
          loaded.error().what, certificate_file, key_file);
      rejected(certificate_file, certificate_file + ".damaged");
      rejected(key_file, key_file + ".damaged");
    }
  } else if (is_missing(pem) != is_missing(key)) {
    const std::string& there = is_missing(key) ? certificate_file : key_file;
    const std::string aside = there + ".unpaired";
    notice = fmt::format(
        "{} is missing: a new self-signed certificate was made, so its fingerprint is another one; {} was "
        "put "
        "aside as {}",
        is_missing(key) ? key_file : certificate_file, there, aside);
    rejected(there, aside);
  }
  auto made = make_pair(place, now_s, certificate_file, key_file, notice);
  if (!made) return made;
  if (renew)
    notice = fmt::format(
        "the self-signed certificate was about to end: a new one was made, its fingerprint is now {}",
        made->facts.fingerprint_sha256);
  made->notice = std::move(notice);
  made->facts.source = "self_signed";
  return made;
}

}  // namespace

std::vector<std::string> own_names() {
  std::vector<std::string> names{"localhost", "127.0.0.1", "::1"};
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) == 0 && host[0] != '\0') names.emplace_back(host.data());
  for (const IpAddress& address : kit::local_addresses(false)) {
    if (names.size() >= kMaxNames) break;
    if (std::string text = address.text(); std::find(names.begin(), names.end(), text) == names.end())
      names.push_back(std::move(text));
  }
  return names;
}

Result<Certificate> load_certificate(const CertificatePlace& place, std::int64_t now_s, bool may_fall_back) {
  if (!place.certificate_file.empty()) {
    auto loaded = load_files(place.certificate_file, place.key_file);
    if (loaded) {
      loaded->facts.source = "file";
      return loaded;
    }
    if (!may_fall_back) return loaded;
    // Judging does not depend on the console's files: it starts with a certificate that it makes, and says
    // so.
    auto own = load_self_signed(place, now_s);
    if (!own) return loaded;
    own->fallback = true;
    own->notice = fmt::format(
        "console.certificate and console.key cannot be used: {}; a self-signed certificate is in "
        "use until they can",
        loaded.error().what);
    return own;
  }
  const std::string uploaded = uploaded_file(place);
  std::string notice;
  if (auto both = read_file(uploaded, 2 * kMaxPemBytes + 1)) {
    if (auto loaded = judge(*both, *both)) {
      loaded->facts.source = "uploaded";
      loaded->facts.file = uploaded;
      return loaded;
    }
    const std::string aside = uploaded + ".damaged";
    rejected(uploaded, aside);
    notice = fmt::format("{} cannot be read: it was put aside as {}, the self-signed certificate is in use",
                         uploaded, aside);
  } else if (both.error().code != ErrorCode::kMissing) {
    notice = fmt::format("{}: the self-signed certificate is in use", both.error().what);
  }
  auto loaded = load_self_signed(place, now_s);
  if (loaded && !notice.empty())
    loaded->notice = loaded->notice.empty() ? notice : notice + "; " + loaded->notice;
  return loaded;
}

Result<void> keep_uploaded(const CertificatePlace& place, const std::string& certificate_pem,
                           const std::string& key_pem, std::int64_t now_s) {
  if (!place.certificate_file.empty())
    return fail(ErrorCode::kConflict, fmt::format("The certificate comes from the file {}: change it there.",
                                                  place.certificate_file));
  const auto judged = judge(certificate_pem, key_pem);
  if (!judged) return tl::unexpected(judged.error());
  if (judged->facts.not_after_s <= now_s)
    return fail(ErrorCode::kInvalid,
                fmt::format("certificate: expected one that is valid now, this one ended on {}",
                            day_text(judged->facts.not_after_s)));
  if (judged->facts.not_before_s > now_s)
    return fail(ErrorCode::kInvalid,
                fmt::format("certificate: expected one that is valid now, this one begins on {}",
                            day_text(judged->facts.not_before_s)));
  // The key first: it is the one that is found if the other text holds one as well.
  const std::string both = key_pem + "\n" + certificate_pem;
  if (auto good = judge(both, both); !good) return tl::unexpected(good.error());
  return write_file(uploaded_file(place), both);
}

Result<void> forget_uploaded(const CertificatePlace& place) {
  if (!place.certificate_file.empty())
    return fail(ErrorCode::kConflict, fmt::format("The certificate comes from the file {}: change it there.",
                                                  place.certificate_file));
  if (std::remove(uploaded_file(place).c_str()) == 0) return {};
  if (errno == ENOENT) return fail(ErrorCode::kUnknown, "No certificate is uploaded.");
  return fail(ErrorCode::kIo, uploaded_file(place) + ": cannot be removed");
}

}  // namespace wafd::console
