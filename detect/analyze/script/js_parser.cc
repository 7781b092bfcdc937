#include "detect/analyze/script/js_parser.h"

#include <utility>

#include "detect/analyze/script/keywords.tsv.h"

namespace wafd::detect::js {

Keyword keyword_of(const Token& token) noexcept {
  const KeywordRow* row = kKeywords.find(token.text);
  return row != nullptr && row->text == token.text ? row->keyword : Keyword::kNone;
}

Parser::Parser(std::string_view text, std::size_t begin, Start start, char quote,
               std::pmr::memory_resource& memory)
    : text_(text),
      lexer_(text, begin),
      start_(start),
      quote_(quote),
      frames_(&memory),
      begin_(begin),
      statement_begin_(begin) {
  frames_.reserve(8);
  frames_.emplace_back();
  if (start == Start::kBehindQuote) {
    expect_ = Expect::kOperator;
    value_ = {Ref::kText | Ref::kLiteral | Ref::kOuter, begin};
  } else if (start == Start::kInTemplate) {
    expect_ = Expect::kOperand;
  }
}

Reading Parser::run() {
  while (!ended_) {
    const Token token = lexer_.next(expect_ == Expect::kOperand || expect_ == Expect::kStatement);
    out_.end = token.begin;
    if (token.kind == TokenKind::kEnd) break;
    step(token);
    if (errors_ != 0 && start_ != Start::kProgram) break;
    before_ = token.sign;
  }
  finish();
  return out_;
}

void Parser::finish() {
  if (expect_ == Expect::kOperator && errors_ == 0) value_ends(out_.end, true);
  if (errors_ == 0 && expect_ == Expect::kOperand && any(top().target & Ref::kModule))
    report(Act::kExports, top().target_begin, out_.end);
  out_.cut = errors_ == 0 && frames_.size() > 1 && !reopened_ && start_ != Start::kInTemplate;
  // Calls that are still open are ended by the application's text behind this one.
  for (std::size_t i = frames_.size(); (reopened_ || out_.cut) && i-- > 1;) {
    if (frames_[i].kind != Bracket::kArguments) continue;
    value_ = frames_[i].outer;
    call(frames_[i], out_.end);
  }
  const bool commented = lexer_.ended_in_comment();
  const bool closed = !cut_ && (frames_.size() == 1 || (commented && in_statements())) &&
                      (expect_ == Expect::kOperator || expect_ == Expect::kStatement ||
                       expect_ == Expect::kEither || may_end_);
  switch (start_) {
    case Start::kProgram:
      out_.valid = closed;
      break;
    case Start::kBehindQuote:
      out_.valid = reopened_ || (closed && commented);
      break;
    case Start::kBehindComment:
      out_.valid = closed && commented;
      break;
    case Start::kInTemplate:
      out_.valid = ended_;
      break;
  }
  out_.valid = out_.valid && errors_ == 0;
  out_.complete = closed && errors_ == 0;
  settle(!dirty_);
}

bool Parser::in_statements() const noexcept {
  switch (frames_.back().kind) {
    case Bracket::kOuter:
    case Bracket::kBlock:
    case Bracket::kFunctionBody:
    case Bracket::kClass:
      return true;
    default:
      return false;
  }
}

// Behind a string that the text closed, and no statement has ended since: the application may have written an
// object, an array or a call around it.
bool Parser::in_outer_list() const noexcept {
  return start_ == Start::kBehindQuote && frames_.size() == 1 && statement_begin_ == begin_;
}

bool Parser::statement_may_begin() const noexcept {
  return expect_ == Expect::kStatement || expect_ == Expect::kEither;
}

void Parser::boundary(Expect next) noexcept {
  settle(!dirty_);
  dirty_ = false;
  top().target = Ref::kNone;
  expect_ = next;
}

void Parser::fail() noexcept {
  if (errors_++ == 0) out_.error = out_.end;
  settle(false);
  dirty_ = true;
}

// A value is followed by what can only begin another one: in a new line, that is a new statement
// (ECMA-262, 12.10).
bool Parser::begins_statement(const Token& token) const noexcept {
  switch (token.kind) {
    case TokenKind::kName: {
      const Keyword keyword = keyword_of(token);
      return keyword != Keyword::kOperator && keyword != Keyword::kExtends;
    }
    case TokenKind::kTemplate:
      return false;
    case TokenKind::kSign:
      return token.sign == Sign::kNot || token.sign == Sign::kIncrement ||
             (token.sign == Sign::kOpenBrace && !class_);
    default:
      return true;
  }
}

void Parser::at_member_name(const Token& token) {
  expect_ = Expect::kOperator;
  if (token.kind == TokenKind::kName || token.kind == TokenKind::kPrivateName)
    return member(token.text, token.escaped);
  if (before_ != Sign::kOptional || (token.sign != Sign::kOpenParen && token.sign != Sign::kOpenBracket))
    fail();
  at_operator(token);
}

void Parser::at_import(const Token& token) {
  if (token.kind == TokenKind::kSign && token.sign != Sign::kOpenBrace && token.text != "*") {
    expect_ = Expect::kOperator;
    return at_operator(token);
  }
  out_.module = out_.module || (errors_ == 0 && frames_.size() == 1);
  out_.declares = true;
  expect_ = Expect::kImportClause;
  import_clause(token);
}

void Parser::step(const Token& token) {
  if (token.open) return at_text_that_ends(token);
  switch (expect_) {
    case Expect::kStatement:
    case Expect::kOperand:
      return at_operand(token);
    case Expect::kOperator:
      if (token.line_before && in_statements() && begins_statement(token)) {
        value_ends(token.begin, true);
        boundary(top().kind == Bracket::kClass ? Expect::kKey : Expect::kStatement);
        return step(token);
      }
      return at_operator(token);
    case Expect::kEither:
      return token.kind == TokenKind::kTemplate ||
                     (token.kind == TokenKind::kSign && token.sign != Sign::kOpenBrace &&
                      token.sign != Sign::kNot && token.sign != Sign::kIncrement)
                 ? at_operator(token)
                 : at_operand(token);
    case Expect::kMemberName:
      return at_member_name(token);
    case Expect::kFunctionName:
      if (token.kind == TokenKind::kName) {
        expect_ = Expect::kParameters;
        return;
      }
      if (token.sign == Sign::kBinary && token.text == "*") return;
      [[fallthrough]];
    case Expect::kParameters:
      if (token.sign == Sign::kOpenParen) return open(Bracket::kParameters, token, Expect::kOperand);
      break;
    case Expect::kClassName:
      class_ = true;
      if (token.kind == TokenKind::kName && keyword_of(token) == Keyword::kNone)
        return operand(Ref::kFunction, token);
      expect_ = Expect::kOperator;
      return at_operator(token);
    case Expect::kHead:
      if (token.sign == Sign::kOpenParen) return open(Bracket::kHead, token, Expect::kOperand);
      if (token.sign == Sign::kOpenBrace && text_.substr(statement_begin_).starts_with("catch"))
        return open(Bracket::kBlock, token, Expect::kStatement);
      if (token.text == "await") return;
      break;
    case Expect::kBody:
      if (token.sign == Sign::kOpenBrace) return open(Bracket::kFunctionBody, token, Expect::kStatement);
      break;
    case Expect::kKey:
      return at_key(token);
    case Expect::kBehindKey:
      return behind_key(token);
    case Expect::kImport:
      return at_import(token);
    case Expect::kImportClause:
      return import_clause(token);
  }
  fail();
  expect_ = Expect::kEither;
  step(token);
}

// The text ends inside of a string or template: if that is one like the text closed, the application closes
// it. Tagged, a template would be an argument: but then all of the text before it is one more program.
void Parser::at_text_that_ends(const Token& token) {
  const bool operand =
      expect_ == Expect::kOperand || expect_ == Expect::kStatement || expect_ == Expect::kEither;
  if (operand && start_ == Start::kBehindQuote && text_[token.begin] == quote_) {
    reopened_ = true;
  } else if (operand && frames_.size() > 1) {
    cut_ = true;
  } else {
    fail();
  }
}

void Parser::operand(Ref is, const Token& token) {
  value_ = {is | (std::exchange(new_, false) ? Ref::kNew : Ref::kNone), token.begin};
  Frame& frame = top();
  if (any(is & Ref::kText)) {
    ++frame.texts;
    frame.text = token.text;
    if (token.escaped) frame.values |= Ref::kHidden;
    if (token.text == "child_process" || token.text == "node:child_process")
      report(Act::kModule, token.begin, token.end);
  } else {
    ++frame.others;
    frame.constant =
        frame.constant && any(is & (Ref::kLiteral | Ref::kLanguage | Ref::kThis | Ref::kPattern));
  }
  expect_ = Expect::kOperator;
}

bool Reading::strongest(Act first, Act last, Act& which) const noexcept {
  for (const bool sound : {true, false}) {
    for (auto index = static_cast<std::size_t>(last) + 1; index-- > static_cast<std::size_t>(first);) {
      if (acts[index].end == 0 || acts[index].sound != sound) continue;
      which = static_cast<Act>(index);
      return true;
    }
  }
  return false;
}

Reading read_script(std::string_view text, std::size_t begin, Start start, char quote,
                    std::pmr::memory_resource& memory) {
  return Parser(text, begin, start, quote, memory).run();
}

}  // namespace wafd::detect::js
