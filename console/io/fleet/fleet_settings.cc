#include "console/io/fleet/fleet_settings.h"

#include <chrono>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "console/base/secrets.h"
#include "console/io/fleet/fleet_answers.h"
#include "console/settings/sealed_settings.h"

namespace wafd::console {

using forward::FleetSettingsRow;
using forward::PgConnection;

namespace {

constexpr std::size_t kMaxAuthorBytes = 128;

std::string who_was_first(const FleetSettingsRow& row) {
  return fmt::format(
      "Version {} of the settings was made meanwhile, by {} on node {} at {:%Y-%m-%d %H:%M:%S} UTC: look at "
      "it, "
      "then make your change again.",
      row.version, row.author, row.node, fmt::gmtime(static_cast<std::time_t>(row.made_ms / 1000)));
}

}  // namespace

Result<SealingKeys> FleetSettings::keys() const {
  if (parts_.key_file.empty()) return SealingKeys();
  auto read = SealingKeys::read(parts_.key_file);
  if (read) return read;
  return fail(ErrorCode::kMissing, fmt::format("fleet.key_file: {}: {}", parts_.key_file, read.error().what));
}

// Every row comes from a table that others write.
Result<Settings> FleetSettings::opened(const FleetSettingsRow& row) const {
  if (row.size > forward::kMaxFleetSettingsBytes)
    return fail(ErrorCode::kTooLarge,
                fmt::format("it is larger than {} MiB", forward::kMaxFleetSettingsBytes >> 20));
  if (row.version > forward::kMaxFleetVersion || row.author.size() > kMaxAuthorBytes)
    return fail(ErrorCode::kInvalid,
                fmt::format("expected a version of at most {} and an author of at most {} bytes",
                            forward::kMaxFleetVersion, kMaxAuthorBytes));
  const auto held = keys();
  std::vector<std::string> notes;
  auto settings = open_settings({row.document, row.sealed}, held ? *held : SealingKeys(), notes);
  if (settings) {
    // A sealed document is not brought back under another number.
    if (settings->version != row.version)
      return fail(ErrorCode::kInvalid, fmt::format("its document is that of version {}", settings->version));
    settings->author = row.author;
    settings->change_id = row.change_id;
    return settings;
  }
  if (settings.error().code != ErrorCode::kMissing) return settings;
  if (!held) return tl::unexpected(held.error());
  return fail(ErrorCode::kMissing, fmt::format("{}; this node has {} (fleet.key_file)", settings.error().what,
                                               held->empty() ? "no key" : "the key " + held->ids().front()));
}

FleetSettingsNews FleetSettings::fetch(std::uint64_t newest) {
  FleetSettingsNews news;
  news.newest = newest;
  auto row = ask_fleet(parts_.database, {}, [&](PgConnection& connection) {
    return forward::find_fleet_settings(connection, newest);
  });
  if (!row) {
    news.why = row.error().what;
    return news;
  }
  if (!*row) return news;  // an even newer one is there
  news.settings = opened(**row);
  (*row)->document.clear(), (*row)->sealed.clear();
  news.about = std::move(**row);
  return news;
}

FleetSettingsNews FleetSettings::look_once() {
  const auto newest = ask_fleet(parts_.database, {}, forward::newest_fleet_settings);
  if (newest && newest->version != 0) return fetch(newest->version);
  FleetSettingsNews news;
  if (!newest) news.why = newest.error().what;
  return news;
}

void FleetSettings::uses(const Settings& settings) {
  const std::lock_guard lock(mutex_);
  used_ = {settings.version, settings.change_id};
}

forward::FleetSettingsId FleetSettings::used() {
  const std::lock_guard lock(mutex_);
  return used_;
}

bool FleetSettings::is_wanted(const forward::FleetSettingsId& newest) {
  const forward::FleetSettingsId used = this->used();
  const std::int64_t now_ms = parts_.clock.monotonic_us() / 1000;
  const bool older = newest.version < used.version;
  if (!older) older_since_ms_.reset();
  if (newest.version == 0 || newest == used) return false;
  if (older && !older_since_ms_) older_since_ms_ = now_ms;
  if (older && now_ms - *older_since_ms_ < kOlderMs) return false;
  return newest != fetched_ || now_ms - fetched_ms_ >= kTryAgainMs;
}

void FleetSettings::look() {
  const auto newest = ask_fleet(parts_.database, {}, forward::newest_fleet_settings);
  FleetSettingsNews news;
  if (!newest) {
    news.newest = told_newest_;
    news.why = newest.error().what;
  } else if (is_wanted(*newest)) {
    news = fetch(newest->version);
    if (news.settings) {
      fetched_ = *newest;
      fetched_ms_ = parts_.clock.monotonic_us() / 1000;
    }
  } else {
    news.newest = newest->version;
  }
  if (told_ && !news.settings && news.newest == told_newest_ && news.why == told_why_) return;
  told_ = true, told_newest_ = news.newest, told_why_ = news.why;
  const auto held = std::make_shared<FleetSettingsNews>(std::move(news));
  parts_.post([this, held] { (void)parts_.tell(std::move(*held)); });
}

void FleetSettings::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const std::deque<std::function<void()>> jobs = std::exchange(jobs_, {});
    lock.unlock();
    for (const auto& job : jobs) job();
    look();
    lock.lock();
    wake_.wait_for(lock, std::chrono::milliseconds(kLookMs), [this] { return stopping_ || !jobs_.empty(); });
  }
}

void FleetSettings::start() {
  thread_ = std::thread([this] { run(); });
}

void FleetSettings::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Result<std::string> FleetSettings::store(const Settings& next, const std::string& comment,
                                         const std::string& parent) {
  const auto held = keys();
  const auto sealed = seal_settings(next, held ? *held : SealingKeys(), parts_.random);
  if (!sealed) return fail(ErrorCode::kConflict, held ? sealed.error().what : held.error().what);
  FleetSettingsRow row;
  row.version = next.version;
  row.change_id = make_id(parts_.random, 16);
  row.parent_change = parent;
  row.author = next.author, row.node = parts_.node, row.comment = comment;
  row.document = sealed->document, row.sealed = sealed->secrets;
  const auto newest = ask_fleet(parts_.database, {}, [&](PgConnection& connection) {
    return forward::add_fleet_settings(connection, row);
  });
  if (!newest) return tl::unexpected(newest.error());
  if (newest->change_id != row.change_id) return fail(ErrorCode::kConflict, who_was_first(*newest));
  return row.change_id;
}

void FleetSettings::publish(Settings next, std::string comment,
                            std::function<void(Result<std::string>)> done) {
  const forward::FleetSettingsId base = used();
  const std::string parent = base.version + 1 == next.version ? base.change_id : std::string();
  const auto settings = std::make_shared<Settings>(std::move(next));
  auto job = [this, settings, parent, comment = std::move(comment), done = std::move(done)] {
    const auto stored = std::make_shared<Result<std::string>>(store(*settings, comment, parent));
    if (*stored) {
      settings->change_id = **stored;
      fetched_ = {settings->version, **stored};  // it is handed on below
      fetched_ms_ = parts_.clock.monotonic_us() / 1000;
    }
    parts_.post([this, settings, stored, done] {
      if (*stored) {
        FleetSettingsNews news;
        news.newest = settings->version;
        news.about = FleetSettingsRow{.version = settings->version,
                                      .change_id = settings->change_id,
                                      .parent_change = {},
                                      .author = settings->author,
                                      .node = parts_.node,
                                      .comment = {},
                                      .document = {},
                                      .sealed = {},
                                      .made_ms = settings->saved_ms,
                                      .size = 0};
        news.settings = std::move(*settings);
        *stored = parts_.tell(std::move(news));
      }
      done(std::move(*stored));
    });
  };
  {
    const std::lock_guard lock(mutex_);
    jobs_.emplace_back(std::move(job));
  }
  wake_.notify_all();
}

SharedVersion FleetSettings::shared_version(const FleetSettingsRow& row) const {
  return {row.version, row.made_ms, row.author, row.node, row.comment, opened(row)};
}

Result<std::vector<SharedVersion>> FleetSettings::versions() {
  auto rows = ask_fleet(parts_.database, {}, [](PgConnection& connection) {
    return forward::list_fleet_settings(connection, kKeptVersions);
  });
  if (!rows) return tl::unexpected(rows.error());
  std::vector<SharedVersion> out;
  out.reserve(rows->size());
  std::uint64_t left = forward::kMaxFleetSettingsBytes;  // of all that a list reads
  for (const FleetSettingsRow& row : *rows) {
    if (row.size > left) {
      out.push_back({row.version, row.made_ms, row.author, row.node, row.comment,
                     fail(ErrorCode::kTooLarge, "not read: the versions of the list are too large")});
      continue;
    }
    left -= row.size;
    auto one = version(row.version);
    if (one) {
      out.push_back(std::move(*one));
    } else if (one.error().code != ErrorCode::kMissing) {
      return tl::unexpected(one.error());
    }
  }
  return out;
}

Result<SharedVersion> FleetSettings::version(std::uint64_t version) {
  auto row = ask_fleet(parts_.database, {}, [&](PgConnection& connection) {
    return forward::find_fleet_settings(connection, version);
  });
  if (!row) return tl::unexpected(row.error());
  if (!*row) return fail(ErrorCode::kMissing, fmt::format("version {} of the settings is not kept", version));
  return shared_version(**row);
}

}  // namespace wafd::console
