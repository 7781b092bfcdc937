// The words of SQL: what a name means to the grammar, and what a function is good for to an attacker.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace wafd::detect::sqli {

// The part a word plays in a sentence of SQL. kName: no part, an identifier.
enum class Part : std::uint8_t {
  kName,
  kConstant,  // null, true, current_user
  kUnary,     // not, exists, distinct, all
  kLogic,     // and, or, xor
  kCompare,   // like, in, between, is, div, mod
  kSelect,
  kUnion,      // union, intersect, except, minus
  kClause,     // from, where, order, by, limit, into, as, on, join, ...
  kDirection,  // asc, desc, nulls: nothing follows from them
  kCase,
  kWhen,  // when, then, else
  kEnd,
  kStatement,  // insert, drop, exec, waitfor, ...: begins a statement of its own
};

// What calling a function does, if an attacker chose it. kPlain: an ordinary function of SQL; kNone: not
// known.
enum class Use : std::uint8_t {
  kNone,
  kPlain,    // ascii, substr, concat, count, char
  kInfo,     // version, database, user
  kDelay,    // sleep, benchmark
  kError,    // extractvalue, updatexml
  kNetwork,  // utl_http.request, dblink
  kFile,     // load_file, pg_read_file
  kCommand,  // xp_cmdshell, sys_eval
};

// Words that are looked at one by one; everything else is kOther.
enum class Word : std::uint8_t {
  kOther,
  kAll,
  kAnalyse,
  kAs,
  kBegin,
  kBetween,
  kBy,
  kCall,
  kCast,
  kConvert,
  kCopy,
  kDelay,
  kDelete,
  kDeclare,
  kDistinct,
  kDrop,
  kDumpfile,
  kElse,
  kExec,
  kExists,
  kFalse,
  kFor,
  kFrom,
  kGroup,
  kHaving,
  kIf,
  kIn,
  kInfile,
  kInsert,
  kInto,
  kIs,
  kLike,
  kLimit,
  kLoad,
  kNot,
  kNull,
  kOrder,
  kOutfile,
  kProcedure,
  kProgram,
  kSelect,
  kSet,
  kTable,
  kThen,
  kTrue,
  kUnion,
  kUpdate,
  kUsing,
  kValues,
  kWaitfor,
  kWhen,
  kWhere,
  kWith,
};

struct WordInfo {
  std::string_view text;  // lower case
  Part part = Part::kName;
  Use use = Use::kNone;
  Word word = Word::kOther;
  // The name says by itself that SQL is meant: pg_sleep, extractvalue. Others (sleep, user) are words of
  // other languages as well.
  bool distinctive = false;
};

// Never null; what is not listed is a plain name. `text` in any case.
const WordInfo& word_info(std::string_view text) noexcept;

// By first letter: bit n for a word of n octets that means something wherever in a text it stands, with what
// is next to it or before it (sqli_look.cc), not only where a value is continued.
extern const std::array<std::uint64_t, 32> kLengthsOfFarWords;
// False of most words that are none; `text` is not empty.
inline bool may_count_anywhere(std::string_view text) noexcept {
  return text.size() < 64 &&
         (kLengthsOfFarWords[static_cast<unsigned char>(text[0]) & 31u] >> text.size() & 1u) != 0;
}

// Tables, views and schemas that hold the database's own data: information_schema, sqlite_master, pg_shadow.
// Lower or upper case, without schema.
bool is_system_object(std::string_view name) noexcept;

// One of them that is no word of prose: looked for behind every FROM.
bool is_telling_object(std::string_view name) noexcept;

// Databases, schemas, tables and columns of a catalogue that no application names so.
bool is_catalogue_name(std::string_view name) noexcept;

// Appends the words that say by themselves that SQL may be meant: functions that wait, fail, reach out, read
// files or run commands, and names of the catalogue. Lower case; they live as long as the program.
void append_telling_words(std::vector<std::string_view>& out);

// Appends the reserved words that play `part`; they live as long as the program.
void append_words_of(Part part, std::vector<std::string_view>& out);

// Names before a dot that are the databases' own: information_schema, master.
std::span<const std::string_view> schemas() noexcept;
bool is_schema(std::string_view name) noexcept;

// The part of it that names the catalogue.
void append_object_names(std::vector<std::string_view>& out);

// Articles and pronouns: what stands behind "from" in prose and never in a query.
bool is_prose_word(std::string_view name) noexcept;

}  // namespace wafd::detect::sqli
