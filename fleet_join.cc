#include "fleet_join.h"

#include <algorithm>
#include <memory>
#include <optional>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "config.h"
#include "console/base/sealing.h"
#include "console/io/fleet/fleet_answers.h"
#include "console/io/fleet/fleet_settings.h"
#include "console/settings/changes.h"
#include "detect/core/plain_text.h"
#include "files/given_text.h"
#include "files/small_file.h"
#include "forward/io/fleet_address.h"
#include "forward/io/fleet_database.h"
#include "ingest/io/kit/system.h"
#include "json/placed_json.h"

namespace wafd {
namespace {

constexpr std::size_t kMaxConfigBytes = 1u << 20;
constexpr std::size_t kMaxShownChanges = 20;

struct JoinOptions {
  std::string url, password, ca, key_file;
  std::string config = kDefaultConfigFile;
  std::string state_dir;
  bool take = false;
};

struct Rights {
  bool read = false;
  bool change = false;
};

forward::PgResult<Rights> ask_for_rights(forward::PgConnection& connection) {
  const auto answer = connection.run(
      "SELECT has_table_privilege('wafd_settings', 'SELECT'), has_table_privilege('wafd_settings', "
      "'INSERT')");
  if (!answer) return tl::unexpected(answer.error());
  const auto yes = [&](int column) { return PQgetvalue(answer->get(), 0, column)[0] == 't'; };
  return Rights{yes(0), yes(1)};
}

// The settings that this node has of its own; nothing: it never had any.
Result<std::optional<console::Settings>> own_settings(const std::string& state_dir) {
  const auto text = read_file(state_dir + "/settings.json", console::kMaxSettingsBytes);
  std::optional<console::Settings> out;
  if (!text && text.error().code == ErrorCode::kMissing) return out;
  if (!text) return tl::unexpected(text.error());
  std::vector<std::string> notes;
  auto settings = console::parse_stored_settings(*text, notes);
  if (!settings)
    return fail(settings.error().code, fmt::format("{}/settings.json: {}", state_dir, settings.error().what));
  out = std::move(*settings);
  return out;
}

// A line for each member of `own` that differs in the settings of the fleet or is missing there; empty: none.
std::string what_is_lost(const console::Settings& own, const console::Settings& shared) {
  std::string out;
  std::size_t count = 0;
  for (const auto& value : console::settings_changes(own, shared)) {
    const auto& change = value.as_object();
    const std::string_view kind = change.at("change").as_string();
    if (kind == "added" || ++count > kMaxShownChanges) continue;
    const auto text = [&](const char* member) {
      const auto* there = change.at(member).if_string();
      return there == nullptr ? std::string() : plain_text_of(std::string_view(*there));
    };
    out += fmt::format("  {} {} {}: {}\n", text("collection"), text("id"), text("name"),
                       kind == "removed" ? "the fleet does not have it" : "the fleet has it otherwise");
  }
  if (count > kMaxShownChanges) out += fmt::format("  and {} more\n", count - kMaxShownChanges);
  return out;
}

// One run of the command. Each step returns an error for people.
class Join {
 public:
  explicit Join(const JoinOptions& options) : options_(options) {}

  Result<void> run() {
    if (auto good = read_configuration(); !good) return good;
    auto target =
        forward::read_fleet_address({options_.url, options_.password, options_.ca}, "wafd fleet join");
    if (!target) return tl::unexpected(target.error());
    if (!target->postgresql.password.empty() && !names_file(target->postgresql.password))
      return fail(ErrorCode::kInvalid,
                  "wafd fleet join: the password belongs into a file: --password file:/PATH");
    database_.emplace(std::move(*target), clock_);
    fleet_.emplace(console::FleetSettingsParts{.database = *database_,
                                               .clock = clock_,
                                               .random = random_,
                                               .node = node_,
                                               .key_file = options_.key_file});
    if (auto good = check_database(); !good) return good;
    if (auto good = bring_settings(); !good) return good;
    return write_configuration();
  }

 private:
  Result<void> read_configuration() {
    const auto text = read_file(options_.config, kMaxConfigBytes);
    if (!text && text.error().code != ErrorCode::kMissing) return tl::unexpected(text.error());
    text_ = text ? *text : "{\n}\n";
    Config config = default_config();
    if (auto read = read_config(text_, options_.config, config); !read) return read;
    state_dir_ = options_.state_dir.empty() ? config.state_dir : options_.state_dir;
    node_ = node_name(config);
    return {};
  }

  Result<void> check_database() {
    const auto rights = console::ask_fleet(*database_, {}, ask_for_rights);
    if (!rights) return tl::unexpected(rights.error());
    rights_ = *rights;
    if (!rights_.read)
      return fail(
          ErrorCode::kDenied,
          fmt::format("{}: the user may not read the settings: let the owner of the tables run what `wafd "
                      "fleet roles` prints",
                      database_->place()));
    news_ = fleet_->look_once();
    if (!news_.why.empty()) return fail(ErrorCode::kIo, news_.why);
    if (news_.settings && !*news_.settings)
      return fail((*news_.settings).error().code, fmt::format("version {} of the fleet's settings: {}",
                                                              news_.newest, (*news_.settings).error().what));
    fmt::print("{}: the tables are there; the user may {} the settings\n", database_->place(),
               rights_.change ? "read and change" : "read, not change,");
    return {};
  }

  Result<void> bring_settings() {
    auto own = own_settings(state_dir_);
    if (!own) return tl::unexpected(own.error());
    if (news_.newest != 0) return compare(*own);
    if (!rights_.change)
      return fail(
          ErrorCode::kDenied,
          "The fleet has no settings yet, and this user may not make the first version: join with a node "
          "whose user is that of a console first.");
    console::Settings first = *own ? std::move(**own) : console::Settings();
    console::add_default_site(first.policy);
    first.version = 1, first.author = "command", first.saved_ms = clock_.unix_us() / 1000;
    if (auto stored = fleet_->store(first, "fleet.join", {}); !stored) return tl::unexpected(stored.error());
    fmt::print("The fleet had no settings: those of this node are version 1.\n");
    return {};
  }

  Result<void> compare(const std::optional<console::Settings>& own) const {
    const console::Settings& shared = **news_.settings;
    fmt::print("The fleet has version {} of the settings, by {}.\n", shared.version,
               plain_text_of(shared.author));
    const std::string lost = own ? what_is_lost(*own, shared) : std::string();
    if (lost.empty()) return {};
    fmt::print("Of this node's own settings these will not be in force any more:\n{}", lost);
    if (options_.take) return {};
    return fail(
        ErrorCode::kConflict,
        fmt::format("Nothing was changed. With --take this node goes over to the fleet's; its own stay in "
                    "{}/settings.json.",
                    state_dir_));
  }

  Result<void> write_configuration() const {
    ConfigMembers members{{"settings.source", "fleet"}, {"fleet.database", options_.url}};
    if (!options_.password.empty())
      members.emplace_back("fleet.password_file", options_.password.substr(kFilePrefix.size()));
    if (!options_.ca.empty()) members.emplace_back("fleet.ca", options_.ca);
    if (!options_.key_file.empty()) members.emplace_back("fleet.key_file", options_.key_file);
    const auto changed = with_members(text_, members);
    auto written = changed ? write_config(*changed) : Result<void>(tl::unexpected(changed.error()));
    if (written) {
      fmt::print("{} is written. Restart wafd: then it is one of the fleet.\n", options_.config);
      return {};
    }
    fmt::print("{}: {}.\nWrite there, then restart wafd:\n{}", options_.config, written.error().what,
               members_text(members));
    return {};
  }

  // With the owner, the group and the mode that the file has: the service, not root, reads it.
  Result<void> write_config(const std::string& text) const {
    Config config = default_config();
    if (auto read = read_config(text, options_.config, config); !read) return read;
    return replace_file(options_.config, text, 0644);
  }

  const JoinOptions& options_;
  kit::SystemClock clock_;
  kit::SystemRandom random_;
  std::string text_, state_dir_, node_;
  Rights rights_;
  console::FleetSettingsNews news_;
  std::optional<forward::FleetDatabase> database_;
  std::optional<console::FleetSettings> fleet_;
};

// Of the dotted key: its group and its name there.
std::pair<std::string, std::string> split_key(const std::string& key) {
  const std::size_t dot = key.find('.');
  return {key.substr(0, dot), key.substr(dot + 1)};
}

}  // namespace

std::string members_text(const ConfigMembers& members) {
  std::string out;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto [group, name] = split_key(members[i].first);
    const bool first = i == 0 || split_key(members[i - 1].first).first != group;
    const bool last = i + 1 == members.size() || split_key(members[i + 1].first).first != group;
    if (first) out += fmt::format("  \"{}\": {{\n", group);
    out += fmt::format("    \"{}\": {}{}\n", name,
                       boost::json::serialize(boost::json::value(members[i].second)), last ? "" : ",");
    if (last) out += fmt::format("  }}{}\n", i + 1 == members.size() ? "" : ",");
  }
  return out;
}

Result<std::string> with_members(std::string_view text, const ConfigMembers& members) {
  const auto root = parse_placed_json(text);
  if (!root || root->kind != PlacedKind::kObject) return fail(ErrorCode::kInvalid, "it is no JSON object");
  for (const auto& [key, value] : members)
    if (root->member(split_key(key).first) != nullptr)
      return fail(ErrorCode::kConflict,
                  fmt::format("it has \"{}\" already, and stays as it is", split_key(key).first));
  std::string added = "\n" + members_text(members);
  if (!root->items.empty()) added.insert(added.size() - 1, ",");
  std::string out(text);
  out.insert(root->offset + 1, added.substr(0, added.size() - 1));
  return out;
}

void add_fleet_join(CLI::App& app, int& exit_status) {
  CLI::App* fleet = app.get_subcommand("fleet");
  fleet->add_subcommand("key", "Print a new key for the secrets in the settings of a fleet (fleet.key_file)")
      ->callback([] {
        kit::SystemRandom random;
        fmt::print("{}\n", console::SealingKeys::make(random));
      });
  const auto options = std::make_shared<JoinOptions>();
  CLI::App* join = fleet->add_subcommand(
      "join",
      "Make this node one of a fleet: check database, rights and key, bring or compare the settings, write "
      "the configuration");
  join->add_option("URL", options->url, "postgresql://USER@HOST:PORT/DATABASE, as for `wafd fleet init`")
      ->required();
  join->add_option("--password", options->password, "Of the user: file:/PATH")->type_name("TEXT");
  join->add_option("--ca", options->ca, "PEM of who signed the server's certificate; default: the system's")
      ->type_name("FILE");
  join->add_option("--key-file", options->key_file, "File with the key of the fleet's secrets")
      ->type_name("FILE");
  join->add_option("--config", options->config, "Configuration file")
      ->type_name("FILE")
      ->capture_default_str();
  join->add_option("--state-dir", options->state_dir,
                   "Folder of this node's settings; default: as configured")
      ->type_name("DIR");
  join->add_flag("--take", options->take, "Take the settings of the fleet though this node has others");
  join->callback([options, &exit_status] {
    const auto done = Join(*options).run();
    if (!done) fmt::print(stderr, "wafd: {}\n", done.error().what);
    exit_status = done ? 0 : done.error().code == ErrorCode::kInvalid ? 2 : 1;
  });
}

}  // namespace wafd
