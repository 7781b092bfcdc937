// The tokens of PHP code, and where an expression may begin in them.
#include "detect/analyze/php/php_reader.h"

#include <algorithm>

#include <fmt/format.h>

#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kMaxValueLines = 4;

}  // namespace

PhpReader::PhpReader(std::string_view text, std::size_t base, const QuotedCode* landed,
                     const FieldContext& context, FirstHits& found)
    : text_(text),
      base_(base),
      landed_(landed),
      field_(context.location == Location::kBody && !context.in_name && !context.name.empty()),
      found_(found),
      tokens_(context.memory) {
  read_php(text, tokens_);
  if (text.size() < kMaxPhpValueBytes) {
    value_ = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) <= kMaxValueLines;
    line_ = text.find('\n') == std::string_view::npos;
  }
  for (std::size_t i = tokens_.size(); i-- > 0 && last_close_ == 0;) {
    if (is_punct(i, ')')) last_close_ = i;
  }
}

void PhpReader::run() {
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    const PhpToken& token = tokens_[i];
    switch (token.kind) {
      case PhpKind::kWord:
        at_word(i);
        break;
      case PhpKind::kVariable:
        at_variable(i);
        break;
      case PhpKind::kString:
        if (is_punct(i + 1, '(') && is_function(token.text) && !tokens_[i + 1].space_before) {
          add(kPhpStringCall, i, i + 2, fmt::format("PHP calls {} by a string.", shown_name(token.text)));
        }
        break;
      case PhpKind::kPunct:
        if (token.punct == ')' || token.punct == ']') at_closed(i);
        if (token.punct == '$') at_dollar(i);
        break;
      case PhpKind::kNumber:
        break;
    }
  }
}

bool PhpReader::ends_value() const noexcept {
  return !tokens_.empty() && (is_punct(tokens_.size() - 1, ')') || is_punct(tokens_.size() - 1, ';'));
}

void PhpReader::add(PhpRule rule, std::size_t first, std::size_t last, std::string reason) {
  last = std::min(last, tokens_.size() - 1);
  found_.add(rule, base_ + tokens_[first].begin, base_ + tokens_[last].end, std::move(reason));
}

bool PhpReader::expression_start(std::size_t i) const noexcept {
  if (i == 0) return true;
  const PhpToken& before = tokens_[i - 1];
  if (before.kind == PhpKind::kWord) return kPhpLeadIns.has(before.text);
  if (before.kind != PhpKind::kPunct) return false;
  if (before.punct == '>') return arrow_function(i - 1);
  return before.punct != ')' && before.punct != ']' && !(before.punct == '.' && !string_before(i - 1));
}

bool PhpReader::arrow_function(std::size_t arrow) const noexcept {
  if (arrow == 0 || !is_punct(arrow - 1, '=')) return false;
  for (std::size_t k = arrow; k-- > 0 && arrow - k < 16;) {
    if (is_kind(k, PhpKind::kWord) && iequals(tokens_[k].text, "fn")) return true;
  }
  return false;
}

bool PhpReader::string_before(std::size_t dot) const noexcept {
  return dot > 0 && (tokens_[dot - 1].kind == PhpKind::kString || is_punct(dot - 1, ')') ||
                     tokens_[dot - 1].kind == PhpKind::kVariable);
}

std::size_t PhpReader::close_of(std::size_t open) const noexcept {
  int depth = 0;
  for (std::size_t k = open; k < tokens_.size() && k < open + 64; ++k) {
    if (is_punct(k, '(')) ++depth;
    if (is_punct(k, ')') && --depth <= 0) return k;
  }
  return kNowhere;
}

std::string shown_name(std::string_view name) {
  std::string out;
  for (const char c : name.substr(0, 40)) {
    if (is_alnum(c) || c == '_' || c == '.') out.push_back(c);
  }
  return out;
}

void read_php_code(std::string_view text, const FieldContext& context, FirstHits& found) {
  PhpReader(text, 0, nullptr, context, found).run();
  if (text.size() > kMaxPhpValueBytes) return;
  QuotedReadings readings(text);
  for (QuotedCode landed; readings.next(landed);)
    PhpReader(landed.code, static_cast<std::size_t>(landed.code.data() - text.data()), &landed, context,
              found)
        .run();
}

}  // namespace wafd::detect
