// The analysers of MongoDB's documents, LDAP filters and XPath on any octets: spans inside of the text, and
// the property of the gate: what an analyser finds, one of its hints has announced.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include <hs/hs.h>

#include "detect/analyze/ldap.h"
#include "detect/analyze/nosql.h"
#include "detect/analyze/xpath.h"

namespace {

using namespace wafd::detect;

void require(bool holds) {
  if (!holds) std::abort();
}

struct Subject {
  std::unique_ptr<Analyzer> analyzer;
  hs_database_t* hints = nullptr;
  hs_scratch_t* scratch = nullptr;
};

Subject make_subject(std::unique_ptr<Analyzer> analyzer) {
  Subject subject;
  subject.analyzer = std::move(analyzer);
  const auto hints = subject.analyzer->hints();
  const std::vector<unsigned> flags(
      hints.size(), HS_FLAG_CASELESS | HS_FLAG_DOTALL | HS_FLAG_SINGLEMATCH | HS_FLAG_ALLOWEMPTY);
  hs_compile_error_t* error = nullptr;
  require(hs_compile_multi(hints.data(), flags.data(), nullptr, static_cast<unsigned>(hints.size()),
                           HS_MODE_BLOCK, nullptr, &subject.hints, &error) == HS_SUCCESS);
  require(hs_alloc_scratch(subject.hints, &subject.scratch) == HS_SUCCESS);
  return subject;
}

bool announced(const Subject& subject, std::string_view text) {
  bool found = false;
  const auto note = [](unsigned, unsigned long long, unsigned long long, unsigned, void* context) noexcept {
    *static_cast<bool*>(context) = true;
    return 1;
  };
  hs_scan(subject.hints, text.data(), static_cast<unsigned>(text.size()), 0, subject.scratch, note, &found);
  return found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<Subject> subjects = [] {
    std::vector<Subject> all;
    all.push_back(make_subject(make_ldap_analyzer()));
    all.push_back(make_subject(make_nosql_analyzer()));
    all.push_back(make_subject(make_xpath_analyzer()));
    return all;
  }();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const Subject& subject : subjects) {
    for (const bool in_name : {false, true}) {
      std::vector<Hit> hits;
      FieldContext context;
      context.in_name = in_name;
      subject.analyzer->analyze(text, context, hits);
      for (const Hit& hit : hits) {
        require(hit.rule < subject.analyzer->rules().size() && hit.begin <= hit.end && hit.end <= size &&
                !hit.reason.empty());
      }
      require(hits.empty() || announced(subject, text));
    }
  }
  return 0;
}
