// Whether a file has changed since it was read.
#pragma once

#include <string>

#include <fmt/format.h>
#include <sys/stat.h>

namespace wafd {

// Tells one state of a file from another.
inline std::string stamp_of(const std::string& path) {
  struct stat now {};
  if (::stat(path.c_str(), &now) != 0) return "-";
  return fmt::format("{}:{}:{}:{}.{:09}", now.st_dev, now.st_ino, now.st_size, now.st_mtim.tv_sec,
                     now.st_mtim.tv_nsec);
}

}  // namespace wafd
