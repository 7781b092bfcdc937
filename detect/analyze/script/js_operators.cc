// The grammar behind an operand, and of the keys of objects and classes.
#include "detect/analyze/script/js_parser.h"
#include "detect/core/bytes.h"

namespace wafd::detect::js {

namespace {

bool is_modifier(std::string_view key) noexcept {
  return key == "get" || key == "set" || key == "async" || key == "static" || key == "accessor";
}

}  // namespace

void Parser::at_operator(const Token& token) {
  switch (token.kind) {
    case TokenKind::kSign:
      return at_operator_sign(token);
    case TokenKind::kTemplate:
      if (!any(value_.is & Ref::kLiteral)) {
        if (token.substitution) {
          open(Bracket::kSubstitution, token, Expect::kOperand);
          top().tagged = true;
        } else {
          Frame arguments;
          arguments.values = Ref::kText;
          arguments.tagged = true;
          arguments.text = token.text;
          call(arguments, token.end);
        }
        return;
      }
      break;
    case TokenKind::kName: {
      const Keyword keyword = keyword_of(token);
      if (keyword == Keyword::kOperator || (keyword == Keyword::kOf && top().kind == Bracket::kHead)) {
        // for(location of[…]): each of them is assigned
        if (keyword == Keyword::kOf && any(value_.is & Ref::kLocation))
          report(Act::kNavigation, statement_begin_, token.end);
        value_ends(token.begin, false);
        expect_ = Expect::kOperand;
        return;
      }
      if (keyword == Keyword::kExtends && class_) {
        expect_ = Expect::kOperand;
        return;
      }
      if (keyword == Keyword::kNone && in_outer_list() && any(value_.is & Ref::kName) &&
          is_modifier(trim(text_.substr(value_.begin, token.begin - value_.begin))))
        return name(token);
      if (any(value_.is & Ref::kAsync) && !any(value_.is & Ref::kCalled) && !token.line_before &&
          (keyword == Keyword::kFunction || keyword == Keyword::kNone)) {
        expect_ = value_.begin == statement_begin_ ? Expect::kStatement : Expect::kOperand;
        at_name(token);
        return;
      }
      break;
    }
    default:
      break;
  }
  fail();
  expect_ = Expect::kOperand;
  at_operand(token);
}

void Parser::open_behind_value(const Token& token) {
  if (token.sign == Sign::kOpenParen) {
    if (any(value_.is & Ref::kLiteral)) fail();
    return open(Bracket::kArguments, token, Expect::kOperand);
  }
  if (token.sign == Sign::kOpenBracket) return open(Bracket::kIndex, token, Expect::kOperand);
  if (class_) return open(Bracket::kClass, token, Expect::kKey);
  // ',toString(){…}: a method of the object that the application writes
  if (in_outer_list() && before_ == Sign::kCloseParen && any(value_.is & Ref::kCalled))
    return open(Bracket::kFunctionBody, token, Expect::kStatement);
  fail();
  open(Bracket::kBlock, token, Expect::kStatement);
}

void Parser::at_operator_sign(const Token& token) {
  switch (token.sign) {
    case Sign::kOpenParen:
    case Sign::kOpenBracket:
    case Sign::kOpenBrace:
      return open_behind_value(token);
    case Sign::kDot:
    case Sign::kOptional:
      expect_ = Expect::kMemberName;
      return;
    case Sign::kAssign:
    case Sign::kCompoundAssign:
      return assign(token);
    case Sign::kArrow:
      if (!any(value_.is & (Ref::kName | Ref::kGroup | Ref::kAsync))) fail();
      value_ = {};
      arrow_ = true;
      top().arrow = true;
      expect_ = Expect::kOperand;
      return;
    case Sign::kQuestion:
      value_ends(token.begin, true);
      ++top().conditionals;
      expect_ = Expect::kOperand;
      return;
    case Sign::kColon:
      return at_colon(token);
    case Sign::kComma:
      value_ends(token.begin, true);
      top().target = Ref::kNone;
      top().property = false;
      expect_ = top().kind == Bracket::kObject ? Expect::kKey : Expect::kOperand;
      return;
    case Sign::kSemicolon:
      return at_semicolon(token);
    case Sign::kCloseParen:
    case Sign::kCloseBracket:
    case Sign::kCloseBrace:
      return close(token);
    case Sign::kIncrement:
      if (any(value_.is & (Ref::kLiteral | Ref::kCalled))) fail();
      value_.is = Ref::kLiteral;
      return;
    case Sign::kPlus:
      if (any(value_.is & Ref::kEmpty)) count_sign(value_.begin, 1);
      [[fallthrough]];
    case Sign::kMinus:
    case Sign::kBinary:
    case Sign::kLogical:
      value_ends(token.begin, token.sign == Sign::kLogical);
      expect_ = Expect::kOperand;
      return;
    default:
      fail();
      value_ = {};
      expect_ = Expect::kOperand;
  }
}

void Parser::at_colon(const Token& token) {
  const bool plain =
      any(value_.is & (Ref::kName | Ref::kText)) && !any(value_.is & (Ref::kMember | Ref::kOuter));
  if (top().conditionals != 0) {
    --top().conditionals;
    value_ends(token.begin, true);
    expect_ = Expect::kOperand;
  } else if (case_) {
    case_ = false;
    value_ends(token.begin, false);
    boundary(Expect::kStatement);
  } else if (in_statements() && any(value_.is & Ref::kName) && plain && value_.begin == statement_begin_) {
    expect_ = Expect::kStatement;  // a label
  } else if (top().kind == Bracket::kOuter && start_ == Start::kBehindQuote && plain) {
    top().property = true;  // of the object that the application writes
    expect_ = Expect::kOperand;
  } else {
    fail();
    expect_ = Expect::kOperand;
  }
}

void Parser::at_semicolon(const Token& token) {
  if (expect_ == Expect::kOperator) value_ends(token.begin, true);
  if (top().kind == Bracket::kHead) {
    top().target = Ref::kNone;
    expect_ = Expect::kOperand;
    return;
  }
  if (!in_statements()) {
    fail();
    while (!in_statements()) frames_.pop_back();
  }
  boundary(top().kind == Bracket::kClass ? Expect::kKey : Expect::kStatement);
}

void Parser::at_key(const Token& token) {
  const bool of_class = top().kind == Bracket::kClass;
  switch (token.kind) {
    case TokenKind::kName:
    case TokenKind::kPrivateName:
    case TokenKind::kString:
    case TokenKind::kNumber:
      last_key_ = token.text;
      value_ = {Ref::kNone, token.begin};
      expect_ = Expect::kBehindKey;
      return;
    case TokenKind::kSign:
      if (token.sign == Sign::kOpenBracket) return open(Bracket::kComputedKey, token, Expect::kOperand);
      if (token.sign == Sign::kCloseBrace) return close_frame(token);
      if (token.sign == Sign::kBinary && token.text == "*") return;
      if (token.sign == Sign::kSemicolon && of_class) return;
      if (token.sign == Sign::kSpread && !of_class) {
        expect_ = Expect::kOperand;
        return;
      }
      break;
    default:
      break;
  }
  fail();
  if (token.sign == Sign::kSemicolon) at_semicolon(token);
  if (token.sign == Sign::kCloseParen || token.sign == Sign::kCloseBracket) close(token);
}

void Parser::behind_key(const Token& token) {
  const bool of_class = top().kind == Bracket::kClass;
  switch (token.sign) {
    case Sign::kColon:
      if (!of_class) {
        expect_ = Expect::kOperand;
        return;
      }
      break;
    case Sign::kAssign:
      expect_ = Expect::kOperand;
      return;
    case Sign::kOpenParen:
      method_ = true;
      return open(Bracket::kParameters, token, Expect::kOperand);
    case Sign::kComma:
    case Sign::kSemicolon:
      if (of_class == (token.sign == Sign::kSemicolon)) {
        expect_ = Expect::kKey;
        return;
      }
      break;
    case Sign::kCloseBrace:
      return close_frame(token);
    case Sign::kOpenBrace:
      if (of_class && last_key_ == "static") return open(Bracket::kBlock, token, Expect::kStatement);
      break;
    default:
      if (is_modifier(last_key_) || (of_class && token.line_before)) return at_key(token);
  }
  fail();
  at_key(token);
}

}  // namespace wafd::detect::js
