// Names of the databases' own catalogues, from their manuals: MySQL (INFORMATION_SCHEMA, mysql, sys),
// PostgreSQL (System Catalogs, System Views), SQL Server (System Compatibility Views, system databases and
// samples), Oracle (Static Data Dictionary Views, V$ views), SQLite (The Schema Table), Access, DB2 and
// Informix.
#include <algorithm>
#include <iterator>

#include "detect/analyze/sql/sqli_words.h"
#include "detect/core/octets.h"
#include "detect/core/word_set.h"

namespace wafd::detect::sqli {
namespace {

// Behind FROM these are read by nobody but who looks around.
constexpr WordSet kSystemObjects({"information_schema",
                                  "performance_schema",
                                  "mysql",
                                  "schemata",
                                  "innodb_table_stats",
                                  "innodb_index_stats",
                                  "mysql_innodb_cluster_metadata",
                                  "sysobjects",
                                  "syscolumns",
                                  "sysusers",
                                  "sysdatabases",
                                  "sysxlogins",
                                  "syslogins",
                                  "sysprocesses",
                                  "sysservers",
                                  "sysfiles",
                                  "syscomments",
                                  "systypes",
                                  "sysindexes",
                                  "sysconfigures",
                                  "systables",
                                  "sqlite_master",
                                  "sqlite_schema",
                                  "sqlite_temp_master",
                                  "sqlite_temp_schema",
                                  "sqlite_sequence",
                                  "pg_catalog",
                                  "pg_toast",
                                  "pg_shadow",
                                  "pg_user",
                                  "pg_group",
                                  "pg_tables",
                                  "pg_views",
                                  "pg_indexes",
                                  "pg_class",
                                  "pg_attribute",
                                  "pg_namespace",
                                  "pg_database",
                                  "pg_authid",
                                  "pg_auth_members",
                                  "pg_roles",
                                  "pg_stat_activity",
                                  "pg_proc",
                                  "pg_type",
                                  "pg_settings",
                                  "pg_hba_file_rules",
                                  "pg_largeobject",
                                  "pg_extension",
                                  "pg_tablespace",
                                  "pg_user_mapping",
                                  "pg_user_mappings",
                                  "pg_foreign_server",
                                  "pg_language",
                                  "pg_trigger",
                                  "pg_file_settings",
                                  "all_tables",
                                  "all_tab_columns",
                                  "all_tab_privs",
                                  "all_col_comments",
                                  "all_constraints",
                                  "all_users",
                                  "all_objects",
                                  "all_source",
                                  "all_views",
                                  "all_procedures",
                                  "all_db_links",
                                  "user_tables",
                                  "user_tab_columns",
                                  "user_objects",
                                  "user_users",
                                  "user_source",
                                  "user_views",
                                  "user_constraints",
                                  "user_role_privs",
                                  "user_sys_privs",
                                  "user_tab_privs",
                                  "user_db_links",
                                  "user_password_limits",
                                  "user_tablespaces",
                                  "dba_users",
                                  "dba_tables",
                                  "dba_tab_columns",
                                  "dba_objects",
                                  "dba_role_privs",
                                  "dba_roles",
                                  "dba_sys_privs",
                                  "dba_tab_privs",
                                  "dba_source",
                                  "dba_db_links",
                                  "dba_data_files",
                                  "dba_profiles",
                                  "dba_registry",
                                  "role_sys_privs",
                                  "role_tab_privs",
                                  "session_privs",
                                  "session_roles",
                                  "product_component_version",
                                  "global_name",
                                  "v$version",
                                  "v$instance",
                                  "v$database",
                                  "v$session",
                                  "v$parameter",
                                  "v$sql",
                                  "v$process",
                                  "v$sysstat",
                                  "v$datafile",
                                  "v$pwfile_users",
                                  "v_$version",
                                  "dual",
                                  "msysobjects",
                                  "msysaces",
                                  "msysqueries",
                                  "msysrelationships",
                                  "msysaccessobjects",
                                  "msysaccessxml",
                                  "msysmodules",
                                  "msysmodules2",
                                  "sysibm",
                                  "syscat",
                                  "sysproc",
                                  "sysmaster"});

// As a value of its own. Not mysql, dual, schemata, global_name: words of other places.
constexpr WordSet kCatalogueNames({"information_schema",
                                   "performance_schema",
                                   "pg_catalog",
                                   "pg_toast",
                                   "pg_temp",
                                   "sqlite_master",
                                   "sqlite_schema",
                                   "sqlite_temp_master",
                                   "sqlite_temp_schema",
                                   "sqlite_sequence",
                                   "sysobjects",
                                   "syscolumns",
                                   "sysdatabases",
                                   "sysxlogins",
                                   "syslogins",
                                   "sysaux",
                                   "msysaccessobjects",
                                   "msysobjects",
                                   "msysqueries",
                                   "msysaces",
                                   "msysrelationships",
                                   "tempdb",
                                   "msdb",
                                   "northwind",
                                   "adventureworks",
                                   "schema_name",
                                   "table_schema",
                                   "user_tab_columns",
                                   "all_tab_columns",
                                   "user_tables",
                                   "all_tables",
                                   "dba_users",
                                   "dba_tables",
                                   "pg_shadow",
                                   "pg_authid"});

constexpr std::string_view kSchemas[] = {
    "mysql", "master", "msdb", "tempdb", "sys", "information_schema", "pg_catalog", "performance_schema"};

constexpr WordSet kProse({"the",     "a",         "an",   "this",     "that",   "these", "those", "your",
                          "our",     "my",        "his",  "her",      "its",    "their", "any",   "each",
                          "every",   "which",     "what", "whatever", "one",    "among", "many",  "several",
                          "you",     "it",        "them", "us",       "me",     "here",  "there", "where",
                          "various", "different", "both", "either",   "within", "below", "above", "over"});

}  // namespace

bool is_system_object(std::string_view name) noexcept { return kSystemObjects.has(name); }

// "from MySQL.", "from master" are of prose.
bool is_telling_object(std::string_view name) noexcept {
  return (name.find_first_of("_$") != name.npos || istarts_with(name, "sys")) && is_system_object(name);
}

bool is_catalogue_name(std::string_view name) noexcept { return kCatalogueNames.has(name); }

std::span<const std::string_view> schemas() noexcept { return kSchemas; }

bool is_schema(std::string_view name) noexcept {
  return std::any_of(std::begin(kSchemas), std::end(kSchemas),
                     [&](std::string_view schema) { return iequals(name, schema); });
}

bool is_prose_word(std::string_view name) noexcept { return kProse.has(name); }

void append_object_names(std::vector<std::string_view>& out) {
  for (const auto& entry : kSystemObjects.words()) {
    if (is_telling_object(entry.word)) out.push_back(entry.word);
  }
  for (const auto& entry : kCatalogueNames.words()) {
    const std::string_view name = entry.word;
    if (!kSystemObjects.has(name)) out.push_back(name);
  }
}

}  // namespace wafd::detect::sqli
