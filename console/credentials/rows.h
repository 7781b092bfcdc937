// Stored users, sessions and API tokens, and each of them as a JSON object. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "console/credentials/role.h"
#include "console/credentials/second_factor.h"
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
  // Of a node's own files, where the accounts are a fleet's: the fleet has or had this user too, and what it
  // does not know yet of recovery codes that were used here.
  bool of_fleet = false;
  std::vector<std::string> spent = {};

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

struct CredentialRows {
  std::map<std::string, User, std::less<>> users;        // by name
  std::map<std::string, Session, std::less<>> sessions;  // by hash
  std::map<std::string, Token, std::less<>> tokens;      // by hash
};

boost::json::object row_of(const User& user);
boost::json::object row_of(const Session& session);
boost::json::object row_of(const Token& token);

// Adds one; an error names the member that is no good. What is no good gives nobody any right.
Result<void> read_user(const boost::json::object& row, std::string_view place, CredentialRows& rows);
Result<void> read_session(const boost::json::object& row, std::string_view place, CredentialRows& rows);
Result<void> read_token(const boost::json::object& row, std::string_view place, CredentialRows& rows);

}  // namespace wafd::console
