// Opening and closing of brackets.
#include <utility>

#include "detect/analyze/script/js_parser.h"

namespace wafd::detect::js {

namespace {

// Closing brackets that stand across others: how far down their own is looked for.
constexpr std::size_t kMaxCrossed = 8;

}  // namespace

void Parser::open(Bracket kind, const Token& token, Expect next) {
  if (frames_.size() >= kMaxDepth) {
    fail();
    expect_ = next;
    return;
  }
  Frame frame;
  frame.kind = kind;
  frame.begin = token.begin;
  frame.added = before_ == Sign::kPlus;
  if (kind == Bracket::kArguments || kind == Bracket::kIndex || kind == Bracket::kSubstitution) {
    frame.outer = value_;
  } else if (std::exchange(new_, false)) {
    frame.outer.is = Ref::kNew;
  }
  if (kind == Bracket::kParameters || kind == Bracket::kClass) {
    frame.statement = std::exchange(statement_, false);
    frame.method = std::exchange(method_, false);
    class_ = class_ && kind != Bracket::kClass;
  } else if (kind == Bracket::kFunctionBody) {
    frame.statement = std::exchange(statement_, false);
    frame.method = std::exchange(method_, false);
  }
  if (kind == Bracket::kHead) frame.constant = std::exchange(loop_, false);
  if (kind == Bracket::kGroup) frame.constant = top().constant;
  frames_.push_back(frame);
  if (kind == Bracket::kBlock || kind == Bracket::kFunctionBody) {
    settle(!dirty_);
    dirty_ = false;
  }
  value_ = {};
  expect_ = next;
}

void Parser::close(const Token& token) {
  if (expect_ == Expect::kOperator) value_ends(token.begin, true);
  const auto closes = [&token](Bracket kind) {
    switch (kind) {
      case Bracket::kGroup:
      case Bracket::kArguments:
      case Bracket::kParameters:
      case Bracket::kHead:
        return token.sign == Sign::kCloseParen;
      case Bracket::kIndex:
      case Bracket::kArray:
      case Bracket::kComputedKey:
        return token.sign == Sign::kCloseBracket;
      case Bracket::kOuter:
        return false;
      default:
        return token.sign == Sign::kCloseBrace;
    }
  };
  if (closes(top().kind)) return close_frame(token);
  if (frames_.size() == 1) return close_outer(token);
  fail();
  for (std::size_t down = 1; down <= kMaxCrossed && down + 1 < frames_.size(); ++down) {
    if (!closes(frames_[frames_.size() - 1 - down].kind)) continue;
    frames_.resize(frames_.size() - down);
    return close_frame(token);
  }
  value_ = {};
  expect_ = Expect::kEither;
}

// A bracket that the application opened before the text.
void Parser::close_outer(const Token& token) {
  if (start_ == Start::kInTemplate && token.sign == Sign::kCloseBrace) {
    ended_ = true;
    return;
  }
  out_.outer = true;
  value_ = {Ref::kOuter | Ref::kMember, token.begin};
  if (token.sign == Sign::kCloseBrace) boundary(Expect::kEither);
  expect_ = token.sign == Sign::kCloseBracket ? Expect::kOperator : Expect::kEither;
}

void Parser::close_frame(const Token& token) {
  Frame frame = top();
  frames_.pop_back();
  frame.literal = any(value_.is & Ref::kLiteral) && !any(value_.is & Ref::kCalled);
  const bool empty =
      before_ == Sign::kOpenParen || before_ == Sign::kOpenBracket || before_ == Sign::kOpenBrace;
  new_ =
      any(frame.outer.is & Ref::kNew) && frame.kind != Bracket::kArguments && frame.kind != Bracket::kIndex;
  Token whole = token;
  whole.begin = frame.begin;
  switch (frame.kind) {
    case Bracket::kGroup:
      operand(Ref::kGroup | frame.values | (empty ? Ref::kEmpty : Ref::kNone) |
                  (frame.constant ? Ref::kLanguage : Ref::kNone),
              whole);
      if (frame.texts >= 2 && frame.others == 0) value_.is |= Ref::kHidden;
      return;
    case Bracket::kArguments:
      value_ = frame.outer;
      return call(frame, token.end);
    case Bracket::kIndex:
      value_ = frame.outer;
      return indexed(frame, token);
    case Bracket::kArray:
    case Bracket::kObject:
      if (empty && frame.added) count_sign(frame.begin, 1);
      return operand(Ref::kPattern | (frame.values & Ref::kSink) | (empty ? Ref::kEmpty : Ref::kNone), whole);
    case Bracket::kComputedKey:
      last_key_ = {};
      expect_ = Expect::kBehindKey;
      return;
    case Bracket::kBlock:
      return boundary(top().kind == Bracket::kClass ? Expect::kKey : Expect::kStatement);
    case Bracket::kParameters:
      statement_ = frame.statement;
      method_ = frame.method;
      expect_ = Expect::kBody;
      return;
    case Bracket::kFunctionBody:
    case Bracket::kClass:
      if (frame.statement) return boundary(Expect::kStatement);
      if (frame.method && top().kind == Bracket::kClass) return boundary(Expect::kKey);
      return operand(Ref::kFunction, whole);
    case Bracket::kHead:
      if (frame.constant) report(Act::kLoop, statement_begin_, token.end);
      if (any(frame.values & (Ref::kWindow | Ref::kDocument)) &&
          text_.substr(statement_begin_).starts_with("with"))
        report(Act::kPage, statement_begin_, token.end);
      expect_ = Expect::kStatement;
      return;
    case Bracket::kSubstitution: {
      frames_.push_back(frame);
      return behind_template(lexer_.rest_of_template());
    }
    case Bracket::kOuter:
      return;
  }
}

// The part of a template behind a substitution.
void Parser::behind_template(const Token& token) {
  if (token.open) {
    fail();
    frames_.pop_back();
    return;
  }
  if (token.substitution) {
    expect_ = Expect::kOperand;
    return;
  }
  Frame frame = top();
  frames_.pop_back();
  if (frame.tagged) {
    value_ = frame.outer;
    frame.values |= Ref::kText;
    return call(frame, token.end);
  }
  Token whole = token;
  whole.begin = frame.begin;
  whole.escaped = frame.texts != 0;  // `al${'ert'}`
  operand(Ref::kText | Ref::kLiteral, whole);
}

}  // namespace wafd::detect::js
