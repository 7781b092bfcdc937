#include "detect/analyze/xss/html_tokenizer.h"

#include <algorithm>

#include "detect/analyze/xss/elements.tsv.h"
#include "detect/core/bytes.h"
#include "detect/core/work_counter.h"

namespace wafd::detect::xss {
namespace {

constexpr std::size_t kMaxPrefixBytes = 32;

bool is_blank(char c) noexcept { return is_space(c); }
bool ends_name(char c) noexcept { return is_blank(c) || c == '/' || c == '>'; }

// Without quotes, backslashes and control bytes at its ends, which a filter or another language left there.
std::string_view stripped(std::string_view name) noexcept {
  const auto noise = [](char c) { return byte(c) <= ' ' || c == '"' || c == '\'' || c == '`' || c == '\\'; };
  while (!name.empty() && noise(name.front())) name.remove_prefix(1);
  while (!name.empty() && noise(name.back())) name.remove_suffix(1);
  return name;
}

}  // namespace

// "<" and a letter, perhaps with NUL between, which readers drop; or an end tag.
bool HtmlTokenizer::begins_tag(std::size_t at) const noexcept {
  ++at;
  while (at < text_.size() && text_[at] == '\0') ++at;
  if (at < text_.size() && text_[at] == '/') ++at;
  return at < text_.size() && is_alpha(text_[at]);
}

bool HtmlTokenizer::next_tag(Tag& tag) noexcept {
  count_steps(10);
  Attribute passed_over;
  while (in_tag_ && next_attribute(tag, passed_over)) continue;
  for (at_ = text_.find('<', at_); at_ != std::string_view::npos; at_ = text_.find('<', at_ + 1)) {
    if (!begins_tag(at_)) continue;
    tag = Tag{};
    tag.begin = at_;
    at_ = text_.find_first_not_of('\0', at_ + 1);
    tag.closing = text_[at_] == '/';
    if (tag.closing) ++at_;
    const std::size_t begin = at_;
    while (at_ < text_.size() && !ends_name(text_[at_]) && text_[at_] != '<') ++at_;
    tag.name = stripped(text_.substr(begin, at_ - begin));
    const std::size_t colon = tag.name.rfind(':');
    if (colon <= kMaxPrefixBytes && colon + 1 < tag.name.size()) {
      tag.name.remove_prefix(colon + 1);
      tag.prefixed = true;
    }
    const ElementRow* row = kElements.find(tag.name);
    tag.does = cut_ | (row != nullptr ? row->does : Element::kNone);
    cut_ = Element::kNone;
    in_tag_ = true;
    return true;
  }
  at_ = text_.size();
  return false;
}

void HtmlTokenizer::read_value(Attribute& attribute) noexcept {
  attribute.has_value = true;
  while (at_ < text_.size() && (is_blank(text_[at_]) || text_[at_] == '\0')) ++at_;
  if (at_ >= text_.size()) return;
  const char c = text_[at_];
  if (c == '"' || c == '\'' || c == '`') {
    const std::size_t close = text_.find(c, at_ + 1);
    // The backtick was a quote for earlier browsers alone: it is none without its fellow, or with attributes
    // in it.
    const std::string_view value = text_.substr(at_ + 1, std::min(close, text_.size()) - at_ - 1);
    const std::size_t blank = value.find_first_of(" \t\r\n\f/");
    const bool attributes = blank != value.npos && value.find('=', blank) != value.npos;
    if (c != '`' || (close != std::string_view::npos && !attributes)) {
      attribute.quote = c;
      attribute.open = close == std::string_view::npos;
      attribute.value = value;
      at_ = attribute.open ? text_.size() : close + 1;
      return;
    }
  }
  const std::size_t begin = at_;
  while (at_ < text_.size() && !is_blank(text_[at_]) && text_[at_] != '>' &&
         !(text_[at_] == '<' && begins_tag(at_)))
    ++at_;
  attribute.value = text_.substr(begin, at_ - begin);
}

bool HtmlTokenizer::next_attribute(Tag& tag, Attribute& attribute) noexcept {
  count_steps(15);
  while (at_ < text_.size() && (is_blank(text_[at_]) || text_[at_] == '/')) ++at_;
  const bool cuts = at_ < text_.size() && text_[at_] == '<' && begins_tag(at_);
  if (at_ >= text_.size() || text_[at_] == '>' || cuts) {
    tag.finished = at_ < text_.size() && !cuts;
    tag.cut = cuts;
    if (cuts && !tag.closing) cut_ = tag.does;
    if (tag.finished) ++at_;
    tag.end = at_;
    in_tag_ = false;
    return false;
  }
  attribute = Attribute{};
  attribute.begin = at_;
  const std::size_t begin = at_++;  // a leading "=" is part of the name
  while (at_ < text_.size() && !ends_name(text_[at_]) && text_[at_] != '=' &&
         !(text_[at_] == '<' && begins_tag(at_)))
    ++at_;
  attribute.name = stripped(text_.substr(begin, at_ - begin));
  const std::size_t equals = skip_space(text_, at_);
  if (equals < text_.size() && text_[equals] == '=') {
    at_ = equals + 1;
    read_value(attribute);
  }
  return true;
}

}  // namespace wafd::detect::xss
