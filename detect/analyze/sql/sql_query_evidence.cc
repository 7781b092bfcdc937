// SqlReader: how sure queries, calls, objects and statements make it that the text is SQL.
#include <algorithm>

#include "detect/analyze/base/word_ending.h"
#include "detect/analyze/sql/sql_evidence.h"
#include "detect/analyze/sql/sql_reader.h"
#include "detect/core/bytes.h"

namespace wafd::detect::sql {
namespace {

SqlEvidence kind_of(Use use) noexcept {
  switch (use) {
    case Use::kDelay:
      return SqlEvidence::kDelay;
    case Use::kError:
      return SqlEvidence::kErrorCall;
    case Use::kNetwork:
      return SqlEvidence::kNetworkCall;
    default:
      return SqlEvidence::kFileCall;
  }
}

// Statements that no page sends for its user: definitions and rights.
bool changes_schema(std::string_view verb) noexcept {
  return verb == "alter" || verb == "create" || verb == "drop" || verb == "grant" || verb == "revoke" ||
         verb == "truncate";
}

// copy t from '/etc/passwd', copy t to program 'id': PostgreSQL reads a file or runs a program.
enum class Copies : std::uint8_t { kNothing, kFile, kSecret };
Copies what_is_copied(std::string_view statement) noexcept {
  for (const std::string_view begin : {"program '", "program $", "'/etc/", "'/proc/", "'/root/"})
    if (ifind(statement, begin) != std::string_view::npos) return Copies::kSecret;
  for (const std::string_view begin : {"'/", "'c:\\"})
    if (ifind(statement, begin) != std::string_view::npos) return Copies::kFile;
  return Copies::kNothing;
}

}  // namespace

// The clauses of a query.
struct SqlReader::QueryParts {
  Facts facts = 0;
  bool signs = false;   // more than words
  bool strong = false;  // nobody but a database is told so
  bool words = false;   // words alone, and a table
  bool firm = false;
  bool empty = false;  // SELECT and nothing, or * and no table
};

SqlReader::QueryParts SqlReader::parts_of(const Frame& frame) {
  const Query& query = frame.query;
  QueryParts parts{.facts = frame.facts | frame.term.facts};
  parts.signs = has(parts.facts, kSigned);
  parts.strong =
      has(parts.facts, kWeighty | kTelling | kKnownCall) || query.system || (query.table && parts.signs);
  parts.words = !parts.signs && query.table && !query.list_broken;
  parts.firm = query.anchor >= Anchor::kFirm;
  const bool star = query.star && frame.items == 1 && parts.facts == kSigned;
  parts.empty = (parts.facts == 0 || star) && !query.table;
  return parts;
}

bool SqlReader::judge_query(const Frame& frame, std::uint32_t end) {
  if (frame.clause == Clause::kWith) return false;
  const Query& query = frame.query;
  const QueryParts parts = parts_of(frame);
  if (query.set_operator != kNowhere) return judge_union(frame, parts, end);
  if (parts.empty || query.list_broken) return false;
  if (frame.kind != FrameKind::kTop) return judge_subquery(frame, parts, end);
  if (query.stacked) return judge_stacked_query(query, parts, end);
  return judge_whole_query(frame, parts, end);
}

bool SqlReader::judge_union(const Frame& frame, const QueryParts& parts, std::uint32_t end) {
  const Query& query = frame.query;
  Certainty certainty = Certainty::kPossible;
  if (parts.empty || query.list_broken) {
    if (parts.empty && parts.firm && token_.end == text_.size()) certainty = Certainty::kLikely;
  } else if (parts.signs) {
    certainty = query.broken && !parts.firm ? Certainty::kLikely : Certainty::kCertain;
  } else if (parts.words) {
    certainty = parts.firm                      ? Certainty::kCertain
                : query.anchor > Anchor::kLoose ? Certainty::kLikely
                                                : Certainty::kPossible;
  } else if (parts.firm && has(parts.facts, kNames)) {
    certainty = Certainty::kLikely;
  }
  const bool selects =
      query.table || frame.items > 1 || (parts.facts & ~(kSigned | kNames | kArithmetic | kUnknown)) != 0;
  if (query.anchor <= Anchor::kWord && !selects) certainty = Certainty::kPossible;
  if (query.anchor == Anchor::kLoose) certainty = std::min(certainty, Certainty::kLikely);
  add(SqlEvidence::kUnionQuery, certainty, query.set_operator, end,
      text_.substr(query.set_operator, end - query.set_operator));
  return !parts.empty;
}

bool SqlReader::judge_subquery(const Frame& frame, const QueryParts& parts, std::uint32_t end) {
  const Query& query = frame.query;
  if (query.inside && !has(parts.facts, kWeighty)) return false;
  Certainty certainty = Certainty::kPossible;
  if (parts.strong) {
    certainty = query.broken ? Certainty::kLikely : Certainty::kCertain;
  } else if (parts.words || parts.signs) {
    certainty = parts.firm                      ? Certainty::kCertain
                : query.anchor >= Anchor::kWord ? Certainty::kLikely
                                                : Certainty::kPossible;
  } else {
    if (parts.firm) add(SqlEvidence::kSubquery, certainty, frame.begin, end, "SELECT");
    return false;
  }
  if (query.anchor == Anchor::kStatement && certainty == Certainty::kCertain) certainty = Certainty::kLikely;
  add(SqlEvidence::kSubquery, certainty, frame.begin, end, "SELECT");
  return true;
}

bool SqlReader::judge_stacked_query(const Query& query, const QueryParts& parts, std::uint32_t end) {
  if (query.anchor == Anchor::kStatement) return true;
  Certainty certainty = Certainty::kPossible;
  if (parts.firm) {
    certainty = parts.signs || parts.words       ? (query.broken ? Certainty::kLikely : Certainty::kCertain)
                : query.anchor == Anchor::kBreak ? Certainty::kLikely
                                                 : Certainty::kPossible;
  } else if (parts.strong && !query.broken) {
    certainty = Certainty::kLikely;
  }
  add(SqlEvidence::kStackedStatement, certainty, query.begin, end, "SELECT");
  return true;
}

bool SqlReader::judge_whole_query(const Frame& frame, const QueryParts& parts, std::uint32_t end) {
  const Query& query = frame.query;
  if (query.broken && !parts.strong) return false;
  const Facts facts = parts.facts;
  Certainty certainty = Certainty::kPossible;
  const bool hides = hiding_ || has_odd_case(text_.substr(query.begin, 6));
  const bool rows =
      frame.clause == Clause::kList && iequals(text_.substr(query.begin, 6), "values") && has(facts, kText);
  if (query.statement && !query.broken &&
      (rows || has(facts, kWeighty | kTelling) || query.system || (hides && parts.strong))) {
    certainty = Certainty::kCertain;
  } else if (query.statement && !query.broken && (parts.signs || parts.words)) {
    certainty = Certainty::kLikely;
  } else if (!parts.strong) {
    return false;
  }
  const bool selects = query.table || has(facts, kWeighty | kTelling | kKnownCall | kNumeric | kText);
  if (query.statement && !query.broken && selects && certainty >= Certainty::kLikely)
    script_ = std::min(script_, query.begin);
  add(SqlEvidence::kStatement, certainty, query.begin, end, "SELECT");
  return true;
}

bool SqlReader::judge_call(const Frame& frame, std::uint32_t end, bool closed) {
  const WordRow* row = frame.function;
  Use use = row != nullptr ? row->use : Use::kNone;
  bool tells = row != nullptr && row->tells == Tells::kSql;
  if (frame.package != nullptr) {
    use = std::max(use, frame.package->use);
    tells = true;
  }
  if (use == Use::kGrow && has(frame.facts, kLarge)) {
    use = Use::kDelay;
    tells = true;
  }
  if (use < Use::kDelay || ends_a_word(text_, text_.find('(', frame.begin))) return false;
  const Facts facts = frame.facts;
  const bool bare = facts == 0;  // without arguments
  const std::string_view name =
      text_.substr(frame.begin, std::min<std::size_t>(text_.find('(', frame.begin) - frame.begin, 64));
  Certainty certainty = Certainty::kPossible;
  if (tells) {
    const bool words = !has(facts, kNumeric | kText | kHoldsQuery | kKnownCall | kInfo);
    certainty = bare                               ? Certainty::kPossible
                : frame.broken || !closed || words ? Certainty::kLikely
                                                   : Certainty::kCertain;
  } else {
    if (bare || frame.broken) return false;
    const Frame& outer = frames_[frames_.size() - 2];
    const bool selected = frame.selected;
    const bool first =
        frames_.size() == 2 && link_ == Link::kFirst && outer.term.operands == 0 && phrase_.terms == 0;
    if (use != Use::kDelay && !has(facts, kHoldsQuery | kInfo)) return false;
    if (selected || (frame.anchored && phrase_.anchor >= Anchor::kFirm)) {
      certainty = Certainty::kCertain;
    } else if (frame.anchored) {
      // sleep(5) in a test
      const bool goes_on = ahead_.kind == TokenKind::kWord && part(ahead_) != Part::kLogic;
      certainty = !first ? Certainty::kCertain : goes_on ? Certainty::kPossible : Certainty::kLikely;
    } else if (phrase_.at_break || link_ == Link::kLogic) {
      certainty = Certainty::kLikely;
    }
    if (has(facts, kNames)) certainty = lower(certainty);
    if (!closed) certainty = lower(certainty);
  }
  add(kind_of(use), certainty, frame.begin, end, name);
  return certainty >= Certainty::kLikely;
}

// A procedure of the server called without parentheses: exec xp_cmdshell 'dir'.
void SqlReader::judge_procedure() {
  const WordRow* row = token_.word;
  if (row == nullptr || row->use < Use::kDelay || row->tells != Tells::kSql) return;
  const bool argued = ahead_.kind == TokenKind::kString || ahead_.kind == TokenKind::kOpenString ||
                      ahead_.kind == TokenKind::kVariable || ahead_.kind == TokenKind::kNumber;
  const bool run = statement_.matched || token_.parts > 1;
  const bool whole = token_.begin == value_begin_ && ahead_.kind == TokenKind::kEnd;
  const Certainty certainty = argued || run ? Certainty::kCertain
                              : whole       ? Certainty::kLikely
                                            : Certainty::kPossible;
  add(kind_of(row->use), certainty, token_.begin, token_.end, spelled(token_));
}

// A table of a catalogue.
void SqlReader::judge_object() {
  const WordRow* row = token_.word;
  const WordRow* owner = token_.parts > 1 ? token_.qualifier : nullptr;
  const bool owned =
      owner != nullptr && owner->object == Object::kSchema && (row != nullptr || owner->tells == Tells::kSql);
  const bool table = row != nullptr && row->object == Object::kTable;
  const bool schema = row != nullptr && row->object == Object::kSchema && row->tells == Tells::kSql;
  const bool tells = (table && row->tells == Tells::kSql) || schema || (owned && owner->tells == Tells::kSql);
  if (!tells && !owned) return;
  Frame& frame = top();
  const bool from = frame.clause == Clause::kFrom && (frame.operand_next || frame.name_free);
  if (from) {
    frame.query.system = true;
    frame.term.facts |= kInfo;
  }
  const bool whole = quote_ == Quote::kNone && token_.begin == value_begin_ && ahead_.kind == TokenKind::kEnd;
  const Certainty certainty = from ? Certainty::kCertain : whole ? Certainty::kLikely : Certainty::kPossible;
  if (!from && !tells && !whole) return;
  add(SqlEvidence::kSystemObject, certainty, token_.begin, token_.end, spelled(token_));
}

void SqlReader::judge_statement(Tail tail, std::uint32_t end) {
  const Statement& statement = statement_;
  const StatementRow& row = *statement.row;
  const bool tells = statement.tells && statement.matched;
  const bool signs = has(statement.facts, kSigned | kCompares);
  const bool whole = statement.matched && statement.later;
  Certainty certainty = Certainty::kPossible;
  if (whole && row.text == "copy") {
    // Backups are copied to '/mnt/nas' in sentences, too; not behind another statement.
    const Copies copies = what_is_copied(text_.substr(statement.begin, end - statement.begin));
    if (copies != Copies::kNothing)
      add(SqlEvidence::kFileCall,
          copies == Copies::kSecret || statement.stacked ? Certainty::kCertain : Certainty::kPossible,
          statement.begin, end, row.text);
  }
  if (row.use != Use::kNone && tells && whole && signs)
    add(kind_of(row.use), Certainty::kCertain, statement.begin, end, row.text);
  if (statement.anchor == Anchor::kStatement && !statement.stacked) {
    const bool telling = tells || has(statement.facts, kNumeric | kText | kWeighty | kKnownCall);
    const bool runs = row.use == Use::kCommand && tail == Tail::kEnd && statement.tokens == 1;  // EXECUTE p
    if (!whole || (!telling && !statement.worded && !runs) ||
        (statement.strays > 0 && !(signs && statement.worded)))
      return;
    const bool defines = statement.names_quoted && statement.worded && changes_schema(row.text);
    const bool hostile =
        has(statement.facts, kWeighty) || tells || defines || (hiding_ && statement.strays == 0);
    // EXECUTE IMMEDIATE 'select 1'
    const bool immediate =
        row.use == Use::kCommand && statement.worded && has(statement.facts, kText) && statement.strays == 0;
    certainty = tells || defines || immediate || (hostile && tail != Tail::kUnknown) ? Certainty::kCertain
                : statement.worded || signs || runs                                  ? Certainty::kLikely
                                                                                     : Certainty::kPossible;
    if (certainty >= Certainty::kLikely && tail != Tail::kUnknown && statement.strays == 0)
      script_ = std::min(script_, statement.begin);
    add(SqlEvidence::kStatement, certainty, statement.begin, end, row.text);
    return;
  }
  if (statement.anchor == Anchor::kStatement || (statement.unparted && !statement.matched)) return;
  if (tells && whole && (signs || statement.anchor > Anchor::kLoose)) {
    certainty = Certainty::kCertain;
  } else if (whole && !(statement.unparted && !(signs && statement.worded && tail == Tail::kComment))) {
    const bool firm = statement.anchor >= Anchor::kFirm;
    const bool sure = (statement.worded || signs) && (statement.strays == 0 || signs);
    if (firm) {
      certainty = sure ? Certainty::kCertain
                  : statement.anchor == Anchor::kBreak ||
                          (statement.strays == 0 && tail != Tail::kUnknown && !has(statement.facts, kUnknown))
                      ? Certainty::kLikely
                      : Certainty::kPossible;
    } else if (statement.anchor >= Anchor::kWord) {
      certainty = sure ? Certainty::kLikely : Certainty::kPossible;
    } else {
      certainty = sure && signs && statement.worded && statement.strays == 0 ? Certainty::kLikely
                                                                             : Certainty::kPossible;
    }
  } else if (statement.begin == value_begin_ && statement.stacked && tail == Tail::kEnd) {
    certainty = Certainty::kLikely;  // ;drop
  }
  add(SqlEvidence::kStackedStatement, certainty, statement.begin, end, row.text);
}

}  // namespace wafd::detect::sql
