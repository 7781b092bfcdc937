// The SQL analyser on any octets: spans inside of the text, one hit a rule, and the property of the gate:
// what it finds, a hint has announced.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include <hs/hs.h>

#include "detect/analyze/sqli.h"

namespace {

using namespace wafd::detect;

void require(bool holds) {
  if (!holds) std::abort();
}

// The hints as the gate compiles them.
class Hints {
 public:
  explicit Hints(const Analyzer& analyzer) {
    std::vector<unsigned> flags(analyzer.hints().size(),
                                HS_FLAG_CASELESS | HS_FLAG_DOTALL | HS_FLAG_SINGLEMATCH | HS_FLAG_ALLOWEMPTY);
    hs_compile_error_t* error = nullptr;
    require(hs_compile_multi(analyzer.hints().data(), flags.data(), nullptr,
                             static_cast<unsigned>(flags.size()), HS_MODE_BLOCK, nullptr, &database_,
                             &error) == HS_SUCCESS);
    require(hs_alloc_scratch(database_, &scratch_) == HS_SUCCESS);
  }
  ~Hints() {
    hs_free_scratch(scratch_);
    hs_free_database(database_);
  }

  bool match(std::string_view text) {
    bool found = false;
    const auto note = [](unsigned, unsigned long long, unsigned long long, unsigned, void* context) noexcept {
      *static_cast<bool*>(context) = true;
      return 1;
    };
    hs_scan(database_, text.data(), static_cast<unsigned>(text.size()), 0, scratch_, note, &found);
    return found;
  }

 private:
  hs_database_t* database_ = nullptr;
  hs_scratch_t* scratch_ = nullptr;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::unique_ptr<Analyzer> analyzer = make_sqli_analyzer();
  static Hints hints(*analyzer);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<Hit> hits;
  analyzer->analyze(text, {}, hits);
  require(hits.size() <= analyzer->rules().size());
  for (const Hit& hit : hits) {
    require(hit.rule < analyzer->rules().size() && hit.begin <= hit.end && hit.end <= size &&
            !hit.reason.empty());
  }
  require(hits.empty() || hints.match(text));
  return 0;
}
