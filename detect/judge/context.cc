#include "detect/judge/context.h"

#include <algorithm>
#include <array>

#include "detect/core/octets.h"
#include "detect/core/secret_names.h"

namespace wafd::detect {
namespace {

// What forms and interfaces call the text that somebody looks for.
constexpr std::array<std::string_view, 14> kSearchNames{"q",     "query",   "search",   "s",      "term",
                                                        "terms", "keyword", "keywords", "filter", "needle",
                                                        "find",  "text",    "wd",       "k"};

Where place_of(const FieldContext& context, std::size_t whole_bytes) {
  Where place = Where::kAnywhere;
  switch (context.location) {
    case Location::kUrlPath:
      place = Where::kPath;
      break;
    case Location::kQuery:
      place = Where::kQuery;
      break;
    case Location::kHeader:
      place = Where::kHeader;
      break;
    case Location::kCookie:
      place = Where::kCookie;
      break;
    case Location::kBody:
      place = context.name.empty() ? Where::kBody : Where::kField;
      break;
    case Location::kFile:
      place = Where::kFile;
      break;
  }
  if (context.in_name) place = place | Where::kName;
  if (context.media) place = place | Where::kMedia;
  if (whole_bytes > kLongBytes) place = place | Where::kLong;
  if (!context.in_name && context.location != Location::kUrlPath && is_secret_name(context.name))
    place = place | Where::kSecret;
  return place;
}

bool is_search(const FieldContext& context) noexcept {
  if (context.in_name || (context.location != Location::kQuery && context.location != Location::kBody))
    return false;
  const std::string_view name = innermost_name(context.name);
  return std::any_of(kSearchNames.begin(), kSearchNames.end(),
                     [name](std::string_view one) { return iequals(one, name); });
}

}  // namespace

ContextReader::ContextReader(std::string_view text, const FieldContext& context)
    : text_(text),
      whole_(context.whole.empty() ? text : context.whole),
      context_(context),
      place_(place_of(context, whole_.size())),
      may_be_document_(
          place_ == (Where::kField | (meets(place_, Where::kLong) ? Where::kLong : Where::kAnywhere)) &&
          whole_.size() >= kMinDocumentBytes) {
  if (is_search(context_)) place_ = place_ | Where::kSearch;
}

Where ContextReader::where(std::size_t begin, std::size_t end) {
  if (!may_be_document_) return place_;
  if (!document_) document_.emplace(whole_);
  if (!document_->is_document()) return place_;
  const auto from = static_cast<std::size_t>(text_.data() - whole_.data());
  return place_ | (document_->quotes(from + begin, from + end) ? Where::kQuoted : Where::kDocument);
}

}  // namespace wafd::detect
