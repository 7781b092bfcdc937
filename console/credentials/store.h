// Who may use the console: users, sessions and API tokens, kept in credentials.json (mode 0600, replaced
// atomically) or where another CredentialBacking keeps them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "console/credentials/backing.h"
#include "console/credentials/role.h"
#include "console/credentials/rows.h"
#include "detect/core/clock.h"
#include "detect/core/error.h"

namespace wafd::console {

inline constexpr std::int64_t kSessionIdleMs = 12ll * 3600 * 1000;
inline constexpr std::int64_t kSessionLifeMs = 7ll * 24 * 3600 * 1000;
inline constexpr std::size_t kMaxUsers = 1000;
inline constexpr std::size_t kMaxTokens = 1000;
inline constexpr std::size_t kMaxSessions = 2000;  // beyond, the least recently used one ends
inline constexpr std::size_t kMaxSessionsPerUser = 50;

// One thread. Every change is kept when the call returns, or it is an error and nothing has changed; uses
// (last times) are written by tick().
//
// Where the accounts are shared by many consoles (backing.h) and cannot be asked, nobody is let in but an
// admin of `own`, the store of this node's files, with a session of that store, which is good for that time
// alone.
class CredentialStore {
 public:
  // A missing file is an empty store; a damaged one is an error (it is never overwritten).
  static Result<CredentialStore> open(const std::string& state_dir);
  // For the daemon, which goes on judging: a damaged file is put aside as credentials.json.damaged (one that
  // the disk does not give is an error: nothing says that it is damaged), notice() says so, and the store is
  // empty. So nobody can log in but by a set-up with its token, which who can read log or state folder alone
  // knows.
  static Result<CredentialStore> open_or_replace(const std::string& state_dir);
  const std::string& notice() const noexcept { return notice_; }
  // Both outlive it.
  CredentialStore(CredentialBacking& backing, CredentialStore& own) : backing_(&backing), own_(&own) {}

  // There was never a user. False while that cannot be asked.
  bool empty() const { return backing_->answers() && backing_->pristine() && rows_.users.empty(); }
  // Somebody else changed them; how this console used them meanwhile stays.
  void take(CredentialRows rows);
  // The store to which commands of this machine go: that of the files while the shared one cannot be asked.
  CredentialStore& for_commands() noexcept { return on_its_own() ? *own_ : *this; }
  // A session of the store of this node's files.
  bool is_own_session(std::string_view hash) const noexcept;
  // Who may log in with a password now; null: nobody of that name.
  const User* may_log_in(std::string_view username) const noexcept;
  // Why the shared accounts cannot be asked, one line for people; empty: they can, or are not shared.
  std::string why_away() const { return away(backing_->why()); }
  // The same for people whom nobody knows: without what the server or the network said.
  std::string why_away_for_all() const { return away({}); }
  const CredentialRows& rows() const noexcept { return rows_; }
  // The same rows in another form: what the fleet says of users that these files have too, what these files
  // tell it. An error: nothing has changed.
  Result<void> replace(const std::function<void(CredentialRows&)>& change);
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
  // kConflict: there was one already, as it is kept, whatever was known here.
  Result<void> add_first_user(User user);
  // With another password all sessions of the user end but `kept_session` (a hash).
  Result<void> change_user(std::string_view username, std::optional<Role> role,
                           std::optional<std::string> password, std::string_view kept_session = {});
  // Whatever else is the user's own: preferences, second factor, the right to unmask.
  Result<void> update_user(std::string_view username, const std::function<void(User&)>& update);
  Result<void> remove_user(std::string_view username);  // with sessions

  // The proofs that a log-in was accepted with.
  struct Shown {
    std::string password;        // the hash that it matched
    bool second_factor = false;  // a code was good
  };
  // The cookie's value. kDenied: the user as kept now has another password than `shown`, or asks for a code.
  Result<std::string> open_session(std::string_view username, std::string_view address,
                                   std::string_view user_agent, Random& random, std::int64_t now_ms,
                                   const std::optional<Shown>& shown = std::nullopt);
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
  explicit CredentialStore(const std::string& path);
  // Runs `turn` on the rows as they are kept and keeps what it leaves.
  Result<void> change(const std::function<Result<void>()>& turn) { return backing_->change(rows_, turn); }
  std::string away(const std::string& why) const;
  bool on_its_own() const { return own_ != nullptr && !backing_->answers(); }
  // The rows that count: none but the own ones once the others are too old.
  const CredentialRows& counted() const;
  // Of the files, where they are to be written to now; null: the shared ones are.
  CredentialStore* own_of(std::string_view username) const;

  std::unique_ptr<CredentialBacking> file_;  // null: somebody else's
  CredentialBacking* backing_;
  CredentialStore* own_ = nullptr;
  std::string notice_;
  CredentialRows rows_;
  bool used_ = false;
};

Result<void> check_username(std::string_view username);  // errors begin with "username: "

}  // namespace wafd::console
