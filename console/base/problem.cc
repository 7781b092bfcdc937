#include "console/base/problem.h"

#include <utility>

#include <boost/json/serialize.hpp>

#include "detect/core/bytes.h"

namespace wafd::console {

HttpResponse problem(const ProblemType& type, std::string_view detail, boost::json::object extra) {
  boost::json::object document;
  document["type"] = std::string("urn:wafd:problem:") + type.type;
  document["title"] = type.title;
  document["status"] = type.status;
  document["detail"] = detail;
  for (auto& member : extra) document[member.key()] = std::move(member.value());
  HttpResponse response;
  response.status = type.status;
  response.headers.push_back({"Content-Type", "application/problem+json"});
  response.body = boost::json::serialize(document);
  return response;
}

HttpResponse problem_retry(const ProblemType& type, std::string_view detail, std::int64_t retry_after_s) {
  HttpResponse response = problem(type, detail, {{"retry_after_s", retry_after_s}});
  response.headers.push_back({"Retry-After", std::to_string(retry_after_s)});
  return response;
}

std::string_view blamed_member(std::string_view what) noexcept {
  std::size_t at = 0;
  while (at < what.size() &&
         (is_alnum(what[at]) || what[at] == '_' || what[at] == '.' || what[at] == '[' || what[at] == ']')) {
    ++at;
  }
  if (at == 0 || what.substr(at, 2) != ": ") return {};
  return what.substr(0, at);
}

HttpResponse problem_of(const Error& error) {
  const ProblemType* type = &kValidation;
  switch (error.code) {
    case ErrorCode::kUnknown:
      type = &kNotFound;
      break;
    case ErrorCode::kConflict:
      type = &kConflict;
      break;
    case ErrorCode::kDenied:
      type = &kForbidden;
      break;
    case ErrorCode::kIo:
    case ErrorCode::kResource:
      type = &kUnavailable;
      break;
    case ErrorCode::kInternal:
      type = &kInternal;
      break;
    default:
      break;
  }
  boost::json::object extra;
  if (const std::string_view member = blamed_member(error.what); !member.empty() && type == &kValidation) {
    extra["member"] = member;
  }
  return problem(*type, error.what, std::move(extra));
}

}  // namespace wafd::console
