// Certificates and keys as they are judged before a target is saved.
#include "forward/io/tls_check.h"

#include <cstdlib>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "forward/io/tls_settings.h"
#include "ingest/io/kit/system.h"
#include "ingest/io/kit/tls.h"
#include "tests/support/temp_folder.h"

namespace wafd::forward {
namespace {

struct Certificates {
  Certificates() {
    // An authority, a server certificate of it, and client certificates of it, made by OpenSSL's own program.
    const std::string made =
        "cd " + folder.path +
        " && exec >log 2>&1"
        " && K='-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'"
        " && openssl req -x509 $K -keyout ca.key -out ca.pem -subj /CN=authority -days 30"
        " -addext keyUsage=critical,keyCertSign"
        " && for n in server client; do"
        " openssl req $K -keyout $n.key -out $n.csr -subj /CN=$n &&"
        " echo \"extendedKeyUsage=${n}Auth\" >$n.ext &&"
        " openssl x509 -req -in $n.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 30 -extfile $n.ext "
        "-out "
        "$n.pem || exit 1; done"
        " && openssl ec -in client.key -aes128 -passout pass:secret -out locked.key";
    if (std::system(made.c_str()) != 0) throw std::runtime_error("openssl: " + text("log"));
    now_s = kit::SystemClock().unix_us() / 1'000'000;
  }
  std::string text(const std::string& name) const {
    std::ifstream file(folder.path + "/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string verdict(const TlsSettings& tls, std::int64_t days_from_now = 0) const {
    TargetSettings t;
    t.transport = Transport::kTls;
    t.host = "siem.example";
    t.backups = {{"127.0.0.1", 6514}};
    t.tls = tls;
    const auto good = check_tls(t, now_s + days_from_now * 86'400);
    return good ? "good" : good.error().what;
  }
  test::TempFolder folder;
  std::int64_t now_s = 0;
};

TEST(TlsCheck, NamesTheMemberAndWhatIsWrongWithIt) {
  const Certificates c;
  const std::string ca = c.text("ca.pem"), server = c.text("server.pem"), client = c.text("client.pem"),
                    key = c.text("client.key");
  const auto own = kit::make_self_signed({"siem.example", "127.0.0.1"}, c.now_s, 30).value();
  const auto stranger = kit::make_self_signed({"siem.example"}, c.now_s, 30).value();
  struct Row {
    const char* what;
    TlsSettings tls;
    std::int64_t days;
    std::string verdict;  // its beginning
  };
  const auto authority = [](std::string text) {
    TlsSettings tls;
    tls.ca = std::move(text);
    return tls;
  };
  const auto mutual = [](std::string certificate, std::string its_key) {
    TlsSettings tls;
    tls.certificate = std::move(certificate);
    tls.key = std::move(its_key);
    return tls;
  };
  TlsSettings named = authority(stranger.certificate_pem), unverified = authority(server);
  named.server_name = "siem.example";
  unverified.verify = false;
  const std::string pipe = c.folder.path + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::ofstream(c.folder.path + "/empty").close();
  const Row rows[] = {
      {"nothing given", {}, 0, "good"},
      {"an authority", authority(ca), 0, "good"},
      {"its file", authority("file:" + c.folder.path + "/ca.pem"), 0, "good"},
      {"no file", authority("file:/no/such.pem"), 0,
       "tls.ca: /no/such.pem cannot be read: No such file or directory"},
      {"a pipe that nobody writes into", authority("file:" + pipe), 0,
       "tls.ca: " + pipe + " is not a regular file"},
      {"a folder", authority("file:" + c.folder.path), 0,
       "tls.ca: " + c.folder.path + " is not a regular file"},
      {"an empty file", authority("file:" + c.folder.path + "/empty"), 0,
       "tls.ca: " + c.folder.path + "/empty is empty"},
      {"no certificate", authority("file:" + c.folder.path + "/ca.key"), 0,
       "tls.ca: expected PEM certificates"},
      {"too old", authority(ca), 31, "tls.ca: the certificate CN=authority expired on "},
      {"too young", authority(ca), -2, "tls.ca: the certificate CN=authority is not valid before "},
      {"a receiver's, signed by another", authority(server), 0,
       "tls.ca: the certificate CN=server is not a CA: expected the certificate of who signed"},
      {"it, with its authority", authority(server + ca), 0, "good"},
      {"it, where nothing is verified", unverified, 0, "good"},
      {"the receiver's own, self-signed", authority(own.certificate_pem), 0, "good"},
      {"one that is not for the backup", authority(stranger.certificate_pem), 0,
       "tls.ca: the certificate CN=siem.example is not a CA, and not made for 127.0.0.1"},
      {"but for the server name", named, 0, "good"},
      {"a client certificate", mutual(client, key), 0, "good"},
      {"its files", mutual("file:" + c.folder.path + "/client.pem", "file:" + c.folder.path + "/client.key"),
       0, "good"},
      {"not a certificate", mutual(key, key), 0, "tls.certificate: expected a PEM certificate"},
      {"too old", mutual(client, key), 31, "tls.certificate: the certificate CN=client expired on "},
      {"a server's", mutual(server, c.text("server.key")), 0,
       "tls.certificate: the certificate CN=server is not made for TLS clients"},
      {"another's key", mutual(client, c.text("server.key")), 0,
       "tls.key: does not belong to the certificate"},
      {"a key with a pass phrase", mutual(client, c.text("locked.key")), 0,
       "tls.key: expected an unencrypted PEM private key"},
      {"no key file", mutual(client, "file:/no/such.key"), 0,
       "tls.key: /no/such.key cannot be read: No such file or directory"},
  };
  for (const Row& row : rows)
    EXPECT_TRUE(c.verdict(row.tls, row.days).starts_with(row.verdict))
        << row.what << ": " << c.verdict(row.tls, row.days);
}

TEST(TlsName, IsTheServerNameOrTheHostWithoutTheDotOfAWholeName) {
  TlsSettings tls;
  EXPECT_EQ(tls_name(tls, {"siem.example.", 6514}), "siem.example");
  EXPECT_EQ(tls_name(tls, {"192.0.2.1", 6514}), "192.0.2.1");
  tls.server_name = "logs.example.";
  EXPECT_EQ(tls_name(tls, {"siem.example", 6514}), "logs.example");
}

}  // namespace
}  // namespace wafd::forward
