// The hand of Masker: goes through one raw text, keeps or masks its parts in order. Internal to masking.
#pragma once

#include <string_view>

#include "detect/redact/masking.h"

namespace wafd::detect {

// Every view given must be a part of the raw text, behind those given before.
class MaskWriter {
 public:
  MaskWriter(const Masker& masker, const MaskSettings& settings, std::string_view raw, MaskedText& out);

  std::string_view readable() const noexcept { return raw_.substr(0, MaskedText::kMaskedBytes); }
  void fill_rest();  // what lies behind readable()

  void keep(std::string_view piece);
  void mask(std::string_view piece);                        // `***`; nothing where there is nothing
  void put(std::string_view piece, std::string_view with);  // not a secret, only written otherwise
  void values(std::string_view piece);  // kept, but for secrets that its text gives a name, and card numbers

  void pairs(std::string_view text, std::string_view separators, bool cookies);  // a=b SEPARATOR c=d
  void url(std::string_view text);   // userinfo, then pairs behind the first '?'
  void json(std::string_view text);  // well-formed or not
  void xml(std::string_view text);   // well-formed or not
  void multipart(std::string_view text, std::string_view boundary);

 private:
  void mask_as(std::string_view piece, std::string_view with);
  void note_secret(std::string_view piece);
  void assignments(std::string_view text);
  void cards(std::string_view text);
  std::size_t offset_of(std::string_view piece) const noexcept {
    return static_cast<std::size_t>(piece.data() - raw_.data());
  }

  const Masker& masker_;
  const MaskSettings& settings_;
  std::string_view raw_;
  MaskedText& out_;
};

}  // namespace wafd::detect
