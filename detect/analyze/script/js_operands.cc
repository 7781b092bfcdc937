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

void Parser::open_operand(const Token& token, bool arrow) {
  if (token.sign == Sign::kOpenParen) return open(Bracket::kGroup, token, Expect::kOperand);
  if (token.sign == Sign::kOpenBracket) {
    if (before_ == Sign::kNot) count_sign(token.begin, 1);
    return open(Bracket::kArray, token, Expect::kOperand);
  }
  if (arrow) return open(Bracket::kFunctionBody, token, Expect::kStatement);
  if (class_) return open(Bracket::kClass, token, Expect::kKey);
  if (statement_may_begin()) return open(Bracket::kBlock, token, Expect::kStatement);
  open(Bracket::kObject, token, Expect::kKey);
}

// A bracket that closes where an operand is expected: of nothing, or of what may end there.
bool Parser::close_without_operand(const Token& token) {
  const Bracket in = top().kind;
  const bool opened = before_ == Sign::kOpenParen || before_ == Sign::kOpenBracket || before_ == Sign::kComma;
  if (token.sign == Sign::kCloseParen) {
    if ((opened && (in == Bracket::kGroup || in == Bracket::kArguments || in == Bracket::kParameters)) ||
        (in == Bracket::kHead && before_ == Sign::kSemicolon)) {
      close_frame(token);
      return true;
    }
    if (in != Bracket::kOuter || expect_ != Expect::kStatement) return false;
    close_outer(token);
    return true;
  }
  if (token.sign == Sign::kCloseBracket) {
    if (!opened || in != Bracket::kArray) return false;
    close_frame(token);
    return true;
  }
  if (expect_ != Expect::kStatement && !may_end_) return false;
  value_ = {};
  close(token);
  return true;
}

void Parser::at_operand_sign(const Token& token) {
  const bool arrow = std::exchange(arrow_, false);
  const Bracket in = top().kind;
  switch (token.sign) {
    case Sign::kOpenParen:
    case Sign::kOpenBracket:
    case Sign::kOpenBrace:
      return open_operand(token, arrow);
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
    case Sign::kCloseBracket:
    case Sign::kCloseBrace:
      if (close_without_operand(token)) return;
      break;
    case Sign::kComma:
      if (in == Bracket::kArray &&
          (before_ == Sign::kOpenParen || before_ == Sign::kOpenBracket || before_ == Sign::kComma))
        return;
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

// Words that are operands, or that an operand follows wherever they stand. False: another word.
bool Parser::at_operand_word(Keyword keyword, const Token& token, bool statement) {
  switch (keyword) {
    case Keyword::kValue:
      operand(token.text == "this"    ? Ref::kThis | Ref::kWindow
              : token.text == "super" ? Ref::kThis
                                      : Ref::kLiteral,
              token);
      return true;
    case Keyword::kAsync:
      operand(Ref::kName | Ref::kAsync, token);
      return true;
    case Keyword::kImport:
      operand(Ref::kImport, token);
      if (statement) expect_ = Expect::kImport;
      return true;
    case Keyword::kPrefix:
      may_end_ = token.text == "yield";
      expect_ = Expect::kOperand;
      return true;
    case Keyword::kNew:
      new_ = true;
      expect_ = Expect::kOperand;
      return true;
    case Keyword::kFunction:
    case Keyword::kClass:
      statement_ = statement;
      out_.declares = out_.declares || statement;
      expect_ = keyword == Keyword::kFunction ? Expect::kFunctionName : Expect::kClassName;
      return true;
    default:
      return false;
  }
}

// Words of statements: false where the word may not stand.
bool Parser::at_statement_word(Keyword keyword, const Token& token, bool statement) {
  switch (keyword) {
    case Keyword::kDeclaration:
      if (!statement && !(top().kind == Bracket::kHead && before_ == Sign::kOpenParen)) {
        if (token.text != "let") return false;
        name(token);
        return true;
      }
      out_.declares = out_.declares || top().kind != Bracket::kHead;
      expect_ = Expect::kOperand;
      return true;
    case Keyword::kHead:
      loop_ = token.text == "while" || token.text == "for";
      expect_ = Expect::kHead;
      return statement;
    case Keyword::kBlock:
      expect_ = Expect::kStatement;
      return statement;
    case Keyword::kJump:
    case Keyword::kCase:
      may_end_ = keyword == Keyword::kJump;
      case_ = keyword == Keyword::kCase;
      expect_ = Expect::kOperand;
      return statement;
    case Keyword::kExtends:
      expect_ = Expect::kOperand;
      return class_;
    default:
      return false;
  }
}

void Parser::at_keyword(Keyword keyword, const Token& token) {
  const bool statement = statement_may_begin();
  if (at_operand_word(keyword, token, statement) || at_statement_word(keyword, token, statement)) return;
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
