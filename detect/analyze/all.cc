#include "detect/analyze/all.h"

#include "detect/analyze/cmd_injection.h"
#include "detect/analyze/sqli.h"
#include "detect/analyze/xss.h"

namespace wafd::detect {

std::vector<std::unique_ptr<Analyzer>> all_analyzers() {
  std::vector<std::unique_ptr<Analyzer>> all;
  all.push_back(make_sqli_analyzer());
  all.push_back(make_xss_analyzer());
  all.push_back(make_cmd_injection_analyzer());
  return all;
}

}  // namespace wafd::detect
