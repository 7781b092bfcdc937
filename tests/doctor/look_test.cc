// Facts about this machine: files with their modes, a disk, names, certificates.
#include "doctor/io/look.h"

#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>

#include <gtest/gtest.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/stat.h>

namespace wafd::doctor {
namespace {

namespace fs = std::filesystem;

class Look : public ::testing::Test {
 protected:
  Look() {
    std::string name = (fs::temp_directory_path() / "wafd-doctor-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~Look() override { fs::remove_all(folder_); }
  std::string file(const char* name, std::string_view text, unsigned mode = 0600) {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path) << text;
    ::chmod(path.c_str(), mode);
    return path;
  }
  std::string folder_;
};

TEST_F(Look, AtFilesBelowTheFolder) {
  file("credentials.json", "{}", 0640);
  file("ring", "", 0644);
  fs::create_directory(folder_ + "/settings-versions");
  file("settings-versions/settings.json.1", "{}");
  Facts facts;
  facts.state_dir = folder_;
  look_at_files(facts);
  EXPECT_EQ(facts.state_error, "");
  ASSERT_EQ(facts.files.size(), 3u);
  for (const FileFacts& one : facts.files) {
    EXPECT_EQ(one.owner, facts.state_owner);
    EXPECT_EQ(one.secret, !one.path.ends_with("/ring")) << one.path;
    EXPECT_EQ(one.mode, one.path.ends_with("credentials.json") ? 0640u : one.secret ? 0600u : 0644u);
  }
  Facts none;
  none.state_dir = folder_ + "/none";
  look_at_files(none);
  EXPECT_NE(none.state_error.find("No such file"), std::string::npos);
}

TEST_F(Look, AtTheDiskOfAFolderThatIsNotThereYet) {
  const DiskFacts disk = look_at_disk(folder_ + "/none/yet", folder_ + "/none/yet/ring", 1u << 20);
  EXPECT_EQ(disk.error, "");
  EXPECT_GT(disk.free_bytes, 0u);
  EXPECT_EQ(disk.needed_bytes, 1u << 20);
  const std::string ring = file("ring", std::string(1u << 20, 'x'));
  EXPECT_EQ(look_at_disk(folder_, ring, 1u << 20).needed_bytes, 0u);
}

TEST_F(Look, AtNames) {
  std::vector<NameFacts> names{{"here", "localhost", ""}, {"nowhere", "no-such-host.invalid", ""}};
  look_at_names(names);
  EXPECT_EQ(names[0].error, "");
  EXPECT_NE(names[1].error, "");
}

TEST_F(Look, AtCertificates) {
  EXPECT_EQ(certificate_end_s(folder_ + "/none.pem").error().what, "it cannot be read");
  const std::string pipe = folder_ + "/pipe.pem";  // which nobody writes into
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(certificate_end_s(pipe).error().what, "it cannot be read");
  EXPECT_EQ(certificate_end_s(file("a.pem", "text")).error().what, "it holds no certificate in PEM");
  EXPECT_EQ(certificate_end_s("-----BEGIN CERTIFICATE-----\nx").error().what,
            "it holds no certificate in PEM");
}

// A certificate in PEM that ends in so many days.
std::string certificate_of(long days) {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const std::unique_ptr<X509, decltype(&X509_free)> one(X509_new(), X509_free);
  X509_gmtime_adj(X509_getm_notBefore(one.get()), -400 * 86400L);
  X509_gmtime_adj(X509_getm_notAfter(one.get()), days * 86400L);
  X509_set_pubkey(one.get(), key.get());
  X509_sign(one.get(), key.get(), EVP_sha256());
  const std::unique_ptr<BIO, decltype(&BIO_free_all)> out(BIO_new(BIO_s_mem()), BIO_free_all);
  PEM_write_bio_X509(out.get(), one.get());
  char* text = nullptr;
  const long size = BIO_get_mem_data(out.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

TEST_F(Look, AChainEndsWithItsFirstAuthoritiesWithTheirLast) {
  const std::string ended = certificate_of(-30), near = certificate_of(10), far = certificate_of(300);
  const std::int64_t now = std::time(nullptr);
  const auto days = [&](const std::string& pem, Certificates of) {
    return (certificate_end_s(pem, of).value() - now + 43200) / 86400;
  };
  EXPECT_EQ(days(far + near, Certificates::kChain), 10);
  EXPECT_EQ(days(ended + far + near, Certificates::kAuthorities), 300);
  EXPECT_EQ(days(file("ca.pem", far + ended), Certificates::kAuthorities), 300);
  EXPECT_LT(certificate_end_s(far + ended, Certificates::kChain).value(), now);
}

TEST_F(Look, AtLimits) {
  const LimitFacts limits = look_at_limits(100);
  EXPECT_EQ(limits.files_needed, 100u);
  EXPECT_GT(limits.files, 0u);
}

}  // namespace
}  // namespace wafd::doctor
