// Masking: what must never be stored becomes `***` before an event is made. Members, types and the finding's
// own evidence stay.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "detect/policy/policy.h"

namespace wafd::detect {

inline constexpr std::string_view kMask = "***";

// A part of the request as it may be stored, and how its bytes lie to the raw ones. Only the first
// kMaskedBytes are read (far more than a record keeps); the rest is filled with `*`, one for one, so that
// lengths stay honest.
class MaskedText {
 public:
  static constexpr std::size_t kMaskedBytes = 64 * 1024;

  std::string text;

  // Position in `text` of the raw byte `at`; inside of a mask its begin.
  std::size_t position_of(std::size_t at) const noexcept;
  // Whether raw bytes [begin, end) are touched by a mask.
  bool hides(std::size_t begin, std::size_t end) const noexcept;
  bool masked() const noexcept { return masked_; }
  // Takes what was masked out of a text that came from the same request by another way (an excerpt, perhaps
  // decoded, that may begin or end in the middle of it).
  void scrub(std::string& other) const;

 private:
  friend class Masker;
  friend class MaskWriter;
  struct Edit {
    std::size_t raw_begin = 0;
    std::size_t raw_end = 0;
    std::size_t out_begin = 0;
    std::size_t out_end = 0;
    bool mask = false;
  };
  // Of the first kMaxSecrets masks what stood there, and its decoded form where that is another one.
  static constexpr std::size_t kMaxSecrets = 32;
  static constexpr std::size_t kMinSecretBytes = 4;  // shorter ones stand anywhere by chance

  std::vector<Edit> edits_;
  std::vector<std::string> secrets_;
  bool masked_ = false;
};

// Made per event from the site's settings, which must outlive it. Any bytes are fine; linear time.
//
// Masked by default: values of Authorization and Proxy-Authorization; values of password-like names
// (password, passwd, pwd, passphrase, secret, api key, access/refresh/id token, ..., also inside of longer
// names and brackets) in query, form, JSON, XML, multipart and cookies, and wherever text gives a value such
// a name (name=value, name: "value"; JSON, GraphQL or URLs inside of other values); passwords inside of URLs.
// By settings: further headers, cookies, parameters, card numbers (13 to 19 digits that satisfy Luhn).
class Masker {
 public:
  explicit Masker(const MaskSettings& settings) noexcept : settings_(settings) {}

  // Request line and header lines, each ended by CRLF, with an empty line at the end.
  MaskedText head(std::string_view raw) const;
  MaskedText query(std::string_view raw) const;
  MaskedText cookie(std::string_view raw) const;
  MaskedText url(std::string_view raw) const;    // Referer and the like
  MaskedText plain(std::string_view raw) const;  // text of no known form
  // A compressed body is shown inflated (its first kMaskedBytes): its bytes would carry the secrets along.
  MaskedText body(std::string_view raw, std::string_view content_type,
                  std::string_view content_encoding = {}) const;

  bool secret_parameter(std::string_view name) const;  // `name` as received, perhaps percent-encoded
  bool secret_header(std::string_view name) const noexcept;
  bool secret_cookie(std::string_view name) const;

 private:
  MaskedText plain_body(std::string_view raw, std::string_view content_type) const;

  const MaskSettings& settings_;
};

}  // namespace wafd::detect
