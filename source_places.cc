#include "source_places.h"

#include <utility>

#include <spdlog/spdlog.h>

#include "file_stamp.h"

namespace wafd {

std::string SourcePlaces::path() const {
  const std::lock_guard lock(mutex_);
  return path_;
}

Result<void> SourcePlaces::open(const std::string& path) {
  {
    const std::lock_guard lock(mutex_);
    path_ = path;
    stamp_ = stamp_of(path);
  }
  if (path.empty()) {
    database_.set(nullptr);
    return {};
  }
  auto database = ingest::GeoIp::open(path);
  if (!database) return fail(database.error().code, key_ + ": " + database.error().what);
  database_.set(std::move(*database));
  return {};
}

void SourcePlaces::use(const std::string& path) {
  const std::lock_guard one_at_a_time(opening_);
  const auto done = open(path);
  const auto now = database_.get();
  const std::string error = done ? "" : done.error().what + (now ? "; the database before stays in use" : "");
  if (!done)
    spdlog::error("{}", error);
  else if (now)
    spdlog::info("{}: {}, {}", key_, now->type(), path);
  const std::lock_guard lock(mutex_);
  error_ = error;
}

void SourcePlaces::reopen() { use(path()); }

void SourcePlaces::watch() {
  const std::string watched = path();
  if (watched.empty()) return;
  const std::string now = stamp_of(watched);
  {
    const std::lock_guard lock(mutex_);
    if (now == stamp_) return;
  }
  use(watched);
}

detect::SourcePlace SourcePlaces::find(std::string_view ip) const {
  const auto database = database_.get();
  return database ? database->find(ip) : detect::SourcePlace{};
}

ingest::SourceNetwork SourcePlaces::find_network(std::string_view ip) const {
  const auto database = database_.get();
  return database ? database->find_network(ip) : ingest::SourceNetwork{};
}

console::StatusReport::Places SourcePlaces::status() const {
  console::StatusReport::Places out;
  if (const auto now = database_.get()) {
    out.type = now->type();
    out.built_s = now->built_s();
  }
  const std::lock_guard lock(mutex_);
  out.database = path_;
  out.error = error_;
  return out;
}

}  // namespace wafd
