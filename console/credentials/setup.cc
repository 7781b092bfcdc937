#include "console/credentials/setup.h"

#include <cstdio>

#include "console/base/secrets.h"
#include "files/small_file.h"

namespace wafd::console {

Setup Setup::begin(const std::string& state_dir, bool needed, Random& random, std::int64_t now_ms) {
  Setup setup;
  setup.path_ = state_dir + "/setup-token";
  if (!needed) {
    setup.finish();
    return setup;
  }
  setup.token_ = make_id(random, 16);
  setup.closes_ms_ = now_ms + kSetupWindowMs;
  if (auto written = write_file(setup.path_, setup.token_ + "\n"); !written) {
    std::remove(setup.path_.c_str());  // the token of a start before is worth nothing
    setup.notice_ = written.error().what;
  }
  return setup;
}

bool Setup::matches(std::string_view token) const noexcept {
  return !token_.empty() && equal_secret(token, token_);
}

void Setup::finish() {
  token_.clear();
  std::remove(path_.c_str());
}

}  // namespace wafd::console
