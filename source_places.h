// Where sources of requests are, or who announces their networks: one database of such facts that is in use,
// opened anew when its file or the setting changes.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "console/base/status.h"
#include "detect/core/error.h"
#include "ingest/io/geoip.h"
#include "shared_value.h"

namespace wafd {

// Any thread.
class SourcePlaces {
 public:
  // `key`: of the configuration, for messages.
  explicit SourcePlaces(std::string key) : key_(std::move(key)) {}

  // Empty: none is used. After an error the database before stays in use.
  Result<void> open(const std::string& path);
  // The same for a program that runs: logs what came of it, and keeps the error for status().
  void use(const std::string& path);
  void reopen();  // whatever the file is now
  void watch();   // if the file is another one than last time

  detect::SourcePlace find(std::string_view ip) const;
  ingest::SourceNetwork find_network(std::string_view ip) const;
  console::StatusReport::Places status() const;

 private:
  std::string path() const;

  const std::string key_;
  SharedValue<ingest::GeoIp> database_;
  std::mutex opening_;        // held while a database is opened and put in use
  mutable std::mutex mutex_;  // of what follows
  std::string path_;
  std::string stamp_;  // of the file as last opened
  std::string error_;
};

}  // namespace wafd
