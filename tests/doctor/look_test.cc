// What is seen of this machine: files with their modes, a disk, names, certificates.
#include "doctor/io/look.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
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

TEST_F(Look, AtLimits) {
  const LimitFacts limits = look_at_limits(100);
  EXPECT_EQ(limits.files_needed, 100u);
  EXPECT_GT(limits.files, 0u);
}

}  // namespace
}  // namespace wafd::doctor
