#include "bench/detect/analyser_costs.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "detect/analyzers.h"
#include "detect/prefilter/gate.h"

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
  std::span<const char* const> hints() const noexcept override { return inner_->hints(); }
  std::span<const std::string_view> hint_words() const noexcept override { return inner_->hint_words(); }
  CommandWords hint_command_words() const noexcept override { return inner_->hint_command_words(); }
  std::uint32_t reads_places() const noexcept override { return inner_->reads_places(); }
  bool reads_binary() const noexcept override { return inner_->reads_binary(); }
  detect::Trick reads_trick() const noexcept override { return inner_->reads_trick(); }
  void analyze(std::string_view text, const detect::FieldContext& context,
               std::vector<detect::Hit>& hits) const override {
    const std::size_t before = hits.size();
    const Clock::time_point begin = Clock::now();
    inner_->analyze(text, context, hits);
    cost_->us += std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
    ++cost_->calls;
    cost_->octets += text.size();
    cost_->hits += hits.size() - before;
  }

 private:
  std::unique_ptr<Analyzer> inner_;
  AnalyserCost* cost_;
};

class Collector final : public Analyzer {
 public:
  explicit Collector(std::vector<SeenText>& seen) : seen_(&seen) {}
  std::string_view name() const noexcept override { return "collector"; }
  std::span<const Rule> rules() const noexcept override { return {}; }
  std::span<const char* const> hints() const noexcept override { return {}; }
  bool reads_binary() const noexcept override { return true; }
  void analyze(std::string_view text, const detect::FieldContext& context,
               std::vector<detect::Hit>&) const override {
    seen_->push_back({std::string(text), std::string(context.decode_path), context.location});
  }

 private:
  std::vector<SeenText>* seen_;
};

struct Line {
  std::string_view owner;
  std::string hint;
  std::size_t matches = 0;
  double ns_per_octet = 0;  // of the hint scanned for by itself
};

void count(const detect::Gate& gate, const std::vector<SeenText>& seen, detect::GateScratch& scratch,
           Line& line) {
  std::size_t octets = 0;
  const Clock::time_point begin = Clock::now();
  for (const SeenText& one : seen) {
    octets += one.text.size();
    if (gate.scan(one.text, 1, scratch) != 0) ++line.matches;
  }
  line.ns_per_octet = std::chrono::duration<double, std::nano>(Clock::now() - begin).count() /
                      static_cast<double>(std::max<std::size_t>(octets, 1));
}

}  // namespace

std::vector<std::unique_ptr<Analyzer>> counted_analyzers(std::vector<AnalyserCost>& costs) {
  std::vector<std::unique_ptr<Analyzer>> all = detect::all_analyzers();
  costs.assign(all.size(), {});
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = std::make_unique<Counted>(std::move(all[i]), costs[i]);
  return all;
}

std::unique_ptr<Analyzer> text_collector(std::vector<SeenText>& seen) {
  return std::make_unique<Collector>(seen);
}

std::string hint_table(const std::vector<SeenText>& seen, std::size_t lines) {
  std::vector<Line> table;
  detect::GateScratch scratch;
  const auto add = [&](std::string_view owner, std::string hint, const Result<detect::Gate>& gate) {
    if (!gate || !gate->allocate(scratch.hs)) return;
    Line line{owner, std::move(hint)};
    count(*gate, seen, scratch, line);
    table.push_back(std::move(line));
  };
  const auto analyzers = detect::all_analyzers();
  for (const auto& analyzer : analyzers) {
    for (const char* hint : analyzer->hints()) {
      const detect::Hint one{hint, 1};
      add(analyzer->name(), hint, detect::Gate::build(std::span(&one, 1)));
    }
    std::vector<detect::HintWord> words;
    append_words(*analyzer, 1, words);
    for (const detect::HintWord& one : words) {
      add(analyzer->name(), fmt::format("word {}", one.word), detect::Gate::build({}, std::span(&one, 1)));
    }
  }
  std::sort(table.begin(), table.end(), [](const Line& a, const Line& b) { return a.matches > b.matches; });
  std::string out =
      fmt::format("of {} texts, hints that match in most (ns per octet: scanned for alone)\n", seen.size());
  for (std::size_t i = 0; i < table.size() && i < lines; ++i) {
    const Line& line = table[i];
    out += fmt::format("  {:<18} {:>7} {:>7.3f} % {:>6.2f} ns  {}\n", line.owner, line.matches,
                       100.0 * static_cast<double>(line.matches) / static_cast<double>(seen.size()),
                       line.ns_per_octet, line.hint.substr(0, 160));
  }
  return out;
}

}  // namespace wafd::bench
