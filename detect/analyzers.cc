#include "detect/analyzers.h"

#include "detect/analyze/http/header_injection.h"
#include "detect/analyze/java/deserialization.h"
#include "detect/analyze/java/java_expression.h"
#include "detect/analyze/ldap/ldap_matcher.h"
#include "detect/analyze/nosql/nosql.h"
#include "detect/analyze/path/hidden_path.h"
#include "detect/analyze/path/path_traversal.h"
#include "detect/analyze/php/php_injection.h"
#include "detect/analyze/script/script_code.h"
#include "detect/analyze/shell/shell_matcher.h"
#include "detect/analyze/sql/sqli.h"
#include "detect/analyze/template/ssti.h"
#include "detect/analyze/upload/file_upload.h"
#include "detect/analyze/upload/formula.h"
#include "detect/analyze/url/file_inclusion.h"
#include "detect/analyze/url/ssrf.h"
#include "detect/analyze/xml/xpath.h"
#include "detect/analyze/xml/xxe.h"
#include "detect/analyze/xss/xss.h"
#include "detect/judge/judge.h"
#include "detect/judge/judgements/ldap.tsv.h"
#include "detect/judge/judgements/shell.tsv.h"
#include "detect/judge/rules/ldap.tsv.h"
#include "detect/judge/rules/shell.tsv.h"

namespace wafd::detect {

std::vector<std::unique_ptr<Analyzer>> all_analyzers() {
  std::vector<std::unique_ptr<Analyzer>> all;
  all.push_back(make_sqli_analyzer());
  all.push_back(make_xss_analyzer());
  all.push_back(judged(make_shell_matcher(), kShellJudgements, kShellRules));
  all.push_back(make_path_traversal_analyzer());
  all.push_back(make_file_inclusion_analyzer());
  all.push_back(make_ssrf_analyzer());
  all.push_back(make_php_injection_analyzer());
  all.push_back(make_java_expression_analyzer());
  all.push_back(make_deserialization_analyzer());
  all.push_back(judged(make_ldap_matcher(), kLdapJudgements, kLdapRules));
  all.push_back(make_nosql_analyzer());
  all.push_back(make_xpath_analyzer());
  all.push_back(make_file_upload_analyzer());
  all.push_back(make_header_injection_analyzer());
  all.push_back(make_hidden_path_analyzer());
  all.push_back(make_script_code_analyzer());
  all.push_back(make_ssti_analyzer());
  all.push_back(make_xxe_analyzer());
  all.push_back(make_formula_analyzer());
  return all;
}

}  // namespace wafd::detect
