#include "detect/analyze/xss/html_reader.h"

#include <algorithm>

#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kMaxPrefix = 32;  // of a namespace

// NUL is skipped by old readers, so it separates nothing but is no part of a name either.
bool html_space(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r' || c == '\v';
}

bool ends_name(char c) noexcept { return html_space(c) || c == '/' || c == '>'; }

bool prefix_octet(char c) noexcept { return is_alnum(c) || c == '_' || c == '.' || c == '-'; }

std::string_view strip(std::string_view name) noexcept {
  const auto noise = [](char c) { return octet(c) <= ' ' || c == '"' || c == '\'' || c == '`' || c == '\\'; };
  while (!name.empty() && noise(name.front())) name.remove_prefix(1);
  while (!name.empty() && noise(name.back())) name.remove_suffix(1);
  return name;
}

}  // namespace

void HtmlTag::clear_attributes() noexcept {
  count_ = 0;
  finished = false;
  valued = false;
}

void HtmlTag::add(const HtmlAttribute& attribute) noexcept {
  valued = valued || attribute.has_value;
  if (count_ < kMaxAttributes) attributes_[count_++] = attribute;
}

const HtmlAttribute* HtmlTag::find(std::string_view name_lower) const noexcept {
  for (const HtmlAttribute& attribute : attributes()) {
    if (iequals(attribute.name, name_lower)) return &attribute;
  }
  return nullptr;
}

void read_html_attributes(std::string_view text, std::size_t at, HtmlTag& tag) {
  tag.clear_attributes();
  while (at < text.size()) {
    while (at < text.size() && (html_space(text[at]) || text[at] == '/')) ++at;
    if (at >= text.size()) break;
    if (text[at] == '>') {
      tag.finished = true;
      tag.end = at + 1;
      return;
    }
    HtmlAttribute attribute;
    const std::size_t name_begin = at;
    ++at;  // a leading '=' belongs to the name
    while (at < text.size() && !ends_name(text[at]) && text[at] != '=') ++at;
    attribute.name = strip(text.substr(name_begin, at - name_begin));
    std::size_t after = at;
    while (after < text.size() && html_space(text[after])) ++after;
    if (after < text.size() && text[after] == '=') {
      attribute.has_value = true;
      at = after + 1;
      while (at < text.size() && (html_space(text[at]) || text[at] == '\0')) ++at;
      if (at < text.size() && (text[at] == '"' || text[at] == '\'' || text[at] == '`')) {
        attribute.quote = text[at];
        const std::size_t close = text.find(attribute.quote, at + 1);
        // The backtick was a quote for old readers only: without its fellow it is an ordinary octet.
        if (close == std::string_view::npos && attribute.quote == '`') {
          attribute.quote = 0;
        } else {
          const std::size_t stop = close == std::string_view::npos ? text.size() : close;
          attribute.value = text.substr(at + 1, stop - at - 1);
          attribute.open = close == std::string_view::npos;
          at = close == std::string_view::npos ? text.size() : close + 1;
        }
      }
      if (attribute.quote == 0) {
        const std::size_t value_begin = at;
        while (at < text.size() && !html_space(text[at]) && text[at] != '>') ++at;
        attribute.value = text.substr(value_begin, at - value_begin);
      }
    }
    tag.add(attribute);
  }
  tag.end = text.size();
}

bool HtmlReader::next(HtmlTag& tag) {
  while (at_ < text_.size()) {
    const std::size_t open = text_.find('<', at_);
    if (open == std::string_view::npos) break;
    std::size_t at = open + 1;
    while (at < text_.size() && text_[at] == '\0') ++at;
    tag.closing = at < text_.size() && text_[at] == '/';
    if (tag.closing) ++at;
    if (at >= text_.size() || !is_alpha(text_[at])) {
      at_ = open + 1;
      continue;
    }
    const std::size_t name_begin = at;
    while (at < text_.size() && !ends_name(text_[at]) && text_[at] != '<') ++at;
    std::string_view name = strip(text_.substr(name_begin, at - name_begin));
    const std::size_t colon = name.find(':');
    tag.prefixed = colon != std::string_view::npos && colon <= kMaxPrefix && colon + 1 < name.size() &&
                   std::all_of(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(colon), prefix_octet);
    if (tag.prefixed) name.remove_prefix(colon + 1);
    tag.name = name;
    tag.begin = open;
    tag.cut = at < text_.size() && text_[at] == '<';
    read_html_attributes(text_, at, tag);
    at_ = tag.end;
    const std::size_t inner = text_.find('<', open + 1);
    if (inner != std::string_view::npos && inner < tag.end) {
      const std::size_t again = tag.end - inner;
      if (again <= budget_) {
        budget_ -= again;
        at_ = inner;
      }
    }
    return true;
  }
  at_ = text_.size();
  return false;
}

}  // namespace wafd::detect
