#include "detect/analyze/sql/sqli_words.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "detect/core/octets.h"

namespace wafd::detect::sqli {
namespace {

constexpr std::size_t kLongestWord = 40;

// Names separated by spaces: the function references of the five dialects, by what a call is good for.
struct Functions {
  Use use;
  bool distinctive;  // no other language has a function of that name
  std::string_view names;
};

constexpr Functions kFunctions[] = {
    // that everybody uses
    {Use::kPlain, false,
     "abs acos add_months adddate addtime age any_value ascii asin atan atan2 avg bin bitand btrim "
     "ceil ceiling char charindex charset chartorowid checksum chr coalesce coercibility "
     "collation compress concat conv cos cot count crc32 curdate curtime datalength date "
     "date_add date_format date_sub dateadd datediff datename datepart day dayname dayofmonth "
     "dayofweek dayofyear decode default degrees difference dump elt encode encrypt every exp extract "
     "field floor format getdate getutcdate greatest hex hextoraw hour ifnull iif initcap instr "
     "instrb isnumeric json_array json_object json_type julianday last_day lcase least left len "
     "length lengthb likelihood likely ln localtime localtimestamp locate log log10 log2 lower lpad "
     "ltrim makedate maketime max md5 microsecond mid min minute month monthname nchar newid now "
     "ntile nullif numtodsinterval nvl nvl2 oct openxml ord parsename password patindex pi position "
     "pow power printf quarter quote quotename radians rand random rawtohex repeat replace reverse "
     "right round rowidtochar rpad rtrim second set_config sha sha1 sha2 sign sin soundex space "
     "split_part sqrt square starts_with std stddev str strcmp strftime strpos stuff subdate substr "
     "substrb substring subtime sum tan timediff timestamp timestampadd timestampdiff to_date "
     "to_timestamp translate trim typeof ucase uncompress unhex unicode unistr unlikely upper uuid "
     "variance week weekday weekofyear xmlagg xmlelement xmlforest year yearweek zeroblob"},
    {Use::kPlain, true,
     "aes_decrypt aes_encrypt array_agg array_to_string bit_and bit_count bit_length bit_or bit_xor "
     "bool_and bool_or char_length concat_ws convert_tz current_date current_time export_set "
     "find_in_set from_base64 from_days from_unixtime gen_random_uuid get_byte group_concat "
     "inet6_aton inet6_ntoa inet_aton inet_ntoa is_free_lock is_used_lock json_agg json_each "
     "json_extract json_group_array json_keys json_length json_valid jsonb_agg jsonb_object_agg "
     "jsonb_pretty last_insert_rowid listagg make_set months_between nls_charset_name octet_length "
     "old_password ora_hash period_add period_diff pg_get_userbyid pg_typeof quote_ident "
     "quote_nullable random_bytes regexp_instr regexp_matches regexp_replace regexp_substr regexp_substring "
     "release_lock row_to_json sec_to_time sqlite_compileoption_get st_astext stddev_pop stddev_samp "
     "str_to_date string_agg string_to_array substring_index sys_guid time_format time_to_sec "
     "to_ascii to_base64 to_char to_days to_number try_cast try_convert unix_timestamp utc_date "
     "utc_time utc_timestamp utl_raw uuid_short var_pop var_samp weight_string width_bucket"
     " binary_checksum checksum_agg json_array_length json_arrayagg json_contains json_contains_path "
     "json_depth "
     "json_exists json_objectagg json_overlaps json_query json_search json_unquote json_value "
     "jsonb_array_elements jsonb_each jsonb_path_exists jsonb_path_query jsonb_typeof regexp_count "
     "regexp_like regexp_split_to_array regexp_split_to_table xpath_exists"},
    // that tell about the database
    {Use::kInfo, false,
     "changes col_name connection_id database databasepropertyex host_name last_insert_id object_id "
     "row_count schema serverproperty user user_name userenv version"},
    {Use::kInfo, true,
     "current_setting db_name found_rows has_dbaccess inet_client_addr inet_server_addr is_member "
     "is_srvrolemember object_name original_login pg_backend_pid pg_client_encoding quote_literal "
     "sqlite_source_id sqlite_version suser_name suser_sname sys_context total_changes"
     " fn_my_permissions object_definition pg_current_logfile pg_relation_filepath pragma_database_list "
     "pragma_table_info pragma_table_list pragma_table_xinfo ps_current_thread_id"},
    // that take time
    {Use::kDelay, false, "benchmark sleep"},
    {Use::kDelay, true,
     "dbms_lock dbms_pipe dbms_session generate_series get_lock master_pos_wait pg_sleep pg_sleep_for "
     "pg_sleep_until randomblob receive_message user_lock"
     " source_pos_wait wait_for_executed_gtid_set wait_until_sql_thread_after_gtids"},
    // whose error message carries data
    {Use::kError, false,
     "geometrycollection linestring multilinestring multipoint multipolygon polygon xmlquery"},
    {Use::kError, true,
     "bin_to_uuid database_to_xml dbms_utility dbms_xmlgen drithsx extractvalue gtid_subset "
     "gtid_subtract name_const ordsys query_to_xml st_latfromgeohash st_longfromgeohash "
     "st_pointfromgeohash table_to_xml updatexml uuid_to_bin xmltype"},
    // that reach other machines
    {Use::kNetwork, true,
     "dblink dblink_connect dblink_exec dblink_send_query dbms_ldap fn_get_audit_file "
     "fn_trace_gettable fn_xe_file_target_read_file httpuritype opendatasource openquery openrowset "
     "utl_http utl_inaddr utl_mail utl_smtp utl_tcp sp_addlinkedserver sp_addlinkedsrvlogin sp_send_dbmail "
     "xp_availablemedia "
     "xp_dirtree xp_enumdsn xp_enumgroups xp_fileexist xp_fixeddrives xp_getfiledetails xp_getnetname "
     "xp_ntsec_enumdomains "
     "xp_sendmail xp_startmail xp_subdirs"},
    // that read and write files
    {Use::kFile, false, "readfile writefile"},
    {Use::kFile, true,
     "dbms_advisor dbms_lob lo_export lo_from_bytea lo_get lo_import lo_put load_file pg_ls_dir "
     "pg_read_binary_file pg_read_file pg_stat_file utl_file"
     " dbms_xslprocessor pg_file_unlink pg_file_write pg_logdir_ls"},
    // that run commands
    {Use::kCommand, true,
     "dbms_export_extension dbms_java dbms_scheduler dbms_xmlquery load_extension sp_addextendedproc "
     "sp_configure sp_execute_external_script sp_executesql sp_makewebtask sp_oacreate sp_oamethod "
     "sp_addlogin sp_addsrvrolemember sp_adduser sp_add_job sp_add_jobstep sp_attach_db sp_execute "
     "sp_helplogins sp_oadestroy sp_oagetproperty sp_oasetproperty sp_password sp_prepare sp_procoption "
     "dbms_cloud dbms_jvm_exp_perms dbms_repcat_rpc fts3_tokenizer xp_instance_regread "
     ""
     "sp_replwritetovarbin sp_start_job "
     "sys_bineval sys_eval sys_exec sys_get sys_set xp_cmdshell xp_delete_file xp_logevent xp_loginconfig "
     "xp_makecab xp_regaddmultistring xp_regdeletekey xp_regdeletevalue xp_regenumkeys xp_regenumvalues "
     "xp_regread xp_regremovemultistring xp_regwrite xp_servicecontrol xp_terminate_process"},
};

// Reserved words that play a part and are not looked at one by one.
struct Parts {
  Part part;
  std::string_view words;
};

constexpr Parts kParts[] = {
    {Part::kConstant,
     "current_user current_timestamp current_database session_user system_user sysdate rownum"},
    {Part::kUnary, "any some binary prior interval top sql_no_cache straight_join"},
    {Part::kLogic, "and or xor"},
    {Part::kCompare, "similar sounds div mod collate escape overlaps"},
    {Part::kDirection, "isnull notnull asc desc nulls"},
    {Part::kUnion, "intersect except minus"},
    {Part::kClause, "offset fetch on join inner outer cross natural window returning"},
    {Part::kCase, "case"},
    {Part::kEnd, "end"},
    {Part::kStatement,
     "shutdown do handler grant revoke merge attach bulk backup restore pragma reconfigure prepare "
     "dbcc"},
};

// Those that are.
constexpr WordInfo part(std::string_view text, Part p, Word w) { return {text, p, Use::kNone, w, false}; }

constexpr WordInfo kSingle[] = {
    part("null", Part::kConstant, Word::kNull),
    part("true", Part::kConstant, Word::kTrue),
    part("false", Part::kConstant, Word::kFalse),
    part("not", Part::kUnary, Word::kNot),
    part("exists", Part::kUnary, Word::kExists),
    part("distinct", Part::kUnary, Word::kDistinct),
    part("distinctrow", Part::kUnary, Word::kDistinct),
    part("all", Part::kUnary, Word::kAll),
    part("like", Part::kCompare, Word::kLike),
    part("ilike", Part::kCompare, Word::kLike),
    part("rlike", Part::kCompare, Word::kLike),
    part("regexp", Part::kCompare, Word::kLike),
    part("glob", Part::kCompare, Word::kLike),
    part("in", Part::kCompare, Word::kIn),
    part("between", Part::kCompare, Word::kBetween),
    part("is", Part::kCompare, Word::kIs),
    part("select", Part::kSelect, Word::kSelect),
    part("union", Part::kUnion, Word::kUnion),
    part("from", Part::kClause, Word::kFrom),
    part("where", Part::kClause, Word::kWhere),
    part("having", Part::kClause, Word::kHaving),
    part("group", Part::kClause, Word::kGroup),
    part("order", Part::kClause, Word::kOrder),
    part("by", Part::kClause, Word::kBy),
    part("limit", Part::kClause, Word::kLimit),
    part("procedure", Part::kClause, Word::kProcedure),
    part("into", Part::kClause, Word::kInto),
    part("using", Part::kClause, Word::kUsing),
    part("as", Part::kClause, Word::kAs),
    part("set", Part::kStatement, Word::kSet),
    part("values", Part::kClause, Word::kValues),
    part("for", Part::kClause, Word::kFor),
    part("outfile", Part::kClause, Word::kOutfile),
    part("dumpfile", Part::kClause, Word::kDumpfile),
    part("when", Part::kWhen, Word::kWhen),
    part("then", Part::kWhen, Word::kThen),
    part("else", Part::kWhen, Word::kElse),
    part("insert", Part::kStatement, Word::kInsert),
    part("update", Part::kStatement, Word::kUpdate),
    part("delete", Part::kStatement, Word::kDelete),
    part("drop", Part::kStatement, Word::kDrop),
    part("create", Part::kStatement, Word::kDrop),
    part("alter", Part::kStatement, Word::kDrop),
    part("truncate", Part::kStatement, Word::kDrop),
    part("exec", Part::kStatement, Word::kExec),
    part("execute", Part::kStatement, Word::kExec),
    part("declare", Part::kStatement, Word::kDeclare),
    part("waitfor", Part::kStatement, Word::kWaitfor),
    part("begin", Part::kStatement, Word::kBegin),
    part("copy", Part::kStatement, Word::kCopy),
    part("call", Part::kStatement, Word::kCall),
    part("load", Part::kStatement, Word::kLoad),
    part("rename", Part::kStatement, Word::kDrop),
    part("with", Part::kStatement, Word::kWith),
    part("delay", Part::kName, Word::kDelay),
    part("time", Part::kName, Word::kDelay),
    part("table", Part::kName, Word::kTable),
    part("analyse", Part::kName, Word::kAnalyse),
    part("program", Part::kName, Word::kProgram),
    part("infile", Part::kName, Word::kInfile),
    {"if", Part::kName, Use::kPlain, Word::kIf, false},
    {"cast", Part::kName, Use::kPlain, Word::kCast, false},
    {"convert", Part::kName, Use::kPlain, Word::kConvert, false},
};

constexpr std::size_t count_words(std::string_view list) {
  std::size_t count = list.empty() ? 0 : 1;
  for (const char c : list) count += c == ' ' ? 1 : 0;
  return count;
}

constexpr std::size_t count_all() {
  std::size_t count = std::size(kSingle);
  for (const Functions& f : kFunctions) count += count_words(f.names);
  for (const Parts& p : kParts) count += count_words(p.words);
  return count;
}

// Everything in one table, sorted when it is compiled.
constexpr auto kWords = [] {
  std::array<WordInfo, count_all()> all{};
  std::size_t at = 0;
  const auto add = [&](std::string_view list, WordInfo like) {
    while (!list.empty()) {
      const std::size_t space = std::min(list.find(' '), list.size());
      like.text = list.substr(0, space);
      all[at++] = like;
      list.remove_prefix(std::min(space + 1, list.size()));
    }
  };
  for (const WordInfo& single : kSingle) all[at++] = single;
  for (const Functions& f : kFunctions) add(f.names, {{}, Part::kName, f.use, Word::kOther, f.distinctive});
  for (const Parts& p : kParts) add(p.words, {{}, p.part, Use::kNone, Word::kOther, false});
  std::sort(all.begin(), all.end(), [](const WordInfo& a, const WordInfo& b) { return a.text < b.text; });
  return all;
}();
static_assert(std::adjacent_find(kWords.begin(), kWords.end(), [](const WordInfo& a, const WordInfo& b) {
                return a.text == b.text;
              }) == kWords.end());

constexpr WordInfo kPlainName{};

// Open addressing, at most a third full: one look says of most words of a text that they are none of SQL's.
constexpr unsigned kSlotBits = 12;
constexpr std::size_t kSlots = std::size_t{1} << kSlotBits;
static_assert(kWords.size() * 3 < kSlots);

// Four octets and the length tell the words apart well enough: of a longer word too not all is read. Letters
// without case; two other octets that look alike so do no harm.
constexpr std::uint32_t hash_of(std::string_view text) noexcept {
  const std::size_t size = text.size();
  const auto at = [text](std::size_t i) { return std::uint32_t{octet(text[i])} | 0x20u; };
  const std::uint32_t four = at(0) | at(size > 1 ? 1 : 0) << 8 | at(size / 2) << 16 | at(size - 1) << 24;
  return (four + static_cast<std::uint32_t>(size)) * 0x9e3779b1u >> (32 - kSlotBits);
}

struct Table {
  std::array<std::uint16_t, kSlots> slots{};  // index in kWords + 1
  std::array<std::uint64_t, 32> lengths{};    // by first letter: bit n for a word of n octets
};
constexpr Table kTable = [] {
  Table table;
  for (std::size_t i = 0; i < kWords.size(); ++i) {
    const std::string_view text = kWords[i].text;
    if (text.empty() || text.size() > kLongestWord) throw "word of an odd length";
    std::size_t slot = hash_of(text);
    while (table.slots[slot] != 0) slot = (slot + 1) % kSlots;
    table.slots[slot] = static_cast<std::uint16_t>(i + 1);
    table.lengths[octet(text[0]) & 31u] |= std::uint64_t{1} << text.size();
  }
  return table;
}();

constexpr bool counts_anywhere(const WordInfo& word) noexcept {
  switch (word.word) {
    case Word::kAnalyse:
    case Word::kDumpfile:
    case Word::kFrom:
    case Word::kInfile:
    case Word::kOutfile:
    case Word::kProgram:
      return true;
    default:
      return word.use >= Use::kDelay || word.part == Part::kSelect || word.part == Part::kUnion ||
             word.part == Part::kCase || word.part == Part::kStatement || word.text == "exp";
  }
}

}  // namespace

constexpr std::array<std::uint64_t, 32> kLengthsOfFarWords = [] {
  std::array<std::uint64_t, 32> lengths{};
  for (const WordInfo& word : kWords) {
    if (counts_anywhere(word)) lengths[octet(word.text[0]) & 31u] |= std::uint64_t{1} << word.text.size();
  }
  return lengths;
}();

const WordInfo& word_info(std::string_view text) noexcept {
  if (text.empty() || text.size() > kLongestWord) return kPlainName;
  if ((kTable.lengths[octet(text[0]) & 31u] >> text.size() & 1u) == 0) return kPlainName;
  for (std::size_t slot = hash_of(text); kTable.slots[slot] != 0; slot = (slot + 1) % kSlots) {
    const WordInfo& word = kWords[kTable.slots[slot] - 1u];
    if (word.text.size() == text.size() && iequals(word.text, text)) return word;
  }
  return kPlainName;
}

void append_words_of(Part part, std::vector<std::string_view>& out) {
  for (const WordInfo& word : kWords) {
    if (word.part == part) out.push_back(word.text);
  }
}

void append_telling_words(std::vector<std::string_view>& out) {
  for (const WordInfo& word : kWords) {
    if (word.use >= Use::kDelay || (word.use != Use::kNone && word.distinctive)) out.push_back(word.text);
  }
  append_object_names(out);
}

}  // namespace wafd::detect::sqli
