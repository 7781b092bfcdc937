#include "ingest/io/kit/tls.h"

#include <ctime>

#include <gtest/gtest.h>

#include "tests/ingest/io/kit/kit_support.h"

namespace wafd::kit {
namespace {

struct TlsPair {
  TlsPair(Loop& loop, const TlsServerOptions& server_options, const TlsClientOptions& client_options,
          const std::string& name)
      : pair(loop) {
    auto server_context = TlsContext::server(server_options);
    auto client_context = TlsContext::client(client_options);
    EXPECT_TRUE(server_context) << server_context.error().what;
    EXPECT_TRUE(client_context) << client_context.error().what;
    server = make_tls_server(std::move(pair.server), *server_context);
    client = make_tls_client(std::move(pair.client), *client_context, name);
    server->start(pair.at_server);
    client->start(pair.at_client);
    settled = run_until(loop, [&] {
      return (pair.at_server.open || pair.at_server.ended) && (pair.at_client.open || pair.at_client.ended);
    });
  }
  Pair pair;
  std::unique_ptr<Stream> server, client;
  bool settled = false;
};

SelfSigned certificate_for(const std::vector<std::string>& names, int days = 30, std::int64_t shift_s = 0) {
  return make_self_signed(names, std::time(nullptr) + shift_s, days).value();
}

TEST(Tls, VerifiedExchangeBothWays) {
  Loop loop;
  const auto own = certificate_for({"log.example", "127.0.0.1"});
  TlsServerOptions server{own.certificate_pem, own.key_pem, "1.2", {"http/1.1"}, {}};
  TlsClientOptions client;
  client.ca_pem = own.certificate_pem;
  for (const char* name : {"log.example", "127.0.0.1"}) {
    TlsPair tls(loop, server, client, name);
    ASSERT_TRUE(tls.settled);
    ASSERT_TRUE(tls.pair.at_client.open) << tls.pair.at_client.end.error.what;
    ASSERT_NE(tls.client->tls(), nullptr);
    EXPECT_TRUE(tls.client->tls()->verified);
    EXPECT_EQ(tls.client->tls()->version, "TLSv1.3");
    EXPECT_EQ(tls.client->tls()->peer_subject, "CN=log.example");
    EXPECT_EQ(tls.client->tls()->peer_names, (std::vector<std::string>{"log.example", "127.0.0.1"}));
    EXPECT_GT(tls.client->tls()->peer_not_after_s, std::time(nullptr));
    const std::string big(3 << 20, 'q');
    int written = 0;
    EXPECT_TRUE(tls.client->write(big, [&](bool ok) { written += ok; }));
    EXPECT_TRUE(
        run_until(loop, [&] { return tls.pair.at_server.received.size() == big.size() && written == 1; }));
    EXPECT_GT(tls.client->wire_bytes(), big.size());
    EXPECT_TRUE(tls.server->write("answer", {}));
    tls.server->close();
    EXPECT_TRUE(run_until(loop, [&] { return tls.pair.at_client.ended; }));
    EXPECT_EQ(tls.pair.at_client.received, "answer");
    EXPECT_EQ(tls.pair.at_client.end.kind, StreamEndKind::kEof);
  }
}

TEST(Tls, TheEndOfWritingIsAnsweredByThePeersFinAndNotByItsAlert) {
  Loop loop;
  const auto own = certificate_for({"log.example"});
  TlsClientOptions client;
  client.ca_pem = own.certificate_pem;
  TlsPair tls(loop, {own.certificate_pem, own.key_pem, "1.2", {}, {}}, client, "log.example");
  ASSERT_TRUE(tls.pair.at_client.open) << tls.pair.at_client.end.error.what;
  EXPECT_TRUE(tls.client->write(std::string(1 << 20, 'q'), {}));
  tls.client->end_writing();
  EXPECT_FALSE(tls.client->write("more", {}));
  ASSERT_TRUE(run_until(loop, [&] { return tls.pair.at_server.received.size() == 1u << 20; }));
  ASSERT_TRUE(run_until(loop, [&] { return tls.pair.at_server.ended; }));
  EXPECT_EQ(tls.pair.at_server.end.kind, StreamEndKind::kEof);
  EXPECT_FALSE(tls.pair.at_client.ended);
  tls.server->close();
  EXPECT_TRUE(run_until(loop, [&] { return tls.pair.at_client.ended; }));
  EXPECT_EQ(tls.pair.at_client.end.kind, StreamEndKind::kEof);
}

TEST(Tls, PiecesGoInFullRecords) {
  Loop loop;
  const auto own = certificate_for({"log.example"});
  TlsClientOptions client;
  client.ca_pem = own.certificate_pem;
  TlsPair tls(loop, {own.certificate_pem, own.key_pem, "1.2", {}, {}}, client, "log.example");
  ASSERT_TRUE(tls.pair.at_client.open) << tls.pair.at_client.end.error.what;
  const std::uint64_t before = tls.client->wire_bytes();
  std::string all;
  std::vector<std::string> pieces;
  for (std::size_t i = 0; i < 2000; ++i) {
    pieces.emplace_back(i % 5 == 0 ? 0 : i, static_cast<char>('a' + i % 26));
    all += pieces.back();
  }
  EXPECT_TRUE(tls.client->write_parts(std::vector<std::string_view>(pieces.begin(), pieces.end())));
  EXPECT_TRUE(run_until(loop, [&] { return tls.pair.at_server.received.size() >= all.size(); }));
  EXPECT_TRUE(tls.pair.at_server.received == all);
  // 22 bytes around each 16 KiB (RFC 8446 section 5.2), where each piece alone would cost as much.
  EXPECT_LE(tls.client->wire_bytes() - before, all.size() + (all.size() / 16'384 + 1) * 22);
}

TEST(Tls, WrittenBeforeTheHandshakeWaits) {
  Loop loop;
  const auto own = certificate_for({"a.example"});
  Pair pair(loop);
  auto server = make_tls_server(
      std::move(pair.server), TlsContext::server({own.certificate_pem, own.key_pem, "1.3", {}, {}}).value());
  TlsClientOptions options;
  options.ca_pem = own.certificate_pem;
  auto client = make_tls_client(std::move(pair.client), TlsContext::client(options).value(), "a.example");
  server->start(pair.at_server);
  client->start(pair.at_client);
  EXPECT_TRUE(client->write("early", {}));
  EXPECT_EQ(client->queued_bytes() >= 5, true);
  EXPECT_TRUE(run_until(loop, [&] { return pair.at_server.received == "early"; }));
}

TEST(Tls, FailuresSayWhy) {
  Loop loop;
  const auto own = certificate_for({"log.example"});
  const auto old = certificate_for({"log.example"}, 1, -10 * 86400);
  const auto other = certificate_for({"log.example"});
  TlsClientOptions trusting;
  trusting.ca_pem = own.certificate_pem;
  TlsClientOptions expired;
  expired.ca_pem = old.certificate_pem;
  TlsClientOptions pinned;
  pinned.verify = false;
  pinned.fingerprint_sha256 = std::string(64, 'a');
  const struct {
    const SelfSigned& server;
    const TlsClientOptions& client;
    const char* name;
    const char* why;
  } rows[] = {
      {own, trusting, "other.example", "TLS: hostname mismatch"},
      {own, trusting, "192.0.2.1", "TLS: IP address mismatch"},
      {other, trusting, "log.example", "TLS: self-signed certificate"},
      {old, expired, "log.example", "TLS: certificate has expired"},
      {own, pinned, "log.example", "TLS: the certificate's fingerprint is not the expected one"},
  };
  for (const auto& row : rows) {
    TlsPair tls(loop, {row.server.certificate_pem, row.server.key_pem, "1.2", {}, {}}, row.client, row.name);
    EXPECT_TRUE(run_until(loop, [&] { return tls.pair.at_client.ended; }));
    EXPECT_EQ(tls.pair.at_client.end.error.what, row.why);
    EXPECT_FALSE(tls.pair.at_client.open);
  }
}

TEST(Tls, FingerprintAloneIsEnough) {
  Loop loop;
  const auto own = certificate_for({"log.example"});
  TlsClientOptions options;
  options.verify = false;
  std::string fingerprint;
  {
    TlsPair tls(loop, {own.certificate_pem, own.key_pem, "1.2", {}, {}}, options, "");
    ASSERT_TRUE(tls.pair.at_client.open);
    EXPECT_FALSE(tls.client->tls()->verified);
    fingerprint = tls.client->tls()->peer_fingerprint_sha256;
    ASSERT_EQ(fingerprint.size(), 64u);
  }
  options.fingerprint_sha256 = fingerprint;
  TlsPair tls(loop, {own.certificate_pem, own.key_pem, "1.2", {}, {}}, options, "whatever.example");
  EXPECT_TRUE(tls.pair.at_client.open);
}

TEST(Tls, MutualAuthentication) {
  Loop loop;
  const auto own = certificate_for({"log.example"});
  const auto mine = certificate_for({"waf.example"});
  TlsServerOptions server{own.certificate_pem, own.key_pem, "1.2", {}, mine.certificate_pem};
  TlsClientOptions client;
  client.ca_pem = own.certificate_pem;
  {
    TlsPair tls(loop, server, client, "log.example");
    EXPECT_TRUE(run_until(loop, [&] { return tls.pair.at_server.ended; }));
    EXPECT_EQ(tls.pair.at_server.end.error.what, "TLS: peer did not return a certificate");
    EXPECT_TRUE(run_until(loop, [&] { return tls.pair.at_client.ended; }));
  }
}

TEST(Tls, PlainTextPeerIsAnError) {
  Loop loop;
  const auto own = certificate_for({"log.example"});
  Pair pair(loop);
  auto server = make_tls_server(
      std::move(pair.server), TlsContext::server({own.certificate_pem, own.key_pem, "1.2", {}, {}}).value());
  server->start(pair.at_server);
  pair.client->start(pair.at_client);
  EXPECT_TRUE(pair.client->write("GET / HTTP/1.1\r\nHost: a\r\n\r\n", {}));
  EXPECT_TRUE(run_until(loop, [&] { return pair.at_server.ended; }));
  EXPECT_EQ(pair.at_server.end.error.what, "TLS: http request");
}

TEST(Tls, DestroyedInItsCallbacks) {
  Loop loop;
  const auto own = certificate_for({"log.example"});
  TlsClientOptions options;
  options.ca_pem = own.certificate_pem;
  TlsPair tls(loop, {own.certificate_pem, own.key_pem, "1.2", {}, {}}, options, "log.example");
  tls.pair.at_server.then = [&](std::string_view) { tls.server.reset(); };
  EXPECT_TRUE(tls.client->write("x", {}));
  EXPECT_TRUE(run_until(loop, [&] { return tls.server == nullptr && tls.pair.at_client.ended; }));
}

TEST(Tls, WrongMaterialIsNamed) {
  const auto own = certificate_for({"a.example"});
  const auto other = certificate_for({"b.example"});
  const struct {
    TlsServerOptions options;
    const char* begins;
  } rows[] = {
      {{"", own.key_pem, "1.2", {}, {}}, "certificate: expected a PEM certificate"},
      {{own.certificate_pem, "", "1.2", {}, {}}, "key: expected an unencrypted PEM private key"},
      {{own.certificate_pem, other.key_pem, "1.2", {}, {}}, "key: does not belong to the certificate"},
      {{own.certificate_pem, own.key_pem, "1.1", {}, {}}, "min_version: expected 1.2 or 1.3"},
      {{own.certificate_pem, own.key_pem, "1.2", {}, "nonsense"}, "ca: expected PEM certificates"},
  };
  for (const auto& row : rows) {
    const auto context = TlsContext::server(row.options);
    ASSERT_FALSE(context) << row.begins;
    EXPECT_EQ(context.error().what.rfind(row.begins, 0), 0u) << context.error().what;
  }
  TlsClientOptions client;
  client.fingerprint_sha256 = "12";
  EXPECT_EQ(TlsContext::client(client).error().what, "fingerprint_sha256: expected 64 hex digits");
}

}  // namespace
}  // namespace wafd::kit
