#include "detect/analyze/all.h"

#include "detect/analyze/cmd_injection.h"
#include "detect/analyze/deserialization.h"
#include "detect/analyze/file_inclusion.h"
#include "detect/analyze/file_upload.h"
#include "detect/analyze/formula.h"
#include "detect/analyze/header_injection.h"
#include "detect/analyze/hidden_path.h"
#include "detect/analyze/java_expression.h"
#include "detect/analyze/ldap.h"
#include "detect/analyze/nosql.h"
#include "detect/analyze/path_traversal.h"
#include "detect/analyze/php_injection.h"
#include "detect/analyze/script_code.h"
#include "detect/analyze/sqli.h"
#include "detect/analyze/ssrf.h"
#include "detect/analyze/ssti.h"
#include "detect/analyze/xpath.h"
#include "detect/analyze/xss.h"
#include "detect/analyze/xxe.h"

namespace wafd::detect {

std::vector<std::unique_ptr<Analyzer>> all_analyzers() {
  std::vector<std::unique_ptr<Analyzer>> all;
  all.push_back(make_sqli_analyzer());
  all.push_back(make_xss_analyzer());
  all.push_back(make_cmd_injection_analyzer());
  all.push_back(make_path_traversal_analyzer());
  all.push_back(make_file_inclusion_analyzer());
  all.push_back(make_ssrf_analyzer());
  all.push_back(make_php_injection_analyzer());
  all.push_back(make_java_expression_analyzer());
  all.push_back(make_deserialization_analyzer());
  all.push_back(make_ldap_analyzer());
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
