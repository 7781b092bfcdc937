// The grammar where an operand or a statement may begin.
#include <utility>

#include "detect/analyze/script/js_parser.h"

namespace wafd::detect::js {

void Parser::at_operand(const Token& token) {
  if (may_end_ && token.line_before && in_statements()) boundary(Expect::kStatement);
  if (statement_may_begin()) statement_begin_ = token.begin;
  const bool may_end = std::exchange(may_end_, false);
  switch (token.kind) {
    case TokenKind::kName:
      arrow_ = false;
      return at_name(token);
    case TokenKind::kPrivateName:
    case TokenKind::kNumber:
    case TokenKind::kRegex:
      arrow_ = false;
      return operand(token.kind == TokenKind::kRegex ? Ref::kLiteral | Ref::kRegex : Ref::kLiteral, token);
    case TokenKind::kString:
      arrow_ = false;
      if (token.text.empty() && before_ == Sign::kPlus) count_sign(token.begin, 1);
      return operand(Ref::kText | Ref::kLiteral | (token.text.empty() ? Ref::kEmpty : Ref::kNone), token);
    case TokenKind::kTemplate:
      arrow_ = false;
      if (token.substitution) return open(Bracket::kSubstitution, token, Expect::kOperand);
      return operand(Ref::kText | Ref::kLiteral, token);
    case TokenKind::kSign:
      may_end_ = may_end;
      at_operand_sign(token);
      may_end_ = may_end_ && expect_ == Expect::kOperand && !may_end;
      return;
    default:
      fail();
      expect_ = Expect::kEither;
      value_ = {};
  }
}

void Parser::at_operand_sign(const Token& token) {
  const bool arrow = std::exchange(arrow_, false);
  const Bracket in = top().kind;
  const bool opened = before_ == Sign::kOpenParen || before_ == Sign::kOpenBracket || before_ == Sign::kComma;
  switch (token.sign) {
    case Sign::kOpenParen:
      return open(Bracket::kGroup, token, Expect::kOperand);
    case Sign::kOpenBracket:
      if (before_ == Sign::kNot) count_sign(token.begin, 1);
      return open(Bracket::kArray, token, Expect::kOperand);
    case Sign::kOpenBrace:
      if (arrow) return open(Bracket::kFunctionBody, token, Expect::kStatement);
      if (class_) return open(Bracket::kClass, token, Expect::kKey);
      if (statement_may_begin()) return open(Bracket::kBlock, token, Expect::kStatement);
      return open(Bracket::kObject, token, Expect::kKey);
    case Sign::kPlus:
    case Sign::kMinus:
    case Sign::kNot:
    case Sign::kIncrement:
      expect_ = Expect::kOperand;
      return;
    case Sign::kSpread:
      if ((in != Bracket::kOuter && !in_statements()) || (before_ == Sign::kComma && in_outer_list())) {
        expect_ = Expect::kOperand;
        return;
      }
      break;
    case Sign::kCloseParen:
      if (opened && (in == Bracket::kGroup || in == Bracket::kArguments || in == Bracket::kParameters))
        return close_frame(token);
      if (in == Bracket::kHead && before_ == Sign::kSemicolon) return close_frame(token);
      if (in == Bracket::kOuter && expect_ == Expect::kStatement) return close_outer(token);
      break;
    case Sign::kCloseBracket:
      if (opened && in == Bracket::kArray) return close_frame(token);
      break;
    case Sign::kComma:
      if (opened && in == Bracket::kArray) return;
      break;
    case Sign::kCloseBrace:
      if (expect_ == Expect::kStatement || may_end_) {
        value_ = {};
        return close(token);
      }
      break;
    case Sign::kSemicolon:
      if (expect_ == Expect::kStatement || may_end_ || in == Bracket::kHead) return at_semicolon(token);
      break;
    case Sign::kBinary:
      if (may_end_ && token.text == "*") return;  // yield*
      break;
    case Sign::kDot:
      // {}.a: a value, where the text stands for one
      if (new_ || (expect_ == Expect::kStatement && before_ == Sign::kCloseBrace)) {
        expect_ = Expect::kMemberName;  // new.target
        return;
      }
      break;
    default:
      break;
  }
  fail();
  value_ = {};
  expect_ = Expect::kOperator;
  at_operator_sign(token);
}

void Parser::at_name(const Token& token) {
  const Keyword keyword = token.escaped ? Keyword::kNone : keyword_of(token);
  if (keyword == Keyword::kNone || keyword == Keyword::kOf) {
    name(token);
  } else {
    at_keyword(keyword, token);
  }
}

void Parser::at_keyword(Keyword keyword, const Token& token) {
  const bool statement = statement_may_begin();
  switch (keyword) {
    case Keyword::kValue:
      return operand(token.text == "this"    ? Ref::kThis | Ref::kWindow
                     : token.text == "super" ? Ref::kThis
                                             : Ref::kLiteral,
                     token);
    case Keyword::kAsync:
      return operand(Ref::kName | Ref::kAsync, token);
    case Keyword::kImport:
      operand(Ref::kImport, token);
      if (statement) expect_ = Expect::kImport;
      return;
    case Keyword::kPrefix:
      may_end_ = token.text == "yield";
      expect_ = Expect::kOperand;
      return;
    case Keyword::kNew:
      new_ = true;
      expect_ = Expect::kOperand;
      return;
    case Keyword::kFunction:
      statement_ = statement;
      out_.declares = out_.declares || statement;
      expect_ = Expect::kFunctionName;
      return;
    case Keyword::kClass:
      statement_ = statement;
      out_.declares = out_.declares || statement;
      expect_ = Expect::kClassName;
      return;
    case Keyword::kDeclaration:
      if (!statement && !(top().kind == Bracket::kHead && before_ == Sign::kOpenParen)) {
        if (token.text == "let") return name(token);
        break;
      }
      out_.declares = out_.declares || top().kind != Bracket::kHead;
      expect_ = Expect::kOperand;
      return;
    case Keyword::kHead:
      loop_ = token.text == "while" || token.text == "for";
      expect_ = Expect::kHead;
      if (statement) return;
      break;
    case Keyword::kBlock:
      expect_ = Expect::kStatement;
      if (statement) return;
      break;
    case Keyword::kJump:
    case Keyword::kCase:
      may_end_ = keyword == Keyword::kJump;
      case_ = keyword == Keyword::kCase;
      expect_ = Expect::kOperand;
      if (statement) return;
      break;
    case Keyword::kExtends:
      expect_ = Expect::kOperand;
      if (class_) return;
      break;
    default:
      break;
  }
  if (statement && token.text == "export") {
    out_.module = out_.module || (errors_ == 0 && frames_.size() == 1);
    out_.declares = true;
    expect_ = Expect::kStatement;
    return;
  }
  if (statement && out_.module && token.text == "default") {
    expect_ = Expect::kOperand;  // export default …
    return;
  }
  fail();
  if (keyword == Keyword::kReserved || keyword == Keyword::kOperator) {
    value_ = {};
    expect_ = Expect::kEither;
  }
}

}  // namespace wafd::detect::js
