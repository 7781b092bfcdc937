#include "detect/analyzers.h"

#include "detect/analyze/code/code_matcher.h"
#include "detect/analyze/http/header_matcher.h"
#include "detect/analyze/java/java_matcher.h"
#include "detect/analyze/ldap/ldap_matcher.h"
#include "detect/analyze/nosql/nosql_matcher.h"
#include "detect/analyze/path/hidden_path_matcher.h"
#include "detect/analyze/path/path_matcher.h"
#include "detect/analyze/php/php_matcher.h"
#include "detect/analyze/script/node_matcher.h"
#include "detect/analyze/serialized/serialized_matcher.h"
#include "detect/analyze/shell/shell_matcher.h"
#include "detect/analyze/sql/sql_matcher.h"
#include "detect/analyze/template/template_matcher.h"
#include "detect/analyze/upload/formula_matcher.h"
#include "detect/analyze/upload/upload_matcher.h"
#include "detect/analyze/url/inclusion_matcher.h"
#include "detect/analyze/url/ssrf_matcher.h"
#include "detect/analyze/xml/xpath_matcher.h"
#include "detect/analyze/xml/xxe_matcher.h"
#include "detect/analyze/xss/xss_matcher.h"
#include "detect/judge/judge.h"
#include "detect/judge/judgements/code.tsv.h"
#include "detect/judge/judgements/crlf.tsv.h"
#include "detect/judge/judgements/deserial.tsv.h"
#include "detect/judge/judgements/formula.tsv.h"
#include "detect/judge/judgements/inclusion.tsv.h"
#include "detect/judge/judgements/interpreter.tsv.h"
#include "detect/judge/judgements/java.tsv.h"
#include "detect/judge/judgements/ldap.tsv.h"
#include "detect/judge/judgements/leak.tsv.h"
#include "detect/judge/judgements/nosql.tsv.h"
#include "detect/judge/judgements/path.tsv.h"
#include "detect/judge/judgements/php.tsv.h"
#include "detect/judge/judgements/shell.tsv.h"
#include "detect/judge/judgements/sql.tsv.h"
#include "detect/judge/judgements/ssrf.tsv.h"
#include "detect/judge/judgements/ssti.tsv.h"
#include "detect/judge/judgements/upload.tsv.h"
#include "detect/judge/judgements/xpath.tsv.h"
#include "detect/judge/judgements/xss.tsv.h"
#include "detect/judge/judgements/xxe.tsv.h"
#include "detect/judge/rules/code.tsv.h"
#include "detect/judge/rules/crlf.tsv.h"
#include "detect/judge/rules/deserial.tsv.h"
#include "detect/judge/rules/formula.tsv.h"
#include "detect/judge/rules/inclusion.tsv.h"
#include "detect/judge/rules/interpreter.tsv.h"
#include "detect/judge/rules/java.tsv.h"
#include "detect/judge/rules/ldap.tsv.h"
#include "detect/judge/rules/leak.tsv.h"
#include "detect/judge/rules/nosql.tsv.h"
#include "detect/judge/rules/path.tsv.h"
#include "detect/judge/rules/php.tsv.h"
#include "detect/judge/rules/shell.tsv.h"
#include "detect/judge/rules/sql.tsv.h"
#include "detect/judge/rules/ssrf.tsv.h"
#include "detect/judge/rules/ssti.tsv.h"
#include "detect/judge/rules/upload.tsv.h"
#include "detect/judge/rules/xpath.tsv.h"
#include "detect/judge/rules/xss.tsv.h"
#include "detect/judge/rules/xxe.tsv.h"

namespace wafd::detect {

std::vector<std::unique_ptr<Analyzer>> all_analyzers() {
  std::vector<std::unique_ptr<Analyzer>> all;
  all.push_back(judged(make_sql_matcher(), kSqlJudgements, kSqlRules));
  all.push_back(judged(make_xss_matcher(), kXssJudgements, kXssRules));
  all.push_back(judged(make_shell_matcher(), kShellJudgements, kShellRules));
  all.push_back(judged(make_path_matcher(), kPathJudgements, kPathRules));
  all.push_back(judged(make_inclusion_matcher(), kInclusionJudgements, kInclusionRules));
  all.push_back(judged(make_ssrf_matcher(), kSsrfJudgements, kSsrfRules));
  all.push_back(judged(make_php_matcher(), kPhpJudgements, kPhpRules));
  all.push_back(judged(make_java_matcher(), kJavaJudgements, kJavaRules));
  all.push_back(judged(make_serialized_matcher(), kDeserialJudgements, kDeserialRules));
  all.push_back(judged(make_ldap_matcher(), kLdapJudgements, kLdapRules));
  all.push_back(judged(make_nosql_matcher(), kNosqlJudgements, kNosqlRules));
  all.push_back(judged(make_xpath_matcher(), kXpathJudgements, kXpathRules));
  all.push_back(judged(make_upload_matcher(), kUploadJudgements, kUploadRules));
  all.push_back(judged(make_header_matcher(), kCrlfJudgements, kCrlfRules));
  all.push_back(judged(make_hidden_path_matcher(), kLeakJudgements, kLeakRules));
  all.push_back(judged(make_node_matcher(), kCodeJudgements, kCodeRules));
  all.push_back(judged(make_code_matcher(), kInterpreterJudgements, kInterpreterRules));
  all.push_back(judged(make_template_matcher(), kSstiJudgements, kSstiRules));
  all.push_back(judged(make_xxe_matcher(), kXxeJudgements, kXxeRules));
  all.push_back(judged(make_formula_matcher(), kFormulaJudgements, kFormulaRules));
  return all;
}

}  // namespace wafd::detect
