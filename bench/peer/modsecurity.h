// libmodsecurity 3 with the OWASP Core Rule Set, as Debian packages both (libmodsecurity-dev,
// modsecurity-crs): the peer that benches judge the same requests with.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "detect/core/error.h"

namespace wafd::bench {

// One thread. Built without the library, load() says so and nothing else can be had.
class ModSecurity {
 public:
  struct Options {
    std::string rules_folder = "/usr/share/modsecurity-crs/rules";
    std::string setup_file = "/etc/modsecurity/crs/crs-setup.conf";
    int paranoia_level = 1;  // 1..4
  };
  struct Judged {
    bool denied = false;
    double cpu_us = 0;  // of this thread, from the head's parts to the verdict
  };

  static Result<std::unique_ptr<ModSecurity>> load(const Options& options);
  virtual ~ModSecurity() = default;

  // `head` as wafd gets it: request line and header lines. It is cut into its parts outside of the time,
  // because a web server has done that before it asks.
  virtual Judged judge(std::string_view head, std::string_view body) = 0;

  virtual std::string_view version()
      const noexcept = 0;  // "libmodsecurity 3.0.9, CRS 3.3.4, paranoia level 1"
  virtual std::size_t rule_count() const noexcept = 0;
};

}  // namespace wafd::bench
