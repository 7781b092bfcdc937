// TLS in Tester: what the receiver showed of itself, believed or not, and what to do about it.
#include <algorithm>
#include <string_view>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "forward/io/tester.h"
#include "forward/io/tls_settings.h"

namespace wafd::forward {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxShownName = 255;
constexpr std::size_t kMaxNamesInHint = 3;

// Texts of a certificate may be any bytes, and long.
std::string shown(std::string_view text) {
  std::string out = escape_bytes(text.substr(0, kMaxShownName));
  if (text.size() > kMaxShownName) out += "...";
  return out;
}

json::object described(const kit::TlsInfo& info) {
  json::array names;
  for (const auto& name : info.peer_names) names.push_back(json::value(shown(name)));
  return {{"version", info.version},
          {"cipher", info.cipher},
          {"verified", info.verified},
          {"subject", shown(info.peer_subject)},
          {"issuer", shown(info.peer_issuer)},
          {"names", std::move(names)},
          {"not_after", info.peer_not_after_s},
          {"fingerprint_sha256", info.peer_fingerprint_sha256}};
}

// `info` has the receiver's certificate: this is about what is wrong with it.
std::string hint_about(const kit::TlsInfo& info, std::string_view error, bool ca_given) {
  const auto says = [error](std::string_view part) { return error.find(part) != std::string_view::npos; };
  if (says("expired")) return "the receiver needs a new certificate";
  if (says("not yet valid")) return "the clock of the receiver or of this machine is wrong";
  if (says("fingerprint")) return "compare the fingerprint with what the receiver's owner tells";
  if (!says("mismatch") && ca_given)
    return "the CA that is given did not issue the receiver's certificate: give the one that did, or the "
           "fingerprint";
  if (!says("mismatch")) return "give the receiver's CA, or its fingerprint";
  std::string list;
  for (std::size_t i = 0; i < std::min(info.peer_names.size(), kMaxNamesInHint); ++i)
    list += (i == 0 ? "" : ", ") + shown(info.peer_names[i]);
  if (list.empty()) return "its certificate names nobody: it needs a subjectAltName, or give its fingerprint";
  return fmt::format("its certificate is for {}{}: give the right one as server_name", list,
                     info.peer_names.size() > kMaxNamesInHint ? ", ..." : "");
}

}  // namespace

void Tester::begin_tls() {
  begin_stage("tls");
  auto context = tls_context(target_.tls);
  if (!context) return fail_stage(context.error().what, "");
  link_.stream = kit::make_tls_client(std::move(link_.stream), *context,
                                      tls_name(target_.tls, {target_.host, target_.port}));
  link_.stream->start(*this);
}

void Tester::on_open() noexcept {
  const kit::TlsInfo* info = link_.stream->tls();
  end_stage(true, info ? described(*info) : json::object{}, "");
  write_message();
}

void Tester::tls_ended(const std::string& what) {
  const kit::TlsInfo* info = link_.stream->tls();
  if (info && !info->peer_fingerprint_sha256.empty())
    return fail_stage(what, hint_about(*info, what, !target_.tls.ca.empty()), described(*info));
  const bool alert = what.find("alert") != std::string::npos;
  fail_stage(what,
             alert ? "the receiver refused: perhaps it wants a client certificate, does not know ours, or "
                     "knows other versions of TLS"
                   : "perhaps the port speaks no TLS");
}

}  // namespace wafd::forward
