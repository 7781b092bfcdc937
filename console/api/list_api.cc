// Import and export of the allow and deny lists.
#include <utility>

#include <fmt/format.h>

#include "console/api/api_parts.h"
#include "console/base/problem.h"
#include "console/base/secrets.h"
#include "console/settings/list_text.h"
#include "console/settings/policy_json.h"
#include "json/object_reader.h"

namespace wafd::console {
namespace {

struct ImportRequest {
  std::string text;
  ListDefaults defaults;
  bool check = false;
};

Result<ImportRequest> import_request(const boost::json::object& body) {
  ImportRequest out;
  boost::json::object entry = body;
  entry.erase("text");
  entry.erase("check");
  entry["cidr"] = "::";  // of the lines
  if (!entry.contains("kind")) entry["kind"] = "deny";
  auto defaults = parse_list_entry(entry, {});
  if (!defaults) return tl::unexpected(defaults.error());
  out.defaults = {defaults->kind, defaults->comment, defaults->expires_s};
  const boost::json::value* text = body.if_contains("text");
  if (text == nullptr || !text->is_string())
    return fail(ErrorCode::kInvalid, "text: expected the lines of a list, or CSV as the export has it");
  out.text = std::string(text->get_string());
  if (const boost::json::value* check = body.if_contains("check")) {
    if (!check->is_bool()) return fail(ErrorCode::kInvalid, "check: expected true or false");
    out.check = check->get_bool();
  }
  return out;
}

boost::json::object answer_of(const ListImport& done) {
  return {{"added", done.added}, {"changed", done.changed}, {"present", done.present}, {"ended", done.ended}};
}

HttpResponse import(Services& services, Call& call) {
  auto asked = import_request(call.body);
  if (!asked) return problem_of(asked.error());
  auto entries = parse_list_text(asked->text, asked->defaults);
  if (!entries) return problem_of(entries.error());
  Settings next = services.settings.current();
  auto& lists = next.policy.lists;
  const ListImport done = merge_lists(lists, std::move(*entries), call.now_ms,
                                      [&services] { return make_id(services.random, 8); });
  if (lists.size() > kMaxLists)
    return problem(
        kConflict,
        fmt::format("text: expected at most {} entries in all, they would be {}", kMaxLists, lists.size()),
        {{"member", "text"}});
  if (!asked->check && done.added + done.changed > 0) {
    if (auto saved = services.settings.commit(std::move(next), call.identity.username, call.now_ms); !saved)
      return problem_of(saved.error());
    services.audit(call, "list.import", to_string(asked->defaults.kind), answer_of(done));
  }
  return HttpResponse::json(200, answer_of(done));
}

HttpResponse export_csv(const Services& services) {
  HttpResponse response;
  response.headers.push_back({"Content-Type", "text/csv; charset=utf-8; header=present"});
  response.headers.push_back({"Content-Disposition", "attachment; filename=\"wafd-lists.csv\""});
  response.headers.push_back({"Content-Security-Policy", "sandbox; default-src 'none'"});
  response.body = list_csv(services.settings.current().policy.lists);
  return response;
}

}  // namespace

std::vector<Route> list_routes(Services& services) {
  return {
      operation("POST", "/api/v1/lists/import", Role::kOperator, "importLists",
                "Add many entries: lines of addresses and networks, or CSV; all of them or none")
          .takes("ListImportRequest")
          .answers("ListImport")
          .by(services, import),
      operation("GET", "/api/v1/lists/export", Role::kViewer, "exportLists", "All entries as CSV")
          .answers_text("text/csv")
          .by(services, export_csv),
  };
}

}  // namespace wafd::console
