// For decoders that change few bytes: what stays as it is is copied in whole runs, and not at all if nothing
// changes.
#pragma once

#include <string>
#include <string_view>

namespace wafd::detect {

class LazyCopy {
 public:
  LazyCopy(std::string_view in, std::string& out) : in_(in), out_(&out) { out.clear(); }

  // The bytes before `at` stay as they are; what is written now stands for those from `at` to `next`.
  std::string& replace(std::size_t at, std::size_t next) {
    if (!changed_) out_->reserve(in_.size());
    changed_ = true;
    out_->append(in_.substr(kept_, at - kept_));
    kept_ = next;
    return *out_;
  }
  bool changed() const noexcept { return changed_; }

  // The byte that the result has before what stands at `at`; 0 at its begin.
  char before(std::size_t at) const noexcept {
    if (at > kept_) return in_[at - 1];
    return out_->empty() ? '\0' : out_->back();
  }

  // Copies the rest. False, and nothing is copied, if nothing was replaced.
  bool finish() {
    if (changed_) out_->append(in_.substr(kept_));
    return changed_;
  }

 private:
  std::string_view in_;
  std::string* out_;
  std::size_t kept_ = 0;
  bool changed_ = false;
};

}  // namespace wafd::detect
