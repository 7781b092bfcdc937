#include "forward/io/postgres_login.h"

#include "files/given_text.h"

namespace wafd::forward {

Result<PgLogin> postgres_login(const TargetSettings& target) {
  PgLogin out;
  out.database = target.postgresql.database;
  out.user = target.postgresql.user;
  auto password = read_secret("postgresql.password", target.postgresql.password);
  if (!password) return tl::unexpected(password.error());
  out.password = std::move(*password);
  out.encrypted = uses_tls(target);
  if (!out.encrypted) return out;
  out.verify = target.tls.verify;
  out.min_version = target.tls.min_version;
  struct {
    std::string_view member;
    const std::string& given;
    std::string& read;
  } const files[] = {{"tls.ca", target.tls.ca, out.ca_pem},
                     {"tls.certificate", target.tls.certificate, out.certificate_pem},
                     {"tls.key", target.tls.key, out.key_pem}};
  for (const auto& file : files) {
    auto text = read_pem(file.member, file.given);
    if (!text) return tl::unexpected(text.error());
    file.read = std::move(*text);
  }
  return out;
}

}  // namespace wafd::forward
