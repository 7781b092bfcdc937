#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "bench/detect/analyser_costs.h"
#include "detect/engine.h"
#include "detect/offline.h"
using namespace wafd;
int main(int argc, char** argv) {
  std::vector<std::string> req;
  std::vector<std::string> paths;
  for (auto& e : std::filesystem::directory_iterator(argv[1]))
    if (e.path().extension() == ".white") paths.push_back(e.path());
  std::sort(paths.begin(), paths.end());
  for (auto& p : paths) {
    std::ifstream in(p, std::ios::binary);
    req.emplace_back((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  }
  std::vector<bench::AnalyserCost> costs;
  auto engine = detect::Engine::build(bench::counted_analyzers(costs), {}, {});
  if (!engine) {
    fmt::print("{}\n", engine.error().what);
    return 1;
  }
  auto scratch = (*engine)->make_scratch();
  Verdict v;
  for (auto& r : req) (*engine)->inspect(detect::split_request(r), *scratch, v);
  std::vector<bench::AnalyserCost*> o;
  double total = 0;
  for (auto& c : costs) {
    o.push_back(&c);
    total += c.us;
  }
  std::sort(o.begin(), o.end(), [](auto a, auto b) { return a->us > b->us; });
  fmt::print(
      "whites: {} requests; analysers alone {:.2f} us per request (target for all of them together: 2)\n",
      req.size(), total / double(req.size()));
  fmt::print("  {:<18} {:>8} {:>11} {:>7} {:>9} {:>9} {:>9}\n", "analyser", "calls", "octets", "hits", "ms",
             "us/req", "ns/octet");
  for (auto* c : o)
    fmt::print("  {:<18} {:>8} {:>11} {:>7} {:>9.1f} {:>9.3f} {:>9.2f}\n", c->name, c->calls, c->octets,
               c->hits, c->us / 1e3, c->us / double(req.size()),
               c->octets ? c->us * 1e3 / double(c->octets) : 0.0);
  std::vector<bench::SeenText> seen;
  std::vector<std::unique_ptr<detect::Analyzer>> one;
  one.push_back(bench::text_collector(seen));
  detect::Engine::Options no;
  no.builtin_rules = false;
  auto all = detect::Engine::build(std::move(one), {}, no);
  auto s2 = (*all)->make_scratch();
  for (auto& r : req) (*all)->inspect(detect::split_request(r), *s2, v);
  std::size_t oct = 0;
  for (auto& t : seen) oct += t.text.size();
  fmt::print("\n{} texts (fields after decoding) with {} octets\n", seen.size(), oct);
  fmt::print("{}", bench::hint_table(seen, argc > 2 ? atoi(argv[2]) : 60));
}
