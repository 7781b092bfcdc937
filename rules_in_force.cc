#include "rules_in_force.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <spdlog/spdlog.h>

#include "run_check.h"

namespace wafd {

void RulesInForce::want(const std::vector<console::OwnRule>& rules) {
  const bool any = std::any_of(rules.begin(), rules.end(), [](const auto& rule) { return rule.enabled; });
  const std::lock_guard lock(mutex_);
  own_rules_ = any ? console::rule_file(rules) : std::string();
}

std::string RulesInForce::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

void RulesInForce::follow(const EnginePointer& known, std::function<void(const EnginePointer&)> use) {
  const std::lock_guard lock(mutex_);
  use_ = std::move(use);
  if (const auto now = engine_.get(); now != known) use_(now);  // compiled meanwhile
}

void RulesInForce::interrupt() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  compiler_.stop();
}

void RulesInForce::stop() {
  interrupt();
  if (rebuilder_.joinable()) rebuilder_.join();
}

void RulesInForce::rebuild() {
  const std::lock_guard lock(mutex_);
  rebuild_wanted_ = true;
  if (rebuilding_ || stopping_) return;
  rebuilding_ = true;
  if (rebuilder_.joinable()) rebuilder_.join();  // it has nothing left to do
  rebuilder_ = std::thread([this] { rebuild_until_settled(); });
}

Result<std::vector<RuleText>> RulesInForce::wanted_rules(const std::string& own) const {
  auto files = read_rule_files(config_);
  if (files && !own.empty()) files->push_back({"console", own});
  return files;
}

Result<RulesInForce::EnginePointer> RulesInForce::build(const std::vector<RuleText>& files,
                                                        const detect::SetSource& sets) const {
  detect::Engine::Options options;
  options.max_body_bytes = static_cast<std::size_t>(config_.max_body_bytes);
  options.sets = sets;
  auto engine = detect::Engine::build(rule_files(files), options);
  if (!engine) return tl::unexpected<Error>(engine.error());
  return EnginePointer(std::move(*engine));
}

// Files that are not compiled yet are compiled in a child, and kept for the next start.
Result<RulesInForce::EnginePointer> RulesInForce::compile_elsewhere(const std::vector<RuleText>& files) {
  auto sets = compiler_.compile(files, true, kept_path());
  if (!sets) return tl::unexpected<Error>(sets.error());
  auto engine = build(files, {.known = &*sets});
  if (!engine) return engine;
  if (auto kept = keep_rules(kept_path(), files, std::move(*sets)); !kept)
    spdlog::warn("the compiled rules cannot be kept for the next start: {}", kept.error().what);
  return engine;
}

Result<void> RulesInForce::open() {
  constexpr auto kWait = std::chrono::seconds(2);
  const auto wanted = wanted_rules(own_rules_);
  if (!wanted) return fail(ErrorCode::kInvalid, wanted.error().what);
  const KeptRules kept = read_kept_rules(kept_path());
  if (auto engine = build(*wanted, {.known = &kept.sets, .compile = false})) {
    engine_.set(std::move(*engine));
    return {};
  }
  auto before = wanted->empty() ? Result<EnginePointer>(tl::unexpected(Error{}))
                                : build(kept.files, {.known = &kept.sets, .compile = false});
  const bool last = before.has_value();
  detect::CompiledSets made;
  if (!last) {
    before = build({}, {.known = &kept.sets, .made = &made});
    // Without it the next start takes a second longer, and so does what is compiled below.
    if (before) (void)keep_rules(kept_path(), {}, std::move(made));
  }
  if (!before) return fail(ErrorCode::kInvalid, before.error().what);
  engine_.set(std::move(*before));
  if (wanted->empty()) return {};
  rebuild();
  std::unique_lock lock(mutex_);
  if (!rebuilt_.wait_for(lock, kWait, [this] { return !rebuilding_; }))
    spdlog::warn("rules of your own are being compiled; until then {} are in force",
                 last ? "those that were in force last" : "the built-in ones alone");
  return {};
}

void RulesInForce::rebuild_until_settled() {
  for (;;) {
    std::string own;
    {
      const std::lock_guard lock(mutex_);
      if (!rebuild_wanted_ || stopping_) {
        rebuilding_ = false;
        rebuilt_.notify_all();
        return;
      }
      rebuild_wanted_ = false;
      own = own_rules_;
    }
    const auto wanted = wanted_rules(own);
    auto engine =
        wanted ? compile_elsewhere(*wanted) : Result<EnginePointer>(tl::unexpected<Error>(wanted.error()));
    const std::lock_guard lock(mutex_);
    if (stopping_) continue;
    error_ = engine ? "" : engine.error().what + "; the rules before stay in force";
    if (!engine) {
      spdlog::error("{}", error_);
      continue;
    }
    engine_.set(*engine);
    if (use_) use_(*engine);
  }
}

}  // namespace wafd
