#include "console/credentials/store.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "console/base/secrets.h"
#include "detect/core/bytes.h"
#include "detect/core/plain_text.h"

namespace wafd::console {
namespace {

constexpr std::size_t kMaxUserAgentBytes = 200;
constexpr std::size_t kMaxUserNameBytes = 64;

bool is_local_admin(const User& user) { return user.role == Role::kAdmin && !user.is_external(); }

bool is_last_admin(const CredentialRows& rows, const User& user) {
  return is_local_admin(user) && std::count_if(rows.users.begin(), rows.users.end(), [](const auto& item) {
                                   return is_local_admin(item.second);
                                 }) == 1;
}

bool is_alive(const CredentialRows& rows, const Session& session, std::int64_t now_ms) {
  return now_ms - session.last_used_ms < kSessionIdleMs && now_ms - session.created_ms < kSessionLifeMs &&
         rows.users.contains(session.username);
}

void drop_expired(CredentialRows& rows, std::int64_t now_ms) {
  std::erase_if(rows.sessions, [&](const auto& item) { return !is_alive(rows, item.second, now_ms); });
}

// For one more session of that user, or of anybody (empty): those used longest ago end.
void make_room(CredentialRows& rows, std::size_t limit, std::string_view username) {
  std::vector<std::pair<std::int64_t, std::string>> there;
  there.reserve(rows.sessions.size());
  for (const auto& [hash, session] : rows.sessions)
    if (username.empty() || session.username == username) there.emplace_back(session.last_used_ms, hash);
  std::sort(there.begin(), there.end());
  for (std::size_t i = 0; i + limit <= there.size(); ++i) rows.sessions.erase(there[i].second);
}

bool still_good(const CredentialStore::Shown& shown, const User& user) {
  return shown.password == user.password && (shown.second_factor || !user.second_factor.on());
}

void end_sessions_of(CredentialRows& rows, std::string_view username, std::string_view except_hash) {
  std::erase_if(rows.sessions, [&](const auto& item) {
    return item.second.username == username && item.first != except_hash;
  });
}

bool has_expired(const Token& token, std::int64_t now_ms) {
  return token.expires_s != 0 && now_ms >= token.expires_s * 1000;
}

// Recovery codes that were used here are noted as spent, so that the fleet learns of them once its database
// answers.
void spend(const User& before, User& after) {
  if (!after.of_fleet) return;
  const auto& left = after.second_factor.recovery;
  for (const std::string& code : before.second_factor.recovery)
    if (std::find(left.begin(), left.end(), code) == left.end() && after.spent.size() < kRecoveryCodes)
      after.spent.push_back(code);
}

// A user name made of the name at a provider: what no user name may have becomes a hyphen.
std::string user_name(std::string_view wanted) {
  constexpr std::size_t kRoomForNumber = 5;
  std::string out;
  for (const char c : wanted.substr(0, kMaxUserNameBytes - kRoomForNumber)) {
    const bool good = is_alnum(c) || c == '.' || c == '_' || c == '-' || c == '@';
    if (good || (!out.empty() && out.back() != '-')) out += good ? c : '-';
  }
  while (out.starts_with('.')) out.erase(0, 1);
  return out.empty() ? "user" : out;
}

}  // namespace

Result<void> check_username(std::string_view username) {
  const bool good = !username.empty() && username.size() <= 64 && username.front() != '.' &&
                    std::all_of(username.begin(), username.end(), [](char c) {
                      return is_alnum(c) || c == '.' || c == '_' || c == '-' || c == '@';
                    });
  if (good) return {};
  return fail(ErrorCode::kInvalid,
              "username: expected 1 to 64 of letters, digits and . _ - @, not beginning with a dot");
}

// --- which rows count
// --------------------------------------------------------------------------------------------

const CredentialRows& CredentialStore::counted() const {
  return own_ != nullptr && backing_->reach() == CredentialBacking::Reach::kGone ? own_->rows_ : rows_;
}

CredentialStore* CredentialStore::own_of(std::string_view username) const {
  return on_its_own() && own_->user(username) != nullptr ? own_ : nullptr;
}

std::string CredentialStore::away(const std::string& why) const {
  if (!on_its_own()) return {};
  return fmt::format(
      "The accounts are in the database of the fleet, which {}: nobody new can log in but an admin of this "
      "node's own files{}",
      backing_->refuses_changes() ? "takes no changes" : "does not answer",
      why.empty() ? std::string() : " (" + why + ")");
}

bool CredentialStore::is_own_session(std::string_view hash) const noexcept {
  return own_ != nullptr && !rows_.sessions.contains(hash) && own_->rows_.sessions.contains(hash);
}

const User* CredentialStore::may_log_in(std::string_view username) const noexcept {
  if (!on_its_own()) return user(username);
  const User* of_files = own_->user(username);
  return of_files != nullptr && is_local_admin(*of_files) ? of_files : nullptr;
}

void CredentialStore::take(CredentialRows rows) {
  const auto keep_uses = [](const auto& before, auto& now) {
    for (auto& [hash, one] : now)
      if (const auto at = before.find(hash); at != before.end())
        one.last_used_ms = std::max(one.last_used_ms, at->second.last_used_ms);
  };
  keep_uses(rows_.sessions, rows.sessions);
  keep_uses(rows_.tokens, rows.tokens);
  // In place: who holds a user that is still there goes on holding it.
  const auto replace_all = [](auto& to, auto& from) {
    std::erase_if(to, [&](const auto& item) { return !from.contains(item.first); });
    for (auto& [key, one] : from) to.insert_or_assign(key, std::move(one));
  };
  replace_all(rows_.users, rows.users);
  replace_all(rows_.sessions, rows.sessions);
  replace_all(rows_.tokens, rows.tokens);
}

Result<void> CredentialStore::replace(const std::function<void(CredentialRows&)>& to) {
  return change([&]() -> Result<void> {
    to(rows_);
    return {};
  });
}

// --- users
// -------------------------------------------------------------------------------------------------------

const User* CredentialStore::user(std::string_view username) const noexcept {
  const auto& users = counted().users;
  if (const auto found = users.find(username); found != users.end()) return &found->second;
  return on_its_own() ? own_->user(username) : nullptr;
}

std::vector<User> CredentialStore::users() const {
  std::vector<User> out;
  out.reserve(counted().users.size());
  for (const auto& item : counted().users) out.push_back(item.second);
  return out;
}

Result<void> CredentialStore::add_user(User user) {
  if (auto good = check_username(user.username); !good) return good;
  return change([&]() -> Result<void> {
    if (rows_.users.contains(user.username)) return fail(ErrorCode::kConflict, "a user of that name exists");
    if (rows_.users.size() >= kMaxUsers) return fail(ErrorCode::kConflict, "there are 1000 users already");
    rows_.users.emplace(user.username, user);
    return {};
  });
}

Result<void> CredentialStore::add_first_user(User user) {
  return change([&]() -> Result<void> {
    if (!backing_->pristine() || !rows_.users.empty())
      return fail(ErrorCode::kConflict, "The first start is done: log in.");
    rows_.users.emplace(user.username, user);
    return {};
  });
}

Result<void> CredentialStore::change_user(std::string_view username, std::optional<Role> role,
                                          std::optional<std::string> password,
                                          std::string_view kept_session) {
  if (CredentialStore* own = own_of(username))
    return own->change_user(username, role, std::move(password), kept_session);
  return change([&]() -> Result<void> {
    const auto found = rows_.users.find(username);
    if (found == rows_.users.end()) return fail(ErrorCode::kUnknown, "no such user");
    User& user = found->second;
    if (user.is_external() && (role || password))
      return fail(ErrorCode::kConflict, "this user signs in by a provider, whose groups give the role");
    if (role && *role != Role::kAdmin && is_last_admin(rows_, user))
      return fail(ErrorCode::kConflict, "this is the last admin: make another one first");
    if (role) user.role = *role;
    if (password) {
      user.password = *password;
      end_sessions_of(rows_, username, kept_session);
    }
    return {};
  });
}

Result<void> CredentialStore::update_user(std::string_view username,
                                          const std::function<void(User&)>& update) {
  if (CredentialStore* own = own_of(username)) return own->update_user(username, update);
  return change([&]() -> Result<void> {
    const auto found = rows_.users.find(username);
    if (found == rows_.users.end()) return fail(ErrorCode::kUnknown, "no such user");
    const User before = found->second;
    update(found->second);
    if (file_) spend(before, found->second);
    return {};
  });
}

const User* CredentialStore::user_of(const ExternalId& external) const noexcept {
  for (const auto& [name, user] : counted().users)
    if (user.is_external() && user.external == external) return &user;
  return nullptr;
}

Result<User> CredentialStore::sign_in(const ExternalId& external, std::string_view wanted, Role role,
                                      std::int64_t now_ms) {
  User out;
  auto saved = change([&]() -> Result<void> {
    for (auto& [name, user] : rows_.users) {
      if (!user.is_external() || user.external != external) continue;
      user.role = role;
      out = user;
      return {};
    }
    if (rows_.users.size() >= kMaxUsers) return fail(ErrorCode::kConflict, "there are 1000 users already");
    out = User();
    out.external = external;
    out.role = role;
    out.created_ms = now_ms;
    const std::string name = user_name(wanted);
    out.username = name;
    for (std::size_t i = 2; rows_.users.contains(out.username); ++i)
      out.username = fmt::format("{}-{}", name, i);
    rows_.users.emplace(out.username, out);
    return {};
  });
  if (!saved) return tl::unexpected(saved.error());
  return out;
}

Result<void> CredentialStore::remove_user(std::string_view username) {
  return change([&]() -> Result<void> {
    const auto found = rows_.users.find(username);
    if (found == rows_.users.end()) return fail(ErrorCode::kUnknown, "no such user");
    if (is_last_admin(rows_, found->second))
      return fail(ErrorCode::kConflict, "this is the last admin: make another one first");
    end_sessions_of(rows_, username, {});
    rows_.users.erase(found);
    return {};
  });
}

// --- sessions
// ----------------------------------------------------------------------------------------------------

std::vector<Session> CredentialStore::sessions() const {
  std::vector<Session> out;
  out.reserve(counted().sessions.size());
  for (const auto& item : counted().sessions) out.push_back(item.second);
  std::sort(out.begin(), out.end(),
            [](const Session& a, const Session& b) { return a.created_ms > b.created_ms; });
  return out;
}

Result<std::string> CredentialStore::open_session(std::string_view username, std::string_view address,
                                                  std::string_view user_agent, Random& random,
                                                  std::int64_t now_ms, const std::optional<Shown>& shown) {
  if (on_its_own()) {
    if (may_log_in(username) == nullptr) return fail(ErrorCode::kIo, why_away_for_all());
    return own_->open_session(username, address, user_agent, random, now_ms, shown);
  }
  const std::string cookie = make_secret(random);
  Session session;
  session.hash = sha256_hex(cookie);
  session.username = username;
  session.address = address;
  session.user_agent =
      printable_ascii(user_agent, kMaxUserAgentBytes);  // only ASCII: the file must stay JSON
  session.created_ms = now_ms;
  session.last_used_ms = now_ms;
  auto saved = change([&]() -> Result<void> {
    const auto found = rows_.users.find(username);
    if (found == rows_.users.end()) return fail(ErrorCode::kUnknown, "no such user");
    if (shown && !still_good(*shown, found->second))
      return fail(ErrorCode::kDenied, "the user's password or second factor was changed meanwhile");
    drop_expired(rows_, now_ms);
    make_room(rows_, kMaxSessionsPerUser, username);
    make_room(rows_, kMaxSessions, {});
    found->second.last_login_ms = now_ms;
    rows_.sessions.emplace(session.hash, session);
    return {};
  });
  if (!saved) return tl::unexpected(saved.error());
  return cookie;
}

const Session* CredentialStore::use_session(std::string_view cookie, std::int64_t now_ms) {
  const std::string hash = sha256_hex(cookie);
  if (find_session(hash, now_ms) == nullptr) return nullptr;
  if (on_its_own() && is_own_session(hash)) return own_->use_session(cookie, now_ms);
  Session& session = rows_.sessions.find(hash)->second;
  session.last_used_ms = now_ms;
  used_ = true;
  return &session;
}

const Session* CredentialStore::find_session(std::string_view hash, std::int64_t now_ms) const {
  if (on_its_own() && is_own_session(hash)) {
    const Session* own = own_->find_session(hash, now_ms);
    return own != nullptr && may_log_in(own->username) != nullptr ? own : nullptr;
  }
  if (backing_->reach() == CredentialBacking::Reach::kGone) return nullptr;
  const auto found = rows_.sessions.find(hash);
  return found == rows_.sessions.end() || !is_alive(rows_, found->second, now_ms) ? nullptr : &found->second;
}

Result<void> CredentialStore::close_session(std::string_view id) {
  const auto is_it = [&](const auto& item) { return item.second.id() == id; };
  if (on_its_own() && std::any_of(own_->rows_.sessions.begin(), own_->rows_.sessions.end(), is_it))
    return own_->close_session(id);
  return change([&]() -> Result<void> {
    if (std::erase_if(rows_.sessions, is_it) == 0) return fail(ErrorCode::kUnknown, "no such session");
    return {};
  });
}

Result<void> CredentialStore::close_sessions_of(std::string_view username, std::string_view except_hash) {
  if (CredentialStore* own = own_of(username)) return own->close_sessions_of(username, except_hash);
  return change([&]() -> Result<void> {
    end_sessions_of(rows_, username, except_hash);
    return {};
  });
}

Result<std::size_t> CredentialStore::close_foreign_sessions(std::string_view issuer) {
  const auto foreign = [&](const auto& item) {
    const auto of = rows_.users.find(item.second.username);
    return of != rows_.users.end() && of->second.is_external() && of->second.external.issuer != issuer;
  };
  std::size_t count = 0;
  if (std::none_of(rows_.sessions.begin(), rows_.sessions.end(), foreign)) return count;
  auto saved = change([&]() -> Result<void> {
    count = std::erase_if(rows_.sessions, foreign);
    return {};
  });
  if (!saved) return tl::unexpected(saved.error());
  return count;
}

// --- tokens
// ------------------------------------------------------------------------------------------------------

std::vector<Token> CredentialStore::tokens() const {
  std::vector<Token> out;
  out.reserve(counted().tokens.size());
  for (const auto& item : counted().tokens) out.push_back(item.second);
  std::sort(out.begin(), out.end(), [](const Token& a, const Token& b) {
    return std::pair(a.created_ms, a.id) < std::pair(b.created_ms, b.id);
  });
  return out;
}

Result<CredentialStore::NewToken> CredentialStore::add_token(std::string name, Role role,
                                                             std::int64_t expires_s, std::string created_by,
                                                             Random& random, std::int64_t now_ms) {
  if (name.empty() || name.size() > 64)
    return fail(ErrorCode::kInvalid, "name: expected text of 1 to 64 bytes");
  NewToken made;
  made.secret = "wafd_" + make_secret(random);
  made.token.id = make_id(random, 8);
  made.token.name = std::move(name);
  made.token.hash = sha256_hex(made.secret);
  made.token.role = role;
  made.token.created_ms = now_ms;
  made.token.created_by = std::move(created_by);
  made.token.expires_s = expires_s;
  auto saved = change([&]() -> Result<void> {
    for (const auto& item : rows_.tokens)
      if (item.second.name == made.token.name)
        return fail(ErrorCode::kConflict, "a token of that name exists");
    if (rows_.tokens.size() >= kMaxTokens) return fail(ErrorCode::kConflict, "there are 1000 tokens already");
    rows_.tokens.emplace(made.token.hash, made.token);
    return {};
  });
  if (!saved) return tl::unexpected(saved.error());
  return made;
}

Result<void> CredentialStore::remove_token(std::string_view id) {
  return change([&]() -> Result<void> {
    if (std::erase_if(rows_.tokens, [&](const auto& item) { return item.second.id == id; }) == 0)
      return fail(ErrorCode::kUnknown, "no such token");
    return {};
  });
}

const Token* CredentialStore::use_token(std::string_view secret, std::int64_t now_ms) {
  const auto found = rows_.tokens.find(sha256_hex(secret));
  if (found == rows_.tokens.end() || has_expired(found->second, now_ms) ||
      backing_->reach() == CredentialBacking::Reach::kGone)
    return nullptr;
  found->second.last_used_ms = now_ms;
  used_ = true;
  return &found->second;
}

const Token* CredentialStore::find_token(std::string_view id, std::int64_t now_ms) const {
  if (backing_->reach() == CredentialBacking::Reach::kGone) return nullptr;
  for (const auto& item : rows_.tokens) {
    if (item.second.id != id) continue;
    return has_expired(item.second, now_ms) ? nullptr : &item.second;
  }
  return nullptr;
}

Result<void> CredentialStore::tick(std::int64_t now_ms) {
  const bool expired = std::any_of(rows_.sessions.begin(), rows_.sessions.end(),
                                   [&](const auto& item) { return !is_alive(rows_, item.second, now_ms); });
  if ((!used_ && !expired) || on_its_own()) return {};
  auto kept = change([&]() -> Result<void> {
    drop_expired(rows_, now_ms);
    return {};
  });
  if (kept) used_ = false;
  return kept;
}

}  // namespace wafd::console
