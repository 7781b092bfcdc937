#include "console/io/fleet/fleet_accounts.h"

#include <algorithm>
#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "console/base/secrets.h"
#include "console/io/fleet/fleet_answers.h"

namespace wafd::console {
namespace {

using forward::FleetAccountRow;
using forward::FleetAccountRows;
using forward::PgConnection;

constexpr std::string_view kUser = "user", kSession = "session", kToken = "token";
constexpr std::string_view kHeldByOthers = "55P03";  // SQLSTATE lock_not_available
constexpr std::size_t kMaxNamed = 20;                // accounts, in an entry of the audit log

std::string account_place(std::string_view kind, std::string_view name) {
  return fmt::format("account {} {}", kind, name);
}

template <class Rows>
void add_texts(std::string_view kind, const Rows& rows,
               std::map<std::pair<std::string, std::string>, std::string>& out) {
  for (const auto& [name, one] : rows)
    out.emplace(std::pair(std::string(kind), name), boost::json::serialize(row_of(one)));
}

std::map<std::pair<std::string, std::string>, std::string> texts_of(const CredentialRows& rows) {
  std::map<std::pair<std::string, std::string>, std::string> out;
  add_texts(kUser, rows.users, out);
  add_texts(kSession, rows.sessions, out);
  add_texts(kToken, rows.tokens, out);
  return out;
}

// Of sessions and tokens the kind alone: their names are digests of what lets somebody in.
std::vector<std::string> names_of(const std::vector<FleetAccountRow>& rows) {
  std::vector<std::string> out;
  for (const FleetAccountRow& row : rows) {
    std::string name = row.kind == kUser ? row.kind + " " + row.name : row.kind;
    if (out.size() < kMaxNamed && std::find(out.begin(), out.end(), name) == out.end())
      out.push_back(std::move(name));
  }
  return out;
}

// The account inside of the sealed text must be the one that the row is stored under.
Result<void> read_account(const FleetAccountRow& row, const std::string& text, CredentialRows& rows) {
  boost::system::error_code error;
  const boost::json::value value = boost::json::parse(text, error);
  if (error || !value.is_object()) return fail(ErrorCode::kInvalid, "no JSON object");
  CredentialRows one;
  const auto read = row.kind == kUser      ? read_user
                    : row.kind == kSession ? read_session
                    : row.kind == kToken   ? read_token
                                           : nullptr;
  if (read == nullptr) return fail(ErrorCode::kInvalid, "of an unknown kind");
  if (auto good = read(value.get_object(), "", one); !good) return good;
  if (!one.users.contains(row.name) && !one.sessions.contains(row.name) && !one.tokens.contains(row.name))
    return fail(ErrorCode::kInvalid, "it is another one's");
  rows.users.merge(one.users);
  rows.sessions.merge(one.sessions);
  rows.tokens.merge(one.tokens);
  return {};
}

}  // namespace

FleetAccounts::FleetAccounts(Parts parts, CredentialStore& own)
    : parts_(std::move(parts)), store_(*this, own), looks_(parts_.pool) {}

// The minute of reading begins with what fails first, looking or changing.
std::int64_t FleetAccounts::known_since_ms() const {
  return unwritten_.empty() ? *good_ms_ : std::min(*good_ms_, unwritten_ms_);
}

CredentialBacking::Reach FleetAccounts::reach() const {
  if (!good_ms_) return Reach::kGone;
  const std::int64_t age_ms = steady_ms() - known_since_ms();
  if (unwritten_.empty() && age_ms <= kFreshMs) return Reach::kAnswers;
  return age_ms <= kReadingMs ? Reach::kReading : Reach::kGone;
}

std::int64_t FleetAccounts::reading_until_ms() const {
  if (answers()) return 0;
  const std::int64_t now_ms = parts_.clock.unix_us() / 1000;
  return good_ms_ ? now_ms + known_since_ms() + kReadingMs - steady_ms() : now_ms;
}

Result<FleetAccounts::Heard> FleetAccounts::ask(const std::optional<forward::FleetAccountsVersion>& known,
                                                bool tries, const std::function<bool()>& over) const {
  if (!parts_.keys) return fail(ErrorCode::kIo, parts_.keys.error().what);
  auto now = ask_fleet(parts_.database, over, [&](PgConnection& connection) {
    return tries ? forward::read_and_try_accounts(connection, known)
                 : forward::read_accounts(connection, known);
  });
  if (!now) return tl::unexpected(now.error());
  auto decoded = now->changed ? decode(now->rows) : Decoded();
  return Heard{std::move(*now), std::move(decoded)};
}

Result<FleetAccounts::Decoded> FleetAccounts::decode(const std::vector<FleetAccountRow>& rows) const {
  Decoded out;
  for (const FleetAccountRow& row : rows) {
    const auto text = parts_.keys->open(row.body, account_place(row.kind, row.name));
    const auto read = text ? read_account(row, *text, out.rows) : Result<void>(tl::unexpected(text.error()));
    if (read) {
      out.texts.emplace(Key(row.kind, row.name), *text);
    } else if (++out.damaged == 1) {
      out.why = fmt::format("{} {}: {}", row.kind, row.name.substr(0, 64), read.error().what);
    }
  }
  if (out.damaged > 0 && out.texts.empty())
    return fail(ErrorCode::kIo,
                fmt::format("fleet.key_file does not open the accounts of this fleet: {}", out.why));
  return out;
}

// Takes what the database has.
Result<void> FleetAccounts::accept(const FleetAccountRows& now, Result<Decoded> decoded) {
  if (!now.changed) return {};
  if (!decoded) return tl::unexpected(decoded.error());
  if (decoded->damaged != damaged_ && decoded->damaged > 0)
    parts_.log(
        fmt::format("console: {} accounts in the fleet's database are damaged or not of this fleet, and "
                    "count for nothing ({})",
                    decoded->damaged, decoded->why));
  damaged_ = decoded->damaged;
  version_ = now.version;
  stored_ = std::move(decoded->texts);
  store_.take(std::move(decoded->rows));
  return {};
}

void FleetAccounts::note_unwritten(const std::string& why, std::int64_t at_ms) {
  if (unwritten_.empty()) {
    parts_.log("console: the database of the accounts takes no changes: " + why);
    unwritten_ms_ = at_ms;
  }
  unwritten_ = why;
}

void FleetAccounts::heard(Result<Heard> answer, std::int64_t asked_ms) {
  // One that began before a change of ours may not know of it.
  if (answer && changes_then_ != changes_) return;
  const bool first = !good_ms_ && why_.empty();
  auto good =
      answer ? accept(answer->now, std::move(answer->decoded)) : Result<void>(tl::unexpected(answer.error()));
  if (!good) {
    if (why_.empty()) parts_.log("console: the accounts cannot be asked: " + good.error().what);
    why_ = std::move(good.error().what);
    return;
  }
  if (!why_.empty()) parts_.log("console: the accounts in the fleet's database can be asked again");
  bool news = first || !why_.empty() || answer->now.changed;
  why_.clear();
  good_ms_ = asked_ms;
  if (!answer->now.unwritable.empty()) {
    note_unwritten(answer->now.unwritable, asked_ms);
  } else if (answer->now.tried && !unwritten_.empty()) {
    parts_.log("console: the database of the accounts takes changes again");
    unwritten_.clear();
    news = true;
  }
  // The callback may write to the database, so not while that takes no changes.
  if (news && seen_ && unwritten_.empty()) seen_();
}

void FleetAccounts::look_now() {
  changes_then_ = changes_;
  const std::int64_t begin_ms = steady_ms();
  heard(ask(version_, false, {}), begin_ms);
}

void FleetAccounts::turn() {
  if (auto answer = looks_.take()) {
    heard(std::move(*answer), asked_ms_);
    for (const auto& then : std::exchange(waiting_, {})) then();
  }
  const std::int64_t now_ms = steady_ms();
  if (looks_.busy() || now_ms - asked_ms_ < (next_.empty() ? kLookMs : kLeastMs)) return;
  asked_ms_ = now_ms;
  changes_then_ = changes_;
  const bool tries = !unwritten_.empty() && now_ms - tried_ms_ >= kTryMs;
  if (!looks_.ask([this, known = version_, tries](const auto& over) { return ask(known, tries, over); }))
    return;
  if (tries) tried_ms_ = now_ms;
  waiting_ = std::exchange(next_, {});
}

void FleetAccounts::look(std::function<void()> then) {
  if (next_.size() >= kMaxWaiting) return then();
  next_.push_back(std::move(then));
  turn();
  turn();  // where it was answered at once
}

Result<std::vector<FleetAccountRow>> FleetAccounts::difference(
    const std::map<Key, std::string>& wanted) const {
  std::vector<FleetAccountRow> out;
  for (const auto& [key, text] : stored_)
    if (!wanted.contains(key)) out.push_back({key.first, key.second, {}});
  for (const auto& [key, text] : wanted) {
    const auto at = stored_.find(key);
    if (at != stored_.end() && at->second == text) continue;
    auto sealed = parts_.keys->seal(text, account_place(key.first, key.second), parts_.random);
    if (!sealed) return tl::unexpected(sealed.error());
    out.push_back({key.first, key.second, std::move(*sealed)});
  }
  return out;
}

// Asked again for as long as a change may take, while the change, or another one, still holds the row. A
// database that cannot be asked is not waited for.
FleetAccounts::Outcome FleetAccounts::find_out(const std::string& change_id,
                                               const forward::FleetAccountsVersion& before) {
  const std::int64_t begin_ms = steady_ms();
  const auto late = [&] { return steady_ms() - begin_ms > kChangeMs; };
  bool held = false;
  const auto look = [&](PgConnection& connection) {
    auto version = forward::settled_accounts_version(connection);
    held = !version && version.error().state == kHeldByOthers;
    return version;
  };
  auto now = ask_fleet(parts_.database, late, look);
  while (!now && std::exchange(held, false) && !late()) now = ask_fleet(parts_.database, late, look);
  if (!now) return Outcome::kUnknown;
  if (now->change_id == change_id) return Outcome::kMade;
  // Somebody else may have made the next one behind ours.
  return *now == before ? Outcome::kNotMade : Outcome::kUnknown;
}

Result<void> FleetAccounts::change(CredentialRows& rows, const std::function<Result<void>()>& turn) {
  if (!why().empty()) {
    std::string said = store_.why_away();
    return fail(ErrorCode::kIo, said.empty() ? why() : std::move(said));
  }
  ++changes_;
  Result<void> refused;
  std::optional<CredentialRows> before;
  forward::FleetAccountsVersion version_before;
  std::map<Key, std::string> wanted;
  std::vector<std::string> named;  // accounts that are changed
  const std::string change_id = make_id(parts_.random, 16);
  const std::int64_t begin_ms = steady_ms();
  std::string state;
  const auto late = [&] { return steady_ms() - begin_ms > kChangeMs; };
  auto version = ask_fleet(parts_.database, late, [&](PgConnection& connection) {
    auto done = forward::change_accounts(
        connection, version_, change_id,
        [&](const FleetAccountRows& now) -> std::optional<std::vector<FleetAccountRow>> {
          if (before) rows = *before;  // the connection was lost, and it begins anew
          refused = accept(now, now.changed ? decode(now.rows) : Decoded());
          before = rows;
          version_before = now.version;
          if (refused) refused = turn();
          if (!refused) return std::nullopt;
          wanted = texts_of(rows);
          auto changed = difference(wanted);
          if (changed) {
            named = names_of(*changed);
            return std::move(*changed);
          }
          refused = tl::unexpected(changed.error());
          rows = *before;
          return std::nullopt;
        });
    state = done ? "" : done.error().state;
    return done;
  });
  if (state == forward::kPgNotHeard) {
    const Outcome outcome = find_out(change_id, version_before);
    if (outcome == Outcome::kMade)
      version = forward::FleetAccountsVersion{version_before.number + 1, change_id};
    if (outcome == Outcome::kNotMade)
      version = fail(ErrorCode::kResource,
                     "the connection to the database broke, and the change was not made: try again");
    if (outcome == Outcome::kUnknown && unknown_) unknown_(named);
  }
  if (!version || !refused) {
    if (!version && before) rows = std::move(*before);
    if (forward::refuses_changes(state) || state == forward::kPgGivenUp)
      note_unwritten(version.error().what, begin_ms);
    else if (!version && version.error().code == ErrorCode::kIo)
      why_ = version.error().what;
    return version ? refused : Result<void>(tl::unexpected(version.error()));
  }
  good_ms_ = begin_ms;
  stored_ = std::move(wanted);
  version_ = *version;
  return {};
}

}  // namespace wafd::console
