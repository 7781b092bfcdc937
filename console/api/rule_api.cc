// The rules there are, and signature rules made on the console: upload, change, switch on and off, remove.
#include <algorithm>
#include <memory>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "console/api/api_parts.h"
#include "console/api/routing/etag.h"
#include "console/base/problem.h"
#include "console/settings/compile_alone.h"
#include "console/settings/policy_json.h"
#include "detect/signatures/signatures.h"
#include "json/object_reader.h"

namespace wafd::console {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxTextBytes = 512u << 10;
constexpr std::size_t kMaxCompiling = 2;  // a second of a thread each

Result<std::vector<detect::Signature>> signatures_of(std::vector<OwnRule> rules) {
  for (OwnRule& rule : rules) rule.enabled = true;
  std::vector<detect::Signature> out;
  if (auto loaded = detect::load_signatures("rules", rule_file(rules), out); !loaded)
    return tl::unexpected<Error>(loaded.error());
  return out;
}

json::object stored_json(const OwnRule& rule) {
  return {{"id", rule.id}, {"enabled", rule.enabled}, {"rule", rule.rule}};
}

json::object own_json(const Services& services, const OwnRule& rule, const Rule& made) {
  json::object out = with_etag(stored_json(rule));
  out["rule_id"] = made.id;
  out["name"] = made.name;
  out["attack_type"] = wafd::to_string(made.attack_type);
  out["risk"] = wafd::to_string(made.risk);
  out["number"] = made.number;
  out["hits"] = hits_json(services.hits.total().rules, made.id);
  return out;
}

json::array own_rules(const Services& services, const std::vector<OwnRule>& rules) {
  json::array out;
  const auto made = signatures_of(rules);  // sound: what is stored was checked
  if (!made) return out;
  for (std::size_t i = 0; i < rules.size(); ++i)
    out.emplace_back(own_json(services, rules[i], (*made)[i].rule));
  return out;
}

HttpResponse list_rules(const Services& services) {
  json::array list;
  const auto engine = services.engine ? services.engine() : nullptr;
  if (engine) {
    for (const Rule* rule : engine->rules()) {
      list.push_back({{"id", rule->id},
                      {"number", rule->number},
                      {"name", rule->name},
                      {"module", rule->module},
                      {"attack_type", wafd::to_string(rule->attack_type)},
                      {"risk", wafd::to_string(rule->risk)},
                      {"cve", rule->cve},
                      {"hits", hits_json(services.hits.total().rules, rule->id)},
                      {"deny_from", rule->denies_from ? json::value(wafd::to_string(*rule->denies_from))
                                                      : json::value()}});
    }
  }
  json::object answer;
  answer["rules"] = std::move(list);
  answer["own"] = own_rules(services, services.settings.current().rules);
  return HttpResponse::json(200, answer);
}

Error in_text(const Error& error) { return {ErrorCode::kInvalid, error.offset, "text: " + error.what}; }

// A rule file or one rule. Line numbers in errors are those of the text.
Result<std::vector<OwnRule>> read_text(const std::string& text) {
  json::parse_options options;
  options.allow_comments = options.allow_trailing_commas = true;
  boost::system::error_code wrong;
  json::value document = json::parse(text, wrong, {}, options);
  const bool one = !wrong && document.is_object() && !document.get_object().contains("rules");
  std::vector<detect::Signature> signatures;
  // The same line: what stands before it is on the first one.
  const std::string file = one ? "{\"rules\":[" + text + "\n]}" : text;
  if (auto loaded = detect::load_signatures("text", file, signatures); !loaded)
    return tl::unexpected(in_text(loaded.error()));
  if (wrong || !document.is_object())
    return fail(ErrorCode::kInvalid, "text: expected a rule file or one rule");
  const json::array list = one ? json::array{document} : document.get_object().at("rules").as_array();
  std::vector<OwnRule> out;
  for (const json::value& rule : list) {
    OwnRule made;
    made.rule = rule.as_object();
    made.id = std::string(made.rule.at("id").as_string());
    out.push_back(std::move(made));
  }
  if (out.empty()) return fail(ErrorCode::kInvalid, "text: expected at least one rule");
  return out;
}

// Ids and numbers must be new among the rules in use that are not made on the console.
Result<void> refuse_taken(const Services& services, const std::vector<OwnRule>& fresh,
                          const std::vector<OwnRule>& present) {
  const auto made = signatures_of(fresh);
  if (!made) return tl::unexpected(in_text(made.error()));
  const auto own = signatures_of(present);
  const auto engine = services.engine ? services.engine() : nullptr;
  if (!engine || !own) return {};
  for (const detect::Signature& signature : *made) {
    for (const Rule* rule : engine->rules()) {
      const bool ours = std::any_of(own->begin(), own->end(),
                                    [&](const detect::Signature& one) { return one.rule.id == rule->id; });
      if (ours || (rule->id != signature.rule.id && rule->number != signature.rule.number)) continue;
      return fail(ErrorCode::kInvalid,
                  fmt::format("text: rule \"{}\": the built-in rule \"{}\" has its id or number {}",
                              signature.rule.name, rule->name, signature.rule.number));
    }
  }
  return {};
}

// Whether the engine takes the expressions: seconds, so on another thread; then goes on, on the console loop.
void compile_then(Services& services, const std::shared_ptr<std::size_t>& compiling,
                  std::vector<OwnRule> rules, const Respond& respond, std::function<HttpResponse()> then) {
  if (*compiling == kMaxCompiling)
    return respond(problem_retry(kTooMany, "Other rules are being compiled: try again.", 1));
  const auto error = std::make_shared<Result<void>>();
  ++*compiling;
  const bool taken = services.background.run(
      [error, compile = services.compile_rules, rules = std::move(rules)] {
        const auto built = compile_alone(compile, "text", rule_file(rules));
        if (!built) *error = tl::unexpected(in_text(built.error()));
      },
      [error, respond, compiling, then = std::move(then)] {
        --*compiling;
        respond(*error ? then() : problem_of(error->error()));
      });
  if (taken) return;
  --*compiling;
  respond(problem_retry(kUnavailable, "Too much at once: try again.", 1));
}

HttpResponse save(Services& services, const Call& call, Settings next) {
  if (auto saved = services.settings.commit(std::move(next), call.identity.username, call.now_ms); !saved)
    return problem_of(saved.error());
  return {};
}

void add(Services& services, const std::shared_ptr<std::size_t>& compiling, const std::shared_ptr<Call>& call,
         const Respond& respond) {
  std::string text;
  bool enabled = true;
  ObjectReader reader(call->body);
  reader.require("text").text("text", text, 1, kMaxTextBytes).boolean("enabled", enabled);
  if (auto good = reader.finish(); !good) return respond(problem_of(good.error()));
  auto fresh = read_text(text);
  if (!fresh) return respond(problem_of(fresh.error()));
  if (auto good = refuse_taken(services, *fresh, services.settings.current().rules); !good)
    return respond(problem_of(good.error()));
  for (OwnRule& rule : *fresh) rule.enabled = enabled;
  std::vector<OwnRule> tried = *fresh;
  for (OwnRule& rule : tried) rule.enabled = true;
  compile_then(services, compiling, std::move(tried), respond, [&services, call, fresh = std::move(*fresh)] {
    Settings next = services.settings.current();
    if (next.rules.size() + fresh.size() > kMaxOwnRules)
      return problem(kConflict, fmt::format("There may be {} rules of your own.", kMaxOwnRules));
    for (const OwnRule& rule : fresh) {
      for (const OwnRule& present : next.rules)
        if (present.id == rule.id)
          return problem(kConflict, fmt::format("There is a rule \"{}\" of your own already.", rule.id),
                         {{"member", "text"}});
      next.rules.push_back(rule);
    }
    if (const auto good = signatures_of(next.rules); !good)  // the same number twice
      return problem_of(in_text(good.error()));
    HttpResponse saved = save(services, *call, std::move(next));
    if (saved.status != 200) return saved;
    json::array ids;
    for (const OwnRule& rule : fresh) ids.emplace_back(rule.id);
    services.audit(*call, "rule.create", fresh.front().id, {{"rules", std::move(ids)}});
    json::object answer;
    answer["own"] = own_rules(services, fresh);
    return HttpResponse::json(201, answer);
  });
}

OwnRule* find_rule(Settings& settings, std::string_view id) {
  const auto found = std::find_if(settings.rules.begin(), settings.rules.end(),
                                  [&](const OwnRule& rule) { return rule.id == id; });
  return found == settings.rules.end() ? nullptr : &*found;
}

HttpResponse no_rule() { return problem(kNotFound, "There is no rule of your own of that id."); }

HttpResponse put(Services& services, const Call& call, const OwnRule& fresh) {
  Settings next = services.settings.current();
  OwnRule* present = find_rule(next, call.path[0]);
  if (present == nullptr) return no_rule();
  if (auto refused = refuse_outdated(call.request, stored_json(*present))) return std::move(*refused);
  json::object detail{{"before", stored_json(*present)}, {"after", stored_json(fresh)}};
  *present = fresh;
  if (const auto good = signatures_of(next.rules); !good) return problem_of(in_text(good.error()));
  HttpResponse saved = save(services, call, std::move(next));
  if (saved.status != 200) return saved;
  services.audit(call, "rule.change", fresh.id, std::move(detail));
  return answer_object(200, own_rules(services, {fresh}).at(0).as_object());
}

void change_rule(Services& services, const std::shared_ptr<std::size_t>& compiling,
                 const std::shared_ptr<Call>& call, const Respond& respond) {
  Settings current = services.settings.current();
  const OwnRule* present = find_rule(current, call->path[0]);
  if (present == nullptr) return respond(no_rule());
  OwnRule fresh = *present;
  std::string text;
  ObjectReader reader(call->body);
  reader.text("text", text, 1, kMaxTextBytes).boolean("enabled", fresh.enabled);
  if (auto good = reader.finish(); !good) return respond(problem_of(good.error()));
  if (text.empty()) return respond(put(services, *call, fresh));
  auto read = read_text(text);
  if (!read) return respond(problem_of(read.error()));
  if (read->size() != 1 || read->front().id != present->id)
    return respond(problem_of(
        {ErrorCode::kInvalid, 0, fmt::format("text: expected one rule of the id \"{}\"", present->id)}));
  if (auto good = refuse_taken(services, *read, current.rules); !good)
    return respond(problem_of(good.error()));
  fresh.rule = read->front().rule;
  compile_then(services, compiling, std::move(*read), respond,
               [&services, call, fresh] { return put(services, *call, fresh); });
}

HttpResponse remove_rule(Services& services, Call& call) {
  Settings next = services.settings.current();
  OwnRule* present = find_rule(next, call.path[0]);
  if (present == nullptr) return no_rule();
  if (auto refused = refuse_outdated(call.request, stored_json(*present))) return std::move(*refused);
  json::object detail = stored_json(*present);
  next.rules.erase(next.rules.begin() + (present - next.rules.data()));
  HttpResponse saved = save(services, call, std::move(next));
  if (saved.status != 200) return saved;
  services.audit(call, "rule.remove", call.path[0], std::move(detail));
  return HttpResponse::empty(204);
}

}  // namespace

std::vector<Route> rule_routes(Services& services) {
  const auto compiling = std::make_shared<std::size_t>(0);
  return with_if_match({
      operation("GET", "/api/v1/rules", Role::kViewer, "listRules",
                "The rules in use, and those made on the console")
          .answers("Rules")
          .by([&services](const std::shared_ptr<Call>&, const Respond& respond) {
            services.gather_hits([&services, respond] { respond(list_rules(services)); });
          }),
      operation("POST", "/api/v1/rules", Role::kOperator, "addRules",
                "Add signature rules of your own: a rule file or one rule")
          .takes("RulesRequest")
          .answers("OwnRules", 201)
          .by([&services, compiling](const std::shared_ptr<Call>& call, const Respond& respond) {
            add(services, compiling, call, respond);
          }),
      operation("PUT", "/api/v1/rules/{id}", Role::kOperator, "changeRule",
                "Change a rule of your own, or switch it on or off")
          .takes("RuleRequest")
          .answers("OwnRule")
          .by([&services, compiling](const std::shared_ptr<Call>& call, const Respond& respond) {
            change_rule(services, compiling, call, respond);
          }),
      operation("DELETE", "/api/v1/rules/{id}", Role::kOperator, "removeRule", "Remove a rule of your own")
          .answers_nothing()
          .by(services, remove_rule),
  });
}

}  // namespace wafd::console
