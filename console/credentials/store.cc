#include "console/credentials/store.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "console/base/secrets.h"
#include "detect/core/bytes.h"
#include "detect/core/plain_text.h"
#include "files/small_file.h"

namespace wafd::console {
namespace {

constexpr std::size_t kMaxStoreBytes = 16u << 20;
constexpr std::size_t kMaxUserAgentBytes = 200;
constexpr std::size_t kMaxUserNameBytes = 64;

bool is_local_admin(const User& user) { return user.role == Role::kAdmin && !user.is_external(); }

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

Result<CredentialStore> CredentialStore::open(const std::string& state_dir) {
  CredentialStore store(state_dir + "/credentials.json");
  auto text = read_file(store.path_, kMaxStoreBytes);
  if (!text) {
    if (text.error().code == ErrorCode::kMissing) return store;
    return tl::unexpected(text.error());
  }
  if (auto loaded = store.load(*text); !loaded) {
    return fail(ErrorCode::kInvalid,
                store.path_ + " is damaged (" + loaded.error().what +
                    "): put a good copy there, or remove it to begin with a new first start");
  }
  return store;
}

Result<CredentialStore> CredentialStore::open_or_replace(const std::string& state_dir) {
  auto opened = open(state_dir);
  if (opened) return opened;
  CredentialStore store(state_dir + "/credentials.json");
  const std::string aside = store.path_ + ".damaged";
  if (std::rename(store.path_.c_str(), aside.c_str()) != 0) return opened;
  store.notice_ = fmt::format(
      "{} cannot be read: put aside as {}. Nobody can log in to the console until a good copy is put back "
      "and wafd started "
      "again, or the first account is made anew with the set-up token ({})",
      store.path_, aside, opened.error().what);
  return store;
}

Result<void> CredentialStore::commit(const std::function<void()>& change) {
  auto users = users_;
  auto sessions = sessions_;
  auto tokens = tokens_;
  change();
  auto saved = write_file(path_, dump());
  if (saved) {
    used_ = false;
  } else {
    users_ = std::move(users);
    sessions_ = std::move(sessions);
    tokens_ = std::move(tokens);
  }
  return saved;
}

std::size_t CredentialStore::admins() const noexcept {
  return static_cast<std::size_t>(std::count_if(
      users_.begin(), users_.end(), [](const auto& item) { return is_local_admin(item.second); }));
}

// --- users
// -------------------------------------------------------------------------------------------------------

const User* CredentialStore::user(std::string_view username) const noexcept {
  const auto found = users_.find(username);
  return found == users_.end() ? nullptr : &found->second;
}

std::vector<User> CredentialStore::users() const {
  std::vector<User> out;
  out.reserve(users_.size());
  for (const auto& item : users_) out.push_back(item.second);
  return out;
}

Result<void> CredentialStore::add_user(User user) {
  if (auto good = check_username(user.username); !good) return good;
  if (users_.contains(user.username)) return fail(ErrorCode::kConflict, "a user of that name exists");
  if (users_.size() >= kMaxUsers) return fail(ErrorCode::kConflict, "there are 1000 users already");
  return commit([&] { users_.emplace(user.username, user); });
}

Result<void> CredentialStore::change_user(std::string_view username, std::optional<Role> role,
                                          std::optional<std::string> password) {
  const auto found = users_.find(username);
  if (found == users_.end()) return fail(ErrorCode::kUnknown, "no such user");
  if (found->second.is_external())
    return fail(ErrorCode::kConflict, "this user signs in by a provider, whose groups give the role");
  if (role && *role != Role::kAdmin && is_local_admin(found->second) && admins() == 1) {
    return fail(ErrorCode::kConflict, "this is the last admin: make another one first");
  }
  return commit([&] {
    User& user = users_.find(username)->second;
    if (role) user.role = *role;
    if (password) user.password = *password;
  });
}

Result<void> CredentialStore::update_user(std::string_view username,
                                          const std::function<void(User&)>& update) {
  if (!users_.contains(username)) return fail(ErrorCode::kUnknown, "no such user");
  return commit([&] { update(users_.find(username)->second); });
}

const User* CredentialStore::user_of(const ExternalId& external) const noexcept {
  for (const auto& [name, user] : users_)
    if (user.is_external() && user.external == external) return &user;
  return nullptr;
}

Result<User> CredentialStore::sign_in(const ExternalId& external, std::string_view wanted, Role role,
                                      std::int64_t now_ms) {
  if (const User* known = user_of(external)) {
    if (known->role != role)
      if (auto changed = update_user(known->username, [&](User& user) { user.role = role; }); !changed)
        return tl::unexpected(changed.error());
    return *user_of(external);
  }
  User fresh;
  fresh.external = external;
  fresh.role = role;
  fresh.created_ms = now_ms;
  const std::string name = user_name(wanted);
  fresh.username = name;
  for (std::size_t i = 2; users_.contains(fresh.username) && i <= kMaxUsers + 1; ++i)
    fresh.username = fmt::format("{}-{}", name, i);
  if (auto added = add_user(fresh); !added) return tl::unexpected(added.error());
  return fresh;
}

Result<void> CredentialStore::remove_user(std::string_view username) {
  const auto found = users_.find(username);
  if (found == users_.end()) return fail(ErrorCode::kUnknown, "no such user");
  if (is_local_admin(found->second) && admins() == 1) {
    return fail(ErrorCode::kConflict, "this is the last admin: make another one first");
  }
  return commit([&] {
    std::erase_if(sessions_, [&](const auto& item) { return item.second.username == username; });
    users_.erase(users_.find(username));
  });
}

// --- sessions
// ----------------------------------------------------------------------------------------------------

bool CredentialStore::alive(const Session& session, std::int64_t now_ms) const noexcept {
  return now_ms - session.last_used_ms < kSessionIdleMs && now_ms - session.created_ms < kSessionLifeMs &&
         users_.contains(session.username);
}

std::vector<Session> CredentialStore::sessions() const {
  std::vector<Session> out;
  out.reserve(sessions_.size());
  for (const auto& item : sessions_) out.push_back(item.second);
  std::sort(out.begin(), out.end(),
            [](const Session& a, const Session& b) { return a.created_ms > b.created_ms; });
  return out;
}

Result<std::string> CredentialStore::open_session(std::string_view username, std::string_view address,
                                                  std::string_view user_agent, Random& random,
                                                  std::int64_t now_ms) {
  if (!users_.contains(username)) return fail(ErrorCode::kUnknown, "no such user");
  const std::string cookie = make_secret(random);
  Session session;
  session.hash = sha256_hex(cookie);
  session.username = username;
  session.address = address;
  session.user_agent =
      printable_ascii(user_agent, kMaxUserAgentBytes);  // only ASCII: the file must stay JSON
  session.created_ms = now_ms;
  session.last_used_ms = now_ms;
  const auto make_room = [&](auto counts, std::size_t limit) {
    std::vector<std::pair<std::int64_t, std::string>> there;
    for (const auto& item : sessions_) {
      if (counts(item.second)) there.emplace_back(item.second.last_used_ms, item.first);
    }
    std::sort(there.begin(), there.end());
    for (std::size_t i = 0; i + limit <= there.size(); ++i) sessions_.erase(there[i].second);
  };
  auto saved = commit([&] {
    std::erase_if(sessions_, [&](const auto& item) { return !alive(item.second, now_ms); });
    make_room([&](const Session& other) { return other.username == username; }, kMaxSessionsPerUser);
    make_room([](const Session&) { return true; }, kMaxSessions);
    users_.find(username)->second.last_login_ms = now_ms;
    sessions_.emplace(session.hash, session);
  });
  if (!saved) return tl::unexpected(saved.error());
  return cookie;
}

const Session* CredentialStore::use_session(std::string_view cookie, std::int64_t now_ms) {
  const auto found = sessions_.find(sha256_hex(cookie));
  if (found == sessions_.end() || !alive(found->second, now_ms)) return nullptr;
  found->second.last_used_ms = now_ms;
  used_ = true;
  return &found->second;
}

const Session* CredentialStore::find_session(std::string_view hash, std::int64_t now_ms) const {
  const auto found = sessions_.find(hash);
  return found == sessions_.end() || !alive(found->second, now_ms) ? nullptr : &found->second;
}

Result<void> CredentialStore::close_session(std::string_view id) {
  const auto found = std::find_if(sessions_.begin(), sessions_.end(),
                                  [&](const auto& item) { return item.second.id() == id; });
  if (found == sessions_.end()) return fail(ErrorCode::kUnknown, "no such session");
  const std::string hash = found->first;
  return commit([&] { sessions_.erase(hash); });
}

Result<void> CredentialStore::close_sessions_of(std::string_view username, std::string_view except_hash) {
  return commit([&] {
    std::erase_if(sessions_, [&](const auto& item) {
      return item.second.username == username && item.first != except_hash;
    });
  });
}

Result<std::size_t> CredentialStore::close_foreign_sessions(std::string_view issuer) {
  const auto foreign = [&](const auto& item) {
    const User* of = user(item.second.username);
    return of != nullptr && of->is_external() && of->external.issuer != issuer;
  };
  const auto count = static_cast<std::size_t>(std::count_if(sessions_.begin(), sessions_.end(), foreign));
  if (count == 0) return count;
  if (auto saved = commit([&] { std::erase_if(sessions_, foreign); }); !saved)
    return tl::unexpected(saved.error());
  return count;
}

// --- tokens
// ------------------------------------------------------------------------------------------------------

std::vector<Token> CredentialStore::tokens() const {
  std::vector<Token> out;
  out.reserve(tokens_.size());
  for (const auto& item : tokens_) out.push_back(item.second);
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
  for (const auto& item : tokens_) {
    if (item.second.name == name) return fail(ErrorCode::kConflict, "a token of that name exists");
  }
  if (tokens_.size() >= kMaxTokens) return fail(ErrorCode::kConflict, "there are 1000 tokens already");
  NewToken made;
  made.secret = "wafd_" + make_secret(random);
  made.token.id = make_id(random, 8);
  made.token.name = std::move(name);
  made.token.hash = sha256_hex(made.secret);
  made.token.role = role;
  made.token.created_ms = now_ms;
  made.token.created_by = std::move(created_by);
  made.token.expires_s = expires_s;
  auto saved = commit([&] { tokens_.emplace(made.token.hash, made.token); });
  if (!saved) return tl::unexpected(saved.error());
  return made;
}

Result<void> CredentialStore::remove_token(std::string_view id) {
  const auto found =
      std::find_if(tokens_.begin(), tokens_.end(), [&](const auto& item) { return item.second.id == id; });
  if (found == tokens_.end()) return fail(ErrorCode::kUnknown, "no such token");
  const std::string hash = found->first;
  return commit([&] { tokens_.erase(hash); });
}

const Token* CredentialStore::use_token(std::string_view secret, std::int64_t now_ms) {
  const auto found = tokens_.find(sha256_hex(secret));
  if (found == tokens_.end()) return nullptr;
  if (found->second.expires_s != 0 && now_ms >= found->second.expires_s * 1000) return nullptr;
  found->second.last_used_ms = now_ms;
  used_ = true;
  return &found->second;
}

const Token* CredentialStore::find_token(std::string_view id, std::int64_t now_ms) const {
  for (const auto& item : tokens_) {
    if (item.second.id != id) continue;
    return item.second.expires_s != 0 && now_ms >= item.second.expires_s * 1000 ? nullptr : &item.second;
  }
  return nullptr;
}

Result<void> CredentialStore::tick(std::int64_t now_ms) {
  const bool expired = std::any_of(sessions_.begin(), sessions_.end(),
                                   [&](const auto& item) { return !alive(item.second, now_ms); });
  if (!used_ && !expired) return {};
  return commit(
      [&] { std::erase_if(sessions_, [&](const auto& item) { return !alive(item.second, now_ms); }); });
}

}  // namespace wafd::console
