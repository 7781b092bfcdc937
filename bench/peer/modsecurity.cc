#include "bench/peer/modsecurity.h"

#include <fmt/format.h>

#ifdef WAFD_HAVE_MODSECURITY

#include <modsecurity/modsecurity.h>
#include <modsecurity/rules_set.h>
#include <modsecurity/transaction.h>
#include <time.h>

#include "detect/core/request_head.h"

namespace wafd::bench {
namespace {

// The settings of the project's modsecurity.conf-recommended, but that rules may deny; and without the audit
// log, which would only add to the time.
constexpr const char kRecommended[] = R"(
SecRuleEngine On
SecRequestBodyAccess On
SecRule REQUEST_HEADERS:Content-Type "^(?:application(?:/soap\+|/)|text/)xml" \
  "id:'200000',phase:1,t:none,t:lowercase,pass,nolog,ctl:requestBodyProcessor=XML"
SecRule REQUEST_HEADERS:Content-Type "^application/json" \
  "id:'200001',phase:1,t:none,t:lowercase,pass,nolog,ctl:requestBodyProcessor=JSON"
SecRule REQUEST_HEADERS:Content-Type "^application/[a-z0-9.-]+[+]json" \
  "id:'200006',phase:1,t:none,t:lowercase,pass,nolog,ctl:requestBodyProcessor=JSON"
SecRequestBodyLimit 13107200
SecRequestBodyNoFilesLimit 131072
SecRequestBodyLimitAction Reject
SecRequestBodyJsonDepthLimit 512
SecArgumentsLimit 1000
SecPcreMatchLimit 1000
SecPcreMatchLimitRecursion 1000
SecResponseBodyAccess Off
SecTmpDir /tmp/
SecDataDir /tmp/
SecAuditEngine Off
SecArgumentSeparator &
SecCookieFormat 0
SecStatusEngine Off
)";

double thread_cpu_us() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

const unsigned char* bytes(std::string_view text) noexcept {
  return reinterpret_cast<const unsigned char*>(text.data());
}

class Impl final : public ModSecurity {
 public:
  Result<void> load_rules(const Options& options) {
    library_.setConnectorInformation("wafd bench");
    library_.setServerLogCb([](void*, const void*) {});
    const std::string level = fmt::format(
        "SecAction \"id:200100,phase:1,nolog,pass,t:none,setvar:tx.paranoia_level={}\"\n"
        "Include {}\nInclude {}/*.conf\n",
        options.paranoia_level, options.setup_file, options.rules_folder);
    for (const std::string& text : {std::string(kRecommended), level}) {
      const int loaded = rules_.load(text.c_str());
      if (loaded < 0) return fail(ErrorCode::kInvalid, "libmodsecurity: " + rules_.getParserError());
      rule_count_ += static_cast<std::size_t>(loaded);
    }
    version_ =
        fmt::format("libmodsecurity {}.{}.{}, Core Rule Set of {}, paranoia level {}", MODSECURITY_MAJOR,
                    MODSECURITY_MINOR, MODSECURITY_PATCHLEVEL, options.rules_folder, options.paranoia_level);
    return {};
  }

  Judged judge(std::string_view head, std::string_view body) override {
    head_.parse(head);
    const std::string target(head_.target);
    const std::string method(head_.method);
    const std::string version(head_.version.starts_with("HTTP/") ? head_.version.substr(5) : "1.1");

    Judged out;
    const double begin = thread_cpu_us();
    {
      modsecurity::Transaction transaction(&library_, &rules_, nullptr);
      transaction.processConnection("192.0.2.1", 40000, "192.0.2.2", 80);
      transaction.processURI(target.c_str(), method.c_str(), version.c_str());
      for (const HeaderField& field : head_.fields) {
        transaction.addRequestHeader(bytes(field.name), field.name.size(), bytes(field.value),
                                     field.value.size());
      }
      transaction.processRequestHeaders();
      out.denied = intervened(transaction);
      if (!out.denied) {
        if (!body.empty()) transaction.appendRequestBody(bytes(body), body.size());
        transaction.processRequestBody();
        out.denied = intervened(transaction);
      }
    }
    out.cpu_us = thread_cpu_us() - begin;
    return out;
  }

  std::string_view version() const noexcept override { return version_; }
  std::size_t rule_count() const noexcept override { return rule_count_; }

 private:
  static bool intervened(modsecurity::Transaction& transaction) {
    modsecurity::ModSecurityIntervention it;
    modsecurity::intervention::clean(&it);
    transaction.intervention(&it);
    const bool denied = it.disruptive != 0;
    modsecurity::intervention::free(&it);
    return denied;
  }

  modsecurity::ModSecurity library_;
  modsecurity::RulesSet rules_;
  RequestHead head_;
  std::string version_;
  std::size_t rule_count_ = 0;
};

}  // namespace

Result<std::unique_ptr<ModSecurity>> ModSecurity::load(const Options& options) {
  auto made = std::make_unique<Impl>();
  if (auto loaded = made->load_rules(options); !loaded) return tl::unexpected<Error>(loaded.error());
  return made;
}

}  // namespace wafd::bench

#else

namespace wafd::bench {

Result<std::unique_ptr<ModSecurity>> ModSecurity::load(const Options&) {
  return fail(ErrorCode::kInvalid,
              "built without libmodsecurity (Debian: libmodsecurity-dev, modsecurity-crs)");
}

}  // namespace wafd::bench

#endif
