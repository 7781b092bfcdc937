#include "detect/analyze/sql/sql_reader.h"

#include <algorithm>
#include <utility>

#include "detect/analyze/sql/words.tsv.h"
#include "detect/core/bytes.h"
#include "detect/core/word_set.h"
#include "detect/core/work_counter.h"

namespace wafd::detect::sql {
namespace {

// 1e0
bool is_odd_number(std::string_view number) noexcept {
  return number.find_first_of("eE") != number.npos && number.find_first_of("xX") == number.npos;
}

// `word': a citation as texts without typographical quotes have it, and all of TeX's.
bool ends_citation(std::string_view text) noexcept {
  constexpr std::size_t kMostBytes = 48;
  if (!text.ends_with('\'')) return false;
  const std::size_t open = text.rfind('`', text.size() - 1);
  if (open == text.npos || text.size() - open > kMostBytes) return false;
  const std::string_view word = text.substr(open + 1, text.size() - open - 2);
  return word.find('\'') == word.npos && (open == 0 || !is_alnum(text[open - 1]));
}

// Deeper parentheses are read as if they were not there.
constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kUsualDepth = 8;  // what is made room for at first

// 100000 and 1e6, what makes REPEAT take its time: its second argument, the first one of SPACE.
bool is_large(std::string_view number, const Frame& call) noexcept {
  constexpr std::size_t kMinDigits = 6;
  static constexpr WordSet kOneArgument({"space", "zeroblob"});
  if (call.function == nullptr || (call.items < 2 && !kOneArgument.has(call.function->text))) return false;
  const std::size_t digits = std::min(number.find_first_not_of("0123456789"), number.size());
  return digits >= kMinDigits ||
         (digits > 0 && digits + 1 < number.size() && to_lower(number[digits]) == 'e');
}

// ascii(substr(…)): the code of one character of a text, which is how data is guessed.
bool probes(const WordRow* outer, const WordRow* inner) noexcept {
  static constexpr WordSet kCodes({"ascii", "ord"});
  static constexpr WordSet kPieces({"substr", "substring", "mid", "left", "right"});
  return outer != nullptr && inner != nullptr && kCodes.has(outer->text) && kPieces.has(inner->text);
}

}  // namespace

SqlReader::SqlReader(std::string_view text, bool whole, Quote quote, Dialect dialect,
                     std::pmr::memory_resource* memory, EvidenceList& out)
    : text_(text), lexer_(text, quote, dialect), quote_(quote), whole_(whole), out_(out), frames_(memory) {}

Part SqlReader::part(const Token& token) const noexcept {
  if (token.kind != TokenKind::kWord || token.word == nullptr || token.quoted || token.parts > 1)
    return Part::kName;
  return token.word->part;
}

Keyword SqlReader::keyword(const Token& token) const noexcept {
  if (token.kind != TokenKind::kWord || token.word == nullptr || token.quoted || token.parts > 1)
    return Keyword::kNone;
  return token.word->keyword;
}

bool SqlReader::run() {
  if (!lexer_.starts()) return false;
  frames_.reserve(kUsualDepth);
  value_begin_ = static_cast<std::uint32_t>(skip_space(text_, 0));
  frames_.emplace_back();
  ahead_ = lexer_.next();
  statement_next_ = true;
  begin_phrase(ahead_);
  if (!whole_) phrase_.anchor = Anchor::kLoose;
  while (ahead_.kind != TokenKind::kEnd) {
    before_ = token_;
    token_ = ahead_;
    const bool over = token_.kind == TokenKind::kComment || token_.kind == TokenKind::kOpenString;
    ahead_ = over ? Token{TokenKind::kEnd} : lexer_.next();
    step();
  }
  finish();
  return true;
}

// The value stands where an operand of a query, a column or a sort key stands, or behind one.
void SqlReader::begin_phrase(const Token& first) {
  phrase_.begin = first.begin;
  const Part role = part(first);
  switch (first.kind) {
    case TokenKind::kNumber:
    case TokenKind::kVariable:
    case TokenKind::kSemicolon:
    case TokenKind::kComment:
      phrase_.anchor = Anchor::kFirm;
      break;
    case TokenKind::kString:
    case TokenKind::kOpenString:
      phrase_.anchor = Anchor::kString;
      break;
    case TokenKind::kWord:
      phrase_.anchor = Anchor::kWord;
      phrase_.led = role == Part::kLogic || role == Part::kCompare || role == Part::kArithmetic ||
                    role == Part::kSuffix || role == Part::kPostfix || role == Part::kSetOperator ||
                    role == Part::kClause || role == Part::kBranch;
      phrase_.led_by_logic = role == Part::kLogic;
      phrase_.led_by_compare = role == Part::kCompare;
      break;
    case TokenKind::kOperator: {
      const char sign = text_[first.begin];
      const bool binary =
          first.size() > 1 || std::string_view("+-*~!@?").find(sign) == std::string_view::npos;
      phrase_.anchor = binary ? Anchor::kWord : Anchor::kFirm;
      phrase_.led = binary && sign != '/';
      phrase_.led_by_logic = first.op == Op::kLogic;
      if (sign == '/') return assume_operand();
      break;
    }
    case TokenKind::kRight:
      phrase_.anchor = Anchor::kFirm;
      phrase_.led = true;
      break;
    case TokenKind::kLeft:
      phrase_.anchor = Anchor::kWord;
      break;
    case TokenKind::kComma:
      phrase_.anchor = Anchor::kWord;
      phrase_.led = true;
      break;
    default:
      phrase_.anchor = Anchor::kLoose;
  }
  if (phrase_.led) assume_operand();
}

// Text before this is taken as the application's query.
void SqlReader::assume_operand() {
  top().operand_next = false;
  top().term.operands = 1;
  top().term.constant = false;
}

void SqlReader::step() {
  if (heading_ && go_on_with_head()) return;
  const bool word_only = token_.kind == TokenKind::kWord;
  if (statement_.matched && frames_.size() == 1) in_statement();
  if (!word_only) statement_next_ = false;
  if (token_.hidden)
    add(SqlEvidence::kHiddenKeyword, Certainty::kCertain, token_.begin, token_.end, spelled(token_));
  switch (token_.kind) {
    case TokenKind::kBreak:
      phrase_ = {};
      phrase_.anchor = Anchor::kBreak;
      phrase_.begin = token_.begin;
      opens_ = skip_space(text_, 0) < token_.begin &&
               std::string_view(" \t\r\n(=,:;<>[{+&").find(text_[token_.begin - 1]) != std::string_view::npos;
      cites_ = ends_citation(text_.substr(0, token_.begin + 1));
      leads_ = text_.find_first_not_of(" \t\r\n'\"`") >= token_.begin;
      assume_operand();
      statement_next_ = false;
      return;
    case TokenKind::kNumber:
      return operand(kSigned | kNumeric | (token_.hex ? kTelling : 0u) |
                         (is_large(spelled(token_), top()) ? kLarge : 0u) |
                         (is_odd_number(spelled(token_)) || spelled(before_) == "!" ? kOddNumber : 0u),
                     true);
    case TokenKind::kString:
      if (is_compared_with_column()) return operand(kSigned | kText | kNames, false);
      return operand(kSigned | kText | (token_.hex ? kTelling : 0u), true);
    case TokenKind::kOpenString:
      // "Union Select" <a@b.c>: of what is selected it says nothing.
      return operand(kText | (top().mode == Mode::kQuery && top().items == 1 ? 0u : kSigned), true);
    case TokenKind::kVariable: {
      const bool known = token_.word != nullptr &&
                         (token_.word->object == Object::kVariable || token_.word->use == Use::kInfo);
      return operand(kSigned | (known ? kInfo : 0u), false);
    }
    case TokenKind::kWord:
      return word();
    case TokenKind::kOperator:
      return operation();
    case TokenKind::kLeft:
      return left();
    case TokenKind::kRight:
      return right();
    case TokenKind::kComma:
      return comma();
    case TokenKind::kSemicolon:
      return semicolon();
    case TokenKind::kOther:
      return unknown();
    case TokenKind::kComment:
    case TokenKind::kEnd:
      return;
  }
}

// … where "owner" = 'anna': a column of standard SQL (ISO 9075-2 5.4, delimited identifier), behind a WHERE
// of the text's own. As a whole value, id="a"='b', it lets every row through where double quotes hold
// strings.
bool SqlReader::is_compared_with_column() const noexcept {
  const Term& term = frames_.back().term;
  if (link_ != Link::kWhere || term.operands != 1 || term.begin == kNowhere || text_[token_.begin] != '\'' ||
      text_[term.begin] != '"' || spelled(before_) != "=")
    return false;
  const std::string_view name = trim(text_.substr(term.begin, before_.begin - term.begin));
  const std::string_view value = spelled(token_);
  return name.size() > 2 && name.find('"', 1) == name.size() - 1 && value.size() > 2 &&
         !iequals(name.substr(1, name.size() - 2), value.substr(1, value.size() - 2));
}

void SqlReader::operand(Facts facts, bool constant) {
  if (set_operator_ != kNowhere) unknown();
  if (type_next_ && token_.kind == TokenKind::kString) {  // ::"int4"
    type_next_ = false;
    return;
  }
  if (!top().operand_next) {
    const bool text = token_.kind == TokenKind::kString || token_.kind == TokenKind::kOpenString;
    const bool joined =
        text && (before_.kind == TokenKind::kString ||  // 'a' 'b'
                 part(before_) == Part::kType || keyword(before_) == Keyword::kAs ||
                 (before_.kind == TokenKind::kWord && text_[before_.begin] == '_') ||  // _utf8 '…'
                 (before_.word != nullptr && before_.word->use == Use::kPlain));       // DATE '…'
    if (joined || top().mode == Mode::kStatement) {
      top().term.facts |= facts | (part(before_) == Part::kType ? kTelling : 0u);
      return;
    }
    unknown();
  }
  Frame& frame = top();
  frame.fresh = false;
  frame.operand_next = false;
  frame.name_free = frame.unit || (frame.mode == Mode::kQuery &&
                                   (frame.clause == Clause::kList || frame.clause == Clause::kFrom));
  frame.interval = frame.unit;
  frame.unit = false;
  if (frame.term.begin == kNowhere) frame.term.begin = token_.begin;
  frame.term.facts |= facts;
  frame.term.constant = frame.term.constant && constant;
  ++frame.term.operands;
}

void SqlReader::take_compare() {
  // @> ~~ ?& of PostgreSQL, <=> of MySQL: no other language compares so.
  const bool own = token_.kind == TokenKind::kOperator && text_[token_.begin] != '!' && token_.size() > 1 &&
                   std::string_view("~@?&>").find(text_[token_.end - 1]) != std::string_view::npos &&
                   spelled(token_) != "<>";
  const Keyword which = keyword(token_);
  Lexer behind = lexer_;  // "10 is not 5" is a sentence
  const bool null =
      which == Keyword::kIs && (keyword(ahead_) == Keyword::kNull ||
                                (keyword(ahead_) == Keyword::kNot && part(behind.next()) != Part::kName));
  const bool sql = own || (token_.kind == TokenKind::kWord && which == Keyword::kNone) ||
                   which == Keyword::kBetween || null || spelled(token_) == "<>" || spelled(token_) == "!=";
  top().term.facts |=
      kCompares | (token_.kind == TokenKind::kOperator ? kSigned : 0u) | (sql ? kSqlCompare : 0u);
  top().operand_next = true;
  top().name_free = false;
}

void SqlReader::operation() {
  Frame& frame = top();
  const char sign = text_[token_.begin];
  switch (token_.op) {
    case Op::kSign:
      if (frame.operand_next) {
        frame.term.facts |= kSigned;
        return;
      }
      return unknown();
    case Op::kTilde:
    case Op::kQuestion:
      if (token_.op == Op::kQuestion && frame.operand_next) return operand(kSigned, false);
      if (token_.op == Op::kQuestion && ahead_.kind != TokenKind::kString) {
        // x::jsonb?'a
        const bool cast = ahead_.kind == TokenKind::kOpenString && before_.begin >= 2 &&
                          text_.substr(before_.begin - 2, 2) == "::";
        if (!cast) return unknown();
      }
      if (!frame.operand_next) return take_compare();
      frame.term.facts |= kSigned;
      return;
    case Op::kCompare:
      // ?- and ?| of PostgreSQL stand before an operand, too; ~~1 and !~1 are signs of MySQL
      if (frame.operand_next && (sign == '?' || spelled(token_) == "~~" || spelled(token_) == "!~")) {
        frame.term.facts |= kSigned;
        return;
      }
      return frame.operand_next ? unknown() : take_compare();
    case Op::kLogic:
      return frame.operand_next ? unknown() : take_logic(Link::kLogicSign);
    case Op::kCast:
      type_next_ = !frame.operand_next;
      frame.term.facts |= kSigned;
      return frame.operand_next ? unknown() : void();
    case Op::kArithmetic:
      if (frame.operand_next) {
        if (sign == '*' && token_.size() == 1) {
          frame.query.star = true;
          return operand(kSigned, false);
        }
        if (token_.size() != 1 || (sign != '+' && sign != '-')) return unknown();
        frame.fresh = false;
        frame.term.facts |= kSigned;
        return;
      }
      break;
    case Op::kAssign:
      if (frame.operand_next) return unknown();
      if (before_.kind == TokenKind::kVariable) frame.term.facts |= kTelling;  // @a := 1
      break;
  }
  frame.term.facts |= kArithmetic | kSigned;
  frame.operand_next = true;
  frame.name_free = false;
}

void SqlReader::push(FrameKind kind, const Token* function) {
  if (frames_.size() == kMaxDepth) {
    ++too_deep_;
    return;
  }
  Frame frame;
  frame.kind = kind;
  frame.begin = token_.begin;
  frame.anchored = phrase_.anchor >= Anchor::kWord && !phrase_.broken && !top().broken;
  frame.selected = top().selected || (top().mode == Mode::kQuery && (top().query.anchor != Anchor::kLoose ||
                                                                     top().query.set_operator != kNowhere));
  if (function != nullptr) {
    frame.begin = function->begin;
    // of a.b() the function is known if a is a schema, and the package if a or b is one.
    const WordRow* owner = function->parts > 1 ? function->qualifier : nullptr;
    const bool known =
        owner != nullptr && (owner->object == Object::kSchema || owner->object == Object::kPackage);
    if (function->parts == 1 || known) frame.function = function->word;
    if (known && owner->object == Object::kPackage) frame.package = owner;
  }
  frames_.push_back(frame);
}

void SqlReader::left() {
  const bool subscript = text_[token_.begin] == '[';
  const bool called = before_.kind == TokenKind::kWord && call_;
  call_ = false;
  if (called) return push(FrameKind::kCall, &before_);
  if (!top().operand_next) {
    const bool belongs = subscript || std::exchange(postfix_next_, false) || top().mode == Mode::kStatement ||
                         top().clause == Clause::kFrom || top().clause == Clause::kWith ||
                         part(before_) == Part::kClause || part(before_) == Part::kType ||
                         part(before_) == Part::kHint;
    if (!belongs) unknown();
    if (belongs) {
      push(FrameKind::kGroup, nullptr);
      if (too_deep_ == 0) top().postfix = true;
      if (subscript) top().fresh = false;
      return;
    }
  }
  top().fresh = false;
  if (top().term.begin == kNowhere) top().term.begin = token_.begin;
  push(FrameKind::kGroup, nullptr);
  if (subscript) top().fresh = false;
}

void SqlReader::close_term() {
  Frame& frame = top();
  Term& term = frame.term;
  if (term.operands == 0 && term.facts == 0) return;
  if (frame.operand_next && term.operands != 0 && frame.kind != FrameKind::kTop) frame.broken = true;
  const Facts nested = term.facts;
  if ((term.facts & kCompares) != 0 && term.constant && term.operands >= 2) term.facts |= kTruth;
  if (frames_.size() == 1 && frame.mode == Mode::kExpression) weigh_term(term, nested);
  frame.facts |= term.facts;
  frame.constant = frame.constant && term.constant;
  term = {};
}

// Hands what the last frame holds to the one around it, as an operand.
void SqlReader::pop(bool closed) {
  const std::uint32_t end = closed ? token_.end : static_cast<std::uint32_t>(text_.size());
  close_term();
  Frame frame = top();
  const bool empty = frame.fresh && frame.operand_next;
  if (empty && closed && frame.kind == FrameKind::kGroup) frame.broken = true;
  if (!closed && text_[frame.begin] == '[') frame.broken = true;
  const bool query = frame.mode == Mode::kQuery && judge_query(frame, end);
  const bool effect = frame.kind == FrameKind::kCall && judge_call(frame, end, closed);
  frames_.pop_back();
  // Words in parentheses are no more than words.
  const bool words = frame.items == 1 && (frame.facts & ~(kNames | kUnknown)) == 0 && !empty;
  Facts facts = (frame.facts & ~(kArithmetic | kLarge)) | (words ? 0u : kSigned);
  bool constant = frame.constant;
  if (query) facts |= kHoldsQuery;
  if (frame.kind == FrameKind::kCase) facts |= kTelling | (closed && frame.items > 0 ? kCaseValue : 0u);
  if (frame.kind == FrameKind::kCall) {
    const Use use = frame.function != nullptr ? frame.function->use : Use::kNone;
    const Use package = frame.package != nullptr ? frame.package->use : Use::kNone;
    if (use == Use::kNone && package == Use::kNone) {
      facts |= kNames | kUnknown;
      constant = false;
    } else {
      facts |=
          kKnownCall | (frame.function != nullptr && frame.function->tells == Tells::kSql ? kTelling : 0u);
      const bool told = empty || frame.function == nullptr || frame.function->tells == Tells::kSql;
      if (use == Use::kInfo && told) facts |= kInfo;
      if (effect) facts |= kEffect;
    }
  }
  if (frame.kind == FrameKind::kCall && probes(top().function, frame.function)) facts |= kTelling;
  if (frame.broken && frame.kind == FrameKind::kCase) facts &= kHoldsQuery | kEffect | kInfo | kNames;
  if (frame.broken) {
    constant = false;
    // Of a subscript, a truth is none of the condition around it.
    if (phrase_.anchor < Anchor::kFirm || text_[frame.begin] == '[') facts &= ~kTruth;
    facts |= kUnknown;
    phrase_.broken = true;
  }
  // A comparison inside is a value to what is around it; its outcome stays known.
  if ((facts & kCompares) != 0) facts = (facts & ~kCompares) | kComparedInside;
  if (text_[frame.begin] == '[') facts &= ~(kComparedInside | kTruth);  // button[type="a"] li[position()<3]
  if (frame.postfix || !top().operand_next) {
    top().term.facts |= facts & ~kNames;
    return;
  }
  Frame& outer = top();
  const std::uint32_t begin = outer.term.begin == kNowhere ? frame.begin : outer.term.begin;
  operand(facts, constant);
  top().term.begin = begin;
  // (1) or …: a number, where people who count go on with another word.
  const bool number = constant && frame.begin == phrase_.begin && frame.items == 1 &&
                      (facts & ~(kNumeric | kSigned)) == 0 && (facts & kNumeric) != 0;
  const bool goes_on = part(ahead_) == Part::kLogic || ahead_.kind == TokenKind::kSemicolon;
  if (number && goes_on && phrase_.anchor == Anchor::kWord) phrase_.anchor = Anchor::kFirm;
}

void SqlReader::right() {
  if (too_deep_ > 0) {
    --too_deep_;
    return;
  }
  while (frames_.size() > 1 && top().kind == FrameKind::kCase) {
    top().broken = true;
    pop(true);
  }
  if (frames_.size() > 1) {
    if (top().operand_next && !top().fresh) top().broken = true;
    return pop(true);
  }
  // It closes what the application opened.
  Frame& frame = top();
  if (frame.operand_next && frame.mode == Mode::kExpression) return unknown();
  close_term();
  if (frame.mode == Mode::kQuery) {
    judge_query(frame, token_.begin);
    frame.mode = Mode::kExpression;
    frame.clause = Clause::kNone;
    link_ = Link::kFirst;
  }
  if (text_[token_.begin] == ')') ++phrase_.closers;
  frame.term.operands = 1;
  frame.term.constant = false;
  frame.operand_next = false;
  frame.name_free = true;
}

void SqlReader::comma() {
  Frame& frame = top();
  if (frame.operand_next && frame.mode != Mode::kStatement) return unknown();
  close_term();
  set_link(Link::kComma, token_.begin);
  ++frame.items;
  frame.facts |= kSigned;
  frame.operand_next = true;
  frame.name_free = false;
}

void SqlReader::semicolon() {
  while (frames_.size() > 1) pop(false);
  close_term();
  Frame& frame = top();
  if (frame.mode == Mode::kQuery) judge_query(frame, token_.begin);
  const Anchor anchor = statement_.row != nullptr || frame.mode == Mode::kQuery
                            ? (statement_.row != nullptr ? statement_.anchor : phrase_.anchor)
                            : (phrase_.broken ? std::min(phrase_.anchor, Anchor::kWord) : phrase_.anchor);
  // "from users;--": the semicolon changes nothing of what the comment hides.
  const bool hides = ahead_.kind == TokenKind::kComment && hides_little(lexer_.hidden());
  end_statement(Tail::kSemicolon);
  end_phrase(hides ? Tail::kComment : Tail::kSemicolon, token_.begin);
  frames_.resize(1);
  frames_.front() = {};
  phrase_ = {};
  phrase_.begin = token_.begin;
  link_ = Link::kFirst;
  phrase_.at_break = anchor >= Anchor::kFirm;
  if (phrase_.at_break) phrase_.anchor = Anchor::kWord;
  stacked_on_ = anchor;
  stack_begin_ = token_.begin;
  statement_next_ = true;
  stacking_ = true;
}

void SqlReader::take_logic(Link link) {
  close_term();
  set_link(link, token_.begin);
  top().operand_next = true;
  top().name_free = false;
}

// The grammar does not know how to go on with the token at hand.
void SqlReader::unknown() {
  // "name=value" wrapped into a value: behind the sign another begins.
  if (frames_.size() == 1 && phrase_.terms == 0 && top().operand_next && top().term.operands == 1 &&
      text_[before_.begin] == '=' && phrase_.begin == value_begin_ && before_.kind == TokenKind::kOperator) {
    restart(Anchor::kWord);
    begin_phrase(token_);
    value_begin_ = token_.begin;
    return token_.kind == TokenKind::kWord       ? word()
           : token_.kind == TokenKind::kOperator ? operation()
                                                 : void();
  }
  call_ = false;
  set_operator_ = kNowhere;
  alias_next_ = false;
  if (frames_.size() > 1) {
    Frame& frame = top();
    frame.broken = true;
    phrase_.broken = true;
    if (frame.mode == Mode::kQuery) {
      frame.query.broken = true;
      if (((frame.facts | frame.term.facts) & kSigned) == 0) frame.query.list_broken = true;
    }
    close_term();
    frame.operand_next = true;
    return;
  }
  restart(token_.kind == TokenKind::kString ? Anchor::kString : Anchor::kLoose);
}

void SqlReader::restart(Anchor anchor) {
  count_steps(20);
  Frame& frame = top();
  const bool at_break = phrase_.anchor == Anchor::kBreak && before_.kind == TokenKind::kBreak;
  if (frame.mode == Mode::kQuery) {
    frame.query.broken = true;
    if (((frame.facts | frame.term.facts) & kSigned) == 0) frame.query.list_broken = true;
    close_term();
    judge_query(frame, token_.begin);
  } else {
    close_term();
  }
  end_statement(Tail::kUnknown);
  end_phrase(Tail::kUnknown, token_.begin);
  frames_.front() = {};
  phrase_ = {};
  phrase_.begin = token_.begin;
  phrase_.anchor = anchor;
  phrase_.at_break = at_break;
  link_ = Link::kFirst;
}

void SqlReader::finish() {
  const Tail tail = token_.kind == TokenKind::kComment      ? Tail::kComment
                    : token_.kind == TokenKind::kOpenString ? Tail::kOpenString
                                                            : Tail::kEnd;
  const auto end = static_cast<std::uint32_t>(text_.size());
  pending_ = tail == Tail::kEnd && top().operand_next && frames_.size() == 1;
  hiding_ = tail == Tail::kComment && hides_little(lexer_.hidden());
  const bool operates = token_.kind == TokenKind::kOperator;  // if(2=
  if (((token_.kind == TokenKind::kLeft && text_[token_.begin] == '(') || operates) && frames_.size() > 1 &&
      !phrase_.broken) {
    // sleep(   and 17=(
    const bool called =
        top().kind == FrameKind::kCall && top().function != nullptr && top().function->use != Use::kNone;
    // @( and ?( are no operator before a parenthesis that anybody writes.
    const bool lone = before_.end - before_.begin == 1 &&
                      std::string_view("@?#:$").find(text_[before_.begin]) != std::string_view::npos;
    broken_off_ = called || (!operates && ((before_.kind == TokenKind::kOperator && !lone) ||
                                           part(before_) == Part::kQuery ||
                                           (phrase_.led && part(before_) != Part::kName)));
  }
  if (token_.kind == TokenKind::kLeft && quote_ == Quote::kNone &&
      (before_.kind == TokenKind::kOperator || before_.kind == TokenKind::kOther)) {
    // length&&!(
    const std::size_t size = text_.find_first_of("!$%&*+-/<=>?@^|~#");
    const WordRow* first = size == std::string_view::npos ? nullptr : kWords.find(text_.substr(0, size));
    called_off_ = first != nullptr && first->use != Use::kNone &&
                  text_.find_first_not_of("!$%&*+-/<=>?@^|~#(", size) == std::string_view::npos;
  }
  // 1) or (1: the parentheses on both sides are the application's.
  reopens_ = tail == Tail::kEnd && frames_.size() == 2 && top().kind == FrameKind::kGroup && !top().postfix &&
             !top().broken && !top().operand_next && phrase_.closers > 0 &&
             frames_.front().term.operands == 0 && (link_ == Link::kLogic || link_ == Link::kLogicSign);
  unclosed_ = frames_.size() > 1;
  if (heading_ && meets(statement_.row->follow, Follow::kEnd)) statement_.matched = true;
  if (top().kind == FrameKind::kCase && top().items > 0 && top().begin == value_begin_ && !top().broken &&
      tail == Tail::kEnd)
    add(SqlEvidence::kFragment, Certainty::kLikely, value_begin_, end, "CASE that breaks off");
  while (frames_.size() > 1) {
    if (top().kind == FrameKind::kCase && top().items == 0) top().broken = true;
    pop(false);
  }
  close_term();
  if (top().mode == Mode::kQuery) judge_query(top(), end);
  end_statement(tail);
  end_phrase(tail, end);
}

}  // namespace wafd::detect::sql
