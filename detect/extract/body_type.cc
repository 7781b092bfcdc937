#include "detect/extract/body_type.h"

#include "detect/core/bytes.h"
#include "detect/core/word_set.h"

namespace wafd::detect {

BodyType declared_type(std::string_view value) noexcept {
  const std::string_view media = value.substr(0, value.find(';'));
  if (trim(value).empty()) return BodyType::kNone;
  if (ifind(media, "form-urlencoded") != std::string_view::npos) return BodyType::kForm;
  if (ifind(media, "multipart/") != std::string_view::npos) return BodyType::kMultipart;
  if (ifind(media, "json") != std::string_view::npos) return BodyType::kJson;
  if (ifind(media, "xml") != std::string_view::npos) return BodyType::kXml;
  if (istarts_with(trim(media), "message/")) return BodyType::kMail;
  return BodyType::kOther;
}

bool is_plain_text_type(std::string_view value) noexcept {
  return iequals(trim(value.substr(0, value.find(';'))), "text/plain");
}

bool is_prose(std::string_view value) noexcept {
  static constexpr WordSet kTypes({"text/asciidoc", "text/markdown", "text/prs.fallenstein.rst",
                                   "text/x-asciidoc", "text/x-markdown", "text/x-rst",
                                   "text/x-web-markdown"});
  return kTypes.has(trim(value.substr(0, value.find(';'))));
}

}  // namespace wafd::detect
