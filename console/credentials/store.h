// Who may use the console: users, sessions and API tokens, kept in credentials.json (mode 0600, replaced
// atomically).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "console/credentials/role.h"
#include "console/credentials/second_factor.h"
#include "detect/core/clock.h"
#include "detect/core/error.h"

namespace wafd::console {

// How a user wants the page. Empty: as the browser asks for, as the node has it.
struct Preferences {
  std::string language;   // "en", "zh-CN"
  std::string time_zone;  // IANA name
};

// Who somebody is at an OpenID Connect provider: names and mail addresses change hands, the pair does not.
struct ExternalId {
  std::string issuer;
  std::string subject;
  bool operator==(const ExternalId&) const = default;
};

struct User {
  std::string username;  // 1 to 64 of [a-zA-Z0-9._@-]
  Role role = Role::kViewer;
  std::string password;  // Argon2id, encoded; empty: signs in by a provider alone
  std::int64_t created_ms = 0;
  std::int64_t last_login_ms = 0;
  Preferences preferences = {};
  SecondFactor second_factor = {};
  bool may_unmask = false;  // a viewer who may look at what is masked for viewers
  ExternalId external = {};

  // Signs in by a provider: no password, no second factor here, and the role is the groups' matter.
  bool is_external() const noexcept { return !external.subject.empty(); }
};

struct Session {
  std::string hash;  // SHA-256 of the cookie's value; the value itself is never stored
  std::string username;
  std::string address;
  std::string user_agent;
  std::int64_t created_ms = 0;
  std::int64_t last_used_ms = 0;
  std::string id() const { return hash.substr(0, 16); }
};

struct Token {
  std::string id;
  std::string name;  // 1 to 64 bytes, unique
  std::string hash;  // SHA-256 of the token
  Role role = Role::kViewer;
  std::int64_t created_ms = 0;
  std::string created_by;
  std::int64_t expires_s = 0;  // Unix time; 0: never
  std::int64_t last_used_ms = 0;
};

inline constexpr std::int64_t kSessionIdleMs = 12ll * 3600 * 1000;
inline constexpr std::int64_t kSessionLifeMs = 7ll * 24 * 3600 * 1000;
inline constexpr std::size_t kMaxUsers = 1000;
inline constexpr std::size_t kMaxTokens = 1000;
inline constexpr std::size_t kMaxSessions = 2000;  // beyond, the least recently used one ends
inline constexpr std::size_t kMaxSessionsPerUser = 50;

// One thread. Every change is on disk when the call returns, or it is an error and nothing has changed; uses
// (last times) are written by tick().
class CredentialStore {
 public:
  // A missing file is an empty store; a damaged one is an error (it is never overwritten).
  static Result<CredentialStore> open(const std::string& state_dir);
  // For the daemon, which goes on judging: what cannot be read is put aside as credentials.json.damaged,
  // notice() says so, and the store is empty. So nobody can log in but by a set-up with its token, which who
  // can read log or state folder alone knows.
  static Result<CredentialStore> open_or_replace(const std::string& state_dir);
  const std::string& notice() const noexcept { return notice_; }

  bool empty() const noexcept { return users_.empty(); }
  const User* user(std::string_view username) const noexcept;
  std::vector<User> users() const;
  std::vector<Token> tokens() const;
  std::vector<Session> sessions() const;  // newest first, expired ones too until tick()

  // Null if nobody signed in as that yet.
  const User* user_of(const ExternalId& external) const noexcept;
  // The user of `external`, made if there is none, in `role` from now on. A new one is called `wanted` as far
  // as that is a user name, with a number behind it where somebody has that name.
  Result<User> sign_in(const ExternalId& external, std::string_view wanted, Role role, std::int64_t now_ms);

  // `password` is already hashed. kConflict: it exists, or it is the last admin with a password that would
  // go: the way back in when no provider answers.
  Result<void> add_user(User user);
  Result<void> change_user(std::string_view username, std::optional<Role> role,
                           std::optional<std::string> password);
  // Whatever else is the user's own: preferences, second factor, the right to unmask.
  Result<void> update_user(std::string_view username, const std::function<void(User&)>& update);
  Result<void> remove_user(std::string_view username);  // with sessions

  // The cookie's value.
  Result<std::string> open_session(std::string_view username, std::string_view address,
                                   std::string_view user_agent, Random& random, std::int64_t now_ms);
  // The session of that cookie value if it is still good; marks it as used.
  const Session* use_session(std::string_view cookie, std::int64_t now_ms);
  const Session* find_session(std::string_view hash, std::int64_t now_ms) const;
  Result<void> close_session(std::string_view id);
  Result<void> close_sessions_of(std::string_view username, std::string_view except_hash);
  // Of users of other providers than `issuer`; the number of them.
  Result<std::size_t> close_foreign_sessions(std::string_view issuer);

  struct NewToken {
    Token token;
    std::string secret;  // shown once
  };
  Result<NewToken> add_token(std::string name, Role role, std::int64_t expires_s, std::string created_by,
                             Random& random, std::int64_t now_ms);
  Result<void> remove_token(std::string_view id);
  const Token* use_token(std::string_view secret, std::int64_t now_ms);
  const Token* find_token(std::string_view id, std::int64_t now_ms) const;

  // Drops what has expired, writes uses not yet written. Call about once a minute and before the end.
  Result<void> tick(std::int64_t now_ms);

 private:
  explicit CredentialStore(std::string path) : path_(std::move(path)) {}
  Result<void> load(std::string_view text);
  std::string dump() const;
  // Applies `change` and saves; puts everything back if saving fails.
  Result<void> commit(const std::function<void()>& change);
  std::size_t admins() const noexcept;
  bool alive(const Session& session, std::int64_t now_ms) const noexcept;

  std::string path_;
  std::string notice_;
  std::map<std::string, User, std::less<>> users_;
  std::map<std::string, Session, std::less<>> sessions_;  // by hash
  std::map<std::string, Token, std::less<>> tokens_;      // by hash
  bool used_ = false;
};

Result<void> check_username(std::string_view username);  // errors begin with "username: "

}  // namespace wafd::console
