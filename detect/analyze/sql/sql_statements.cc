// Statements: what stands at the beginning of a text or behind a semicolon.
#include "detect/analyze/sql/sql_reader.h"
#include "detect/analyze/sql/statements.tsv.h"
#include "detect/core/bytes.h"

namespace wafd::detect::sql {
namespace {

constexpr unsigned kMaxHeadWords = 4;
constexpr unsigned kMaxLaterTokens = 12;

// Whether `word` is one of `words`, which spaces part.
bool has_word(std::string_view words, std::string_view word) noexcept {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (iequals(words.substr(0, end), word)) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

}  // namespace

// T-SQL needs no semicolon between statements: x' waitfor delay '0:0:5'
bool SqlReader::begin_unparted_statement() {
  if (frames_.size() > 1 || top().mode == Mode::kStatement || phrase_.anchor < Anchor::kWord) return false;
  if (token_.quoted || token_.parts > 1) return false;
  const StatementRow* row = kStatements.find(spelled(token_));
  if (row == nullptr || (row->tells != Tells::kSql && phrase_.anchor < Anchor::kFirm)) return false;
  stacking_ = true;
  stacked_on_ = phrase_.anchor;
  stack_begin_ = token_.begin;
  if (!begin_statement()) return false;
  statement_.unparted = true;
  return true;
}

bool SqlReader::begin_statement() {
  const Part role = part(token_);
  const bool stacked = stacking_;
  stacking_ = false;
  const Anchor anchor = statement_.row != nullptr ? statement_.anchor
                        : stacked                 ? stacked_on_
                                                  : Anchor::kStatement;
  const std::uint32_t begin = stacked ? stack_begin_ : token_.begin;
  if (role == Part::kSelect || (role == Part::kQuery && ahead_.kind != TokenKind::kEnd)) {
    const Keyword which = keyword(token_);
    if (which == Keyword::kValues && ahead_.kind != TokenKind::kLeft) return false;
    if (role == Part::kQuery && which == Keyword::kNone && !stacked) return false;  // "table lamp"
    phrase_.anchor = anchor;
    begin_query();
    top().query.begin = begin;
    top().query.statement = true;
    top().query.stacked = stacked;
    if (which == Keyword::kWith) {
      top().clause = Clause::kWith;
    } else if (role == Part::kQuery && which != Keyword::kValues) {
      top().clause = Clause::kFrom;
    }
    return true;
  }
  if (token_.quoted || token_.parts > 1) return false;
  const StatementRow* row = kStatements.find(spelled(token_));
  if (row == nullptr) return false;
  const bool called =
      ahead_.kind == TokenKind::kLeft && token_.word != nullptr && token_.word->use != Use::kNone;
  if (called && !stacked) return false;
  end_statement(Tail::kSemicolon);
  statement_.row = row;
  statement_.begin = begin;
  statement_.anchor = anchor;
  statement_.stacked = stacked;
  statement_.later = row->later.empty();
  statement_.tells = row->tells == Tells::kSql;
  heading_ = true;
  return true;
}

// A name, and what gives it a value.
bool SqlReader::assigns() const noexcept {
  const bool sign =
      ahead_.kind == TokenKind::kOperator && (spelled(ahead_) == "=" || spelled(ahead_) == ":=");
  return sign || (ahead_.kind == TokenKind::kWord && iequals(spelled(ahead_), "to"));
}

// A word that must stand behind the verb, or one that may stand before that.
bool SqlReader::takes_word_of_head() {
  if (has_word(statement_.row->words, spelled(token_))) {
    heading_ = false;
    statement_.matched = true;
    statement_.worded = true;
    top().mode = Mode::kStatement;
    if (keyword(token_) == Keyword::kFrom || keyword(token_) == Keyword::kInto) top().clause = Clause::kFrom;
    return true;
  }
  const Part role = part(token_);
  return (role == Part::kFiller || role == Part::kLogic || role == Part::kPrefix) &&
         !statement_.row->words.empty() && ++statement_.tries <= kMaxHeadWords;
}

Follow SqlReader::follow_of_word() const {
  const StatementRow& row = *statement_.row;
  const Part role = part(token_);
  if (role == Part::kSelect || role == Part::kQuery) return Follow::kQuery;
  if (meets(row.follow, Follow::kVerb) && kStatements.has(spelled(token_))) return Follow::kVerb;
  if (meets(row.follow, Follow::kAssign) && statement_.anchor >= Anchor::kFirm && assigns())
    return Follow::kAssign;
  if (ahead_.kind == TokenKind::kLeft) return Follow::kCall | Follow::kName;
  const bool name = role == Part::kName || role == Part::kFiller || role == Part::kType;
  return name ? Follow::kName : Follow::kNothing;
}

Follow SqlReader::follow_of_token() const {
  const char first = text_[token_.begin];
  switch (token_.kind) {
    case TokenKind::kWord:
      return follow_of_word();
    case TokenKind::kNumber:
    case TokenKind::kString:
    case TokenKind::kOpenString:
      return first == '$' ? Follow::kGroup : Follow::kValue;  // DO $$…$$
    case TokenKind::kVariable:
      return first == '@' ? Follow::kVariable : Follow::kNothing;
    case TokenKind::kLeft:
      return Follow::kGroup;
    case TokenKind::kSemicolon:
    case TokenKind::kComment:
      return Follow::kEnd;
    default:
      return Follow::kNothing;
  }
}

// The verb was a name.
void SqlReader::give_up_head() {
  if (statement_.unparted && token_.kind == TokenKind::kOperator && is_behind_quote(before_.begin))
    add(SqlEvidence::kFragment, text_.size() <= kMaxOpeningBytes ? Certainty::kCertain : Certainty::kLikely,
        before_.begin, token_.end, "a statement's verb behind a quote");
  if (statement_.unparted) phrase_.anchor = Anchor::kLoose;  // a name behind an operand
  statement_ = {};
  Frame& frame = top();
  frame.fresh = false;
  frame.operand_next = false;
  frame.term.operands = 1;
  frame.term.constant = false;
  frame.term.facts = kNames;
}

// Says whether the token belongs to the head.
bool SqlReader::go_on_with_head() {
  if (token_.kind == TokenKind::kWord && takes_word_of_head()) return true;
  const Follow found = follow_of_token();
  heading_ = false;
  if (!meets(statement_.row->follow, found)) {
    give_up_head();
    return false;
  }
  statement_.matched = true;
  statement_.tells = statement_.tells || found == Follow::kVariable;
  statement_.worded =
      found == Follow::kVerb || found == Follow::kQuery || found == Follow::kEnd || found == Follow::kAssign;
  top().mode = Mode::kStatement;
  if (found == Follow::kVerb || found == Follow::kQuery) {
    statement_next_ = true;
    statement_.later = true;
  }
  return false;
}

// A token of a statement outside of all parentheses.
void SqlReader::in_statement() {
  ++statement_.tokens;
  if (token_.kind != TokenKind::kWord) return;
  statement_.names_quoted = statement_.names_quoted || (token_.quoted && text_[token_.begin] == '`');
  const Part role = part(token_);
  const std::string_view text = spelled(token_);
  if (!statement_.later && statement_.tokens <= kMaxLaterTokens && has_word(statement_.row->later, text)) {
    statement_.later = true;
    // IF (…) WAITFOR …
    statement_next_ = role == Part::kSelect || (kStatements.has(text) && keyword(token_) != Keyword::kSet &&
                                                statement_.row->follow != Follow::kNothing &&
                                                meets(statement_.row->follow, Follow::kGroup));
    return;
  }
  const bool name = role == Part::kName || role == Part::kDeterminer;
  const bool after_name = before_.kind == TokenKind::kWord &&
                          (part(before_) == Part::kName || part(before_) == Part::kDeterminer);
  if (name && after_name && statement_.tokens > 1) ++statement_.strays;
  // "drop a hint", but not "drop table a": an article stands before a name.
  const bool article =
      role == Part::kDeterminer && ahead_.kind == TokenKind::kWord && part(ahead_) == Part::kName;
  if (article || keyword(token_) == Keyword::kAll) ++statement_.strays;
}

void SqlReader::end_statement(Tail tail) {
  if (statement_.row == nullptr) return;
  if (frames_.size() == 1) {
    close_term();
    statement_.facts = top().facts;
  }
  judge_statement(tail, token_.kind == TokenKind::kSemicolon ? token_.begin : token_.end);
  statement_ = {};
  heading_ = false;
}

}  // namespace wafd::detect::sql
