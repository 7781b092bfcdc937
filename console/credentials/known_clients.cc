#include "console/credentials/known_clients.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "console/base/json_text.h"
#include "files/small_file.h"

namespace wafd::console {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxClientsFileBytes = 16u << 20;

}  // namespace

KnownClients KnownClients::open(const std::string& state_dir, std::int64_t now_ms) {
  KnownClients known(state_dir + "/known-clients.json");
  const auto text = read_file(known.path_, kMaxClientsFileBytes);
  if (text ? known.load(*text, now_ms) : text.error().code == ErrorCode::kMissing) return known;
  known.clients_.clear();
  const std::string aside = known.path_ + ".damaged";
  std::rename(known.path_.c_str(), aside.c_str());
  known.notice_ = fmt::format("{} cannot be read: put aside as {}; nobody's address or browser is known",
                              known.path_, aside);
  return known;
}

bool KnownClients::load(std::string_view text, std::int64_t now_ms) {
  boost::system::error_code wrong;
  const json::value document = json::parse(text, wrong);
  const json::object* root = wrong ? nullptr : document.if_object();
  const json::value* accounts = root == nullptr ? nullptr : root->if_contains("clients");
  if (accounts == nullptr || !accounts->is_object()) return false;
  for (const auto& [account, list] : accounts->get_object()) {
    if (!list.is_array() || clients_.size() >= kMaxAccounts) return false;
    auto& clients = clients_[std::string(account)];
    for (const json::value& value : list.get_array()) {
      const json::object* object = value.if_object();
      const json::value* last = object == nullptr ? nullptr : object->if_contains("last_ms");
      if (last == nullptr || !last->is_int64() || clients.size() >= kMaxOfAccount) return false;
      KnownClient client{std::string(text_member(*object, "address")),
                         std::string(text_member(*object, "device")), last->get_int64()};
      if (now_ms - client.last_ms < kForgetMs) clients.push_back(std::move(client));
    }
  }
  return true;
}

bool KnownClients::has_device(std::string_view account, std::string_view device) const {
  const auto found = clients_.find(account);
  return found != clients_.end() && !device.empty() &&
         std::any_of(found->second.begin(), found->second.end(),
                     [&](const KnownClient& client) { return client.device == device; });
}

Result<void> KnownClients::remember(const std::string& account, KnownClient client) {
  if (clients_.size() >= kMaxAccounts && !clients_.contains(account)) {
    const auto oldest = std::min_element(clients_.begin(), clients_.end(), [](const auto& a, const auto& b) {
      const auto last = [](const auto& item) { return item.second.empty() ? 0 : item.second.back().last_ms; };
      return last(a) < last(b);
    });
    clients_.erase(oldest);
  }
  auto& clients = clients_[account];
  std::erase_if(clients, [&](const KnownClient& one) { return one.device == client.device; });
  clients.push_back(std::move(client));
  if (clients.size() > kMaxOfAccount) clients.erase(clients.begin());
  return write_file(path_, text());
}

std::string KnownClients::text() const {
  json::object accounts;
  for (const auto& [account, clients] : clients_) {
    json::array list;
    for (const KnownClient& client : clients)
      list.push_back({{"address", client.address}, {"device", client.device}, {"last_ms", client.last_ms}});
    accounts[account] = std::move(list);
  }
  return json::serialize(json::object{{"format", 1}, {"clients", std::move(accounts)}}) + "\n";
}

}  // namespace wafd::console
