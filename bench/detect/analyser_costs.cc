#include "bench/detect/analyser_costs.h"

#include <chrono>
#include <utility>

#include "detect/analyzers.h"

namespace wafd::bench {
namespace {

using detect::Analyzer;
using Clock = std::chrono::steady_clock;

class Counted final : public Analyzer {
 public:
  Counted(std::unique_ptr<Analyzer> inner, AnalyserCost& cost) : inner_(std::move(inner)), cost_(&cost) {
    cost_->name = inner_->name();
  }
  std::string_view name() const noexcept override { return inner_->name(); }
  std::span<const Rule> rules() const noexcept override { return inner_->rules(); }
  const detect::Matcher* matcher() const noexcept override { return inner_->matcher(); }
  std::uint32_t reads_places() const noexcept override { return inner_->reads_places(); }
  bool reads_binary() const noexcept override { return inner_->reads_binary(); }
  detect::ObfuscationLanguage reads_obfuscation() const noexcept override {
    return inner_->reads_obfuscation();
  }
  void analyze(std::string_view text, const detect::FieldContext& context,
               std::vector<detect::Hit>& hits) const override {
    const std::size_t before = hits.size();
    const Clock::time_point begin = Clock::now();
    inner_->analyze(text, context, hits);
    cost_->us += std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
    ++cost_->calls;
    cost_->bytes += text.size();
    cost_->hits += hits.size() - before;
  }

 private:
  std::unique_ptr<Analyzer> inner_;
  AnalyserCost* cost_;
};

}  // namespace

std::vector<std::unique_ptr<Analyzer>> counted_analyzers(std::vector<AnalyserCost>& costs) {
  std::vector<std::unique_ptr<Analyzer>> all = detect::all_analyzers();
  costs.assign(all.size(), {});
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = std::make_unique<Counted>(std::move(all[i]), costs[i]);
  return all;
}

}  // namespace wafd::bench
