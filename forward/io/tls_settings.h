// A target's TLS settings as a context: PEM texts taken as they are or read from file:/PATH.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "detect/core/error.h"
#include "forward/target/target_settings.h"
#include "ingest/io/kit/tls.h"

namespace wafd::forward {

// Files up to 1 MiB, read now. Errors name the member.
Result<std::shared_ptr<const kit::TlsContext>> tls_context(const TlsSettings& settings);

// The name that the receiver's certificate must have: `server_name`, or the host that was dialled.
std::string tls_name(const TlsSettings& settings, const HostPort& to);

// A target's TLS context, made anew when one of its `file:/PATH` members changes. One thread.
class TlsSource {
 public:
  explicit TlsSource(TlsSettings settings) : settings_(std::move(settings)) {}

  // Looks at the files. True: they changed and hold something good, so current() is another one now. Files
  // that became wrong change nothing but error().
  bool refresh();
  // The newest good one; an error only if there never was any.
  Result<std::shared_ptr<const kit::TlsContext>> current();
  // Why what the files hold now is not in use; empty: it is.
  const std::string& error() const noexcept { return error_; }

 private:
  std::string stamp() const;

  TlsSettings settings_;
  std::string stamp_;  // of the files when they were read last
  std::shared_ptr<const kit::TlsContext> context_;
  std::string error_;
};

}  // namespace wafd::forward
