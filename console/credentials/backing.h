// Where the rows of a CredentialStore are kept.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "console/credentials/rows.h"
#include "detect/core/error.h"

namespace wafd::console {

// On the thread of the store.
class CredentialBacking {
 public:
  // kReading: what is known is too old for anything but reading. kGone: too old for that.
  enum class Reach : std::uint8_t { kAnswers, kReading, kGone };

  virtual ~CredentialBacking() = default;
  // Brings `rows` to what is kept now, runs `turn`, and keeps what it leaves behind; nobody else changes
  // anything meanwhile. An error: nothing has changed. `turn` may run twice.
  virtual Result<void> change(CredentialRows& rows, const std::function<Result<void>()>& turn) = 0;

  virtual Reach reach() const { return Reach::kAnswers; }
  bool answers() const { return reach() == Reach::kAnswers; }
  virtual std::string why() const { return {}; }          // it cannot be asked; empty: it can
  virtual bool refuses_changes() const { return false; }  // it can be asked, and takes no changes
  virtual bool pristine() const { return true; }          // no row was ever kept, or nobody knows
};

}  // namespace wafd::console
