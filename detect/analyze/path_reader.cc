#include "detect/analyze/path_reader.h"

#include <algorithm>
#include <array>
#include <memory_resource>
#include <vector>

#include "detect/analyze/word_set.h"
#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kMaxPathBytes = 4096;
constexpr std::size_t kMaxNoise =
    8;  // octets that a dot segment may hold besides its dots; the gate's hint knows it

// Below the root of a Unix or Windows system: the file system hierarchy of Linux, the BSDs and macOS, and
// where the packages of common servers put their settings, data and logs.
constexpr std::string_view kRooted[] = {"etc/passwd",
                                        "etc/shadow",
                                        "etc/gshadow",
                                        "etc/group",
                                        "etc/hosts",
                                        "etc/hostname",
                                        "etc/issue",
                                        "etc/fstab",
                                        "etc/mtab",
                                        "etc/crontab",
                                        "etc/cron",
                                        "etc/anacrontab",
                                        "etc/sudoers",
                                        "etc/resolv.conf",
                                        "etc/os-release",
                                        "etc/motd",
                                        "etc/profile",
                                        "etc/services",
                                        "etc/ssh/",
                                        "etc/ssl/",
                                        "etc/pki/",
                                        "etc/nginx",
                                        "etc/apache",
                                        "etc/httpd",
                                        "etc/lighttpd",
                                        "etc/mysql",
                                        "etc/my.cnf",
                                        "etc/mongo",
                                        "etc/php",
                                        "etc/postgresql",
                                        "etc/tomcat",
                                        "etc/redis",
                                        "etc/samba",
                                        "etc/vsftpd",
                                        "etc/proftpd",
                                        "etc/pure-ftpd",
                                        "etc/init.d",
                                        "etc/rc",
                                        "etc/sysconfig",
                                        "etc/sysctl",
                                        "etc/network",
                                        "etc/netplan",
                                        "etc/security",
                                        "etc/master.passwd",
                                        "etc/spwd.db",
                                        "etc/pwd.db",
                                        "etc/kubernetes",
                                        "etc/docker",
                                        "etc/debian_version",
                                        "etc/redhat-release",
                                        "etc/lsb-release",
                                        "etc/alpine-release",
                                        "etc/centos-release",
                                        "etc/system-release",
                                        "etc/environment",
                                        "etc/inetd.conf",
                                        "etc/xinetd",
                                        "etc/pam",
                                        "etc/ld.so",
                                        "etc/ldap",
                                        "etc/krb5",
                                        "etc/exim",
                                        "etc/postfix",
                                        "etc/aliases",
                                        "etc/mail",
                                        "etc/bind",
                                        "etc/named",
                                        "etc/dhcp",
                                        "etc/openvpn",
                                        "etc/wireguard",
                                        "etc/bash",
                                        "etc/zsh",
                                        "etc/shells",
                                        "etc/login.defs",
                                        "etc/inputrc",
                                        "etc/exports",
                                        "etc/modules",
                                        "etc/machine-id",
                                        "etc/squid",
                                        "etc/varnish",
                                        "etc/haproxy",
                                        "etc/zabbix",
                                        "etc/nagios",
                                        "etc/grafana",
                                        "etc/letsencrypt",
                                        "etc/default/",
                                        "etc/logrotate",
                                        "etc/rsyslog",
                                        "etc/syslog",
                                        "etc/snmp",
                                        "etc/updatedb",
                                        "etc/phpmyadmin",
                                        "etc/wordpress",
                                        "etc/supervisor",
                                        "etc/systemd",
                                        "etc/consul",
                                        "etc/vault",
                                        "etc/puppet",
                                        "etc/chef",
                                        "etc/salt",
                                        "etc/gitlab",
                                        "etc/jenkins",
                                        "etc/rabbitmq",
                                        "etc/elasticsearch",
                                        "etc/kibana",
                                        "etc/logstash",
                                        "etc/cassandra",
                                        "etc/couchdb",
                                        "etc/influxdb",
                                        "proc/",
                                        "sys/class",
                                        "sys/kernel",
                                        "sys/devices",
                                        "dev/tcp",
                                        "dev/udp",
                                        "dev/mem",
                                        "dev/kmem",
                                        "dev/shm",
                                        "root/",
                                        "var/log/",
                                        "var/run/secrets",
                                        "run/secrets",
                                        "var/mail/",
                                        "var/spool/cron",
                                        "var/spool/mail",
                                        "var/lib/mysql",
                                        "var/lib/php",
                                        "var/lib/pgsql",
                                        "var/lib/postgresql",
                                        "var/lib/mongodb",
                                        "var/lib/redis",
                                        "var/lib/docker",
                                        "var/lib/kubelet",
                                        "var/lib/tomcat",
                                        "var/lib/jenkins",
                                        "var/lib/mlocate",
                                        "var/lib/dpkg",
                                        "var/adm/",
                                        "var/www/",
                                        "var/backups",
                                        "var/db/",
                                        "var/htdocs",
                                        "usr/local/apache",
                                        "usr/local/etc",
                                        "usr/local/apps",
                                        "usr/local/nginx",
                                        "usr/local/tomcat",
                                        "usr/local/php",
                                        "usr/local/www",
                                        "usr/local/zeus",
                                        "usr/local/cpanel",
                                        "usr/pkg/etc",
                                        "usr/share/tomcat",
                                        "usr/share/nginx",
                                        "usr/lib/cron",
                                        "opt/lampp",
                                        "opt/xampp",
                                        "opt/tomcat",
                                        "opt/nginx",
                                        "opt/apache",
                                        "opt/bitnami",
                                        "boot/grub",
                                        "windows/win.ini",
                                        "windows/system",
                                        "windows/repair",
                                        "windows/panther",
                                        "windows/php",
                                        "windows/debug",
                                        "windows/iis",
                                        "windows/csc",
                                        "windows/ntds",
                                        "windows/regedit",
                                        "windows/my.ini",
                                        "winnt/",
                                        "boot.ini",
                                        "inetpub/",
                                        "xampp/",
                                        "wamp/",
                                        "wamp64/",
                                        "appserv/",
                                        "private/etc",
                                        "private/var",
                                        "system32/",
                                        "program files/",
                                        "users/administrator",
                                        "documents and settings/",
                                        "unattend.txt",
                                        "sysprep.inf",
                                        "pagefile.sys"};

// Wherever they lie.
constexpr std::string_view kAnywhere[] = {".ssh/id_rsa",
                                          ".ssh/id_dsa",
                                          ".ssh/id_ecdsa",
                                          ".ssh/id_ed25519",
                                          ".ssh/authorized_keys",
                                          ".ssh/authorized_keys2",
                                          ".ssh/known_hosts",
                                          ".gnupg/secring.gpg",
                                          ".azure/accesstokens.json",
                                          ".config/gcloud/credentials.db",
                                          ".aws/credentials",
                                          ".aws/config",
                                          ".docker/config.json",
                                          ".docker/secrets",
                                          ".kube/config",
                                          ".composer/auth.json",
                                          ".bash_history",
                                          ".zsh_history",
                                          ".sh_history",
                                          ".python_history",
                                          ".node_repl_history",
                                          ".mysql_history",
                                          ".psql_history",
                                          ".sqlite_history",
                                          ".rediscli_history",
                                          ".git/config",
                                          ".git/head",
                                          ".git-credentials",
                                          ".svn/entries",
                                          ".svn/wc.db",
                                          ".hg/hgrc",
                                          ".htpasswd",
                                          ".htdigest",
                                          ".pgpass",
                                          ".my.cnf",
                                          ".mylogin.cnf",
                                          ".netrc",
                                          ".npmrc",
                                          ".pypirc",
                                          ".s3cfg",
                                          ".boto",
                                          ".rhosts",
                                          ".shosts",
                                          ".ftpconfig",
                                          ".vault-token",
                                          "web-inf/web.xml",
                                          "web-inf/classes",
                                          "web-inf/lib",
                                          "web-inf/weblogic.xml",
                                          "web-inf/applicationcontext.xml",
                                          "meta-inf/manifest.mf",
                                          "meta-inf/context.xml",
                                          "win.ini",
                                          "boot.ini",
                                          "system.ini",
                                          "system32/config/sam",
                                          "system32/config/system",
                                          "system32/config/security",
                                          "system32/drivers/etc/hosts",
                                          "windows/system32",
                                          "repair/sam",
                                          "ntds.dit",
                                          "ntuser.dat",
                                          "wp-config.php",
                                          "wp-config.php.bak",
                                          "wp-config.bak",
                                          "wp-config.old",
                                          "wp-config.txt",
                                          "web.config",
                                          "machine.config",
                                          "applicationhost.config",
                                          "php.ini",
                                          "config.inc.php",
                                          "id_rsa",
                                          "id_dsa",
                                          "id_ecdsa",
                                          "id_ed25519",
                                          "etc/passwd",
                                          "etc/shadow",
                                          "proc/self/environ",
                                          "proc/self/cmdline",
                                          "proc/self/maps",
                                          "proc/self/status",
                                          "proc/self/fd",
                                          "autoexec.bat",
                                          "unattend.xml",
                                          "sysprep.xml",
                                          "tomcat-users.xml",
                                          "credentials.yml.enc",
                                          "secring.gpg",
                                          "terraform.tfstate"};
// By name: settings and histories that may hold secrets, and that are mentioned for other reasons too.
constexpr std::string_view kNamed[] = {".dockercfg",
                                       ".dockerenv",
                                       ".bash_profile",
                                       ".bashrc",
                                       ".bash_logout",
                                       ".zshrc",
                                       ".irb_history",
                                       ".viminfo",
                                       ".vimrc",
                                       ".lesshst",
                                       ".wget-hsts",
                                       ".gitconfig",
                                       ".htaccess",
                                       ".yarnrc",
                                       ".env",
                                       ".env.local",
                                       ".env.production",
                                       ".env.development",
                                       ".env.backup",
                                       ".ds_store",
                                       ".tfstate",
                                       ".terraformrc",
                                       ".bowerrc",
                                       "my.ini",
                                       "my.cnf",
                                       "httpd.conf",
                                       "nginx.conf",
                                       "apache2.conf",
                                       "lighttpd.conf",
                                       "localsettings.php",
                                       "configuration.php",
                                       "config.inc",
                                       "localconfig.php",
                                       "settings.inc.php",
                                       "parameters.yml",
                                       "database.yml",
                                       "secrets.yml",
                                       "master.key",
                                       "appsettings.json",
                                       "global.asax",
                                       "connectionstrings.config",
                                       "unattended.xml",
                                       "jboss-web.xml",
                                       "keystore.jks",
                                       "passwd.bak",
                                       "sftp-config.json",
                                       "filezilla.xml",
                                       "sitemanager.xml",
                                       "recentservers.xml",
                                       ".env.staging",
                                       ".env.test",
                                       ".env.prod",
                                       ".env.dev",
                                       "wp-config-php.bak",
                                       "wp-config.php.old",
                                       "wp-config.php.save",
                                       "wp-config.php~",
                                       "wp-config.php.txt",
                                       "config.yml",
                                       "config.php.bak",
                                       "local_settings.py"};

// First segments of all of these: a path without any of them is not looked at further.
struct Nothing {};
using SegmentSet = FixedWordMap<Nothing, std::size(kRooted) + std::size(kAnywhere) + std::size(kNamed)>;
constexpr SegmentSet kFirstSegments([] {
  std::array<SegmentSet::Entry, std::size(kRooted) + std::size(kAnywhere) + std::size(kNamed)> out{};
  std::size_t size = 0;
  for (const std::string_view path : kRooted) out[size++].word = path.substr(0, path.find('/'));
  for (const std::string_view path : kAnywhere) out[size++].word = path.substr(0, path.find('/'));
  for (const std::string_view name : kNamed) out[size++].word = name;
  return out;
}());

bool ends_with_path(std::string_view target, std::string_view tail) noexcept {
  if (!target.ends_with(tail)) return false;
  return target.size() == tail.size() || target[target.size() - tail.size() - 1] == '/';
}

// One segment as the systems that attackers know read it. 0 = not "..", 1 = "..", 2 = ".." in disguise.
int up_segment(std::string_view segment) noexcept {
  if (segment == "..") return 1;
  if (segment.size() < 2) return 0;
  std::size_t dots = 0;
  std::size_t noise = 0;
  for (std::size_t i = 0; i < segment.size(); ++i) {
    const char c = segment[i];
    if (c == '.') {
      ++dots;
    } else if (c == ';' || c == '\0' || c == ' ' || c == '\t' || octet(c) < 0x20 || c == '\x7f') {
      ++noise;
      // "..;jsessionid=1": a path parameter
      if (c == ';' && dots == 2) return 2;
    } else if (c == '%' && i + 2 < segment.size() && segment[i + 1] == '2' &&
               to_lower(segment[i + 2]) == 'e') {
      ++dots;
      ++noise;
      i += 2;
    } else {
      return 0;
    }
  }
  if (noise > kMaxNoise) return 0;
  if (dots == 2) return noise > 0 ? 2 : 1;
  // "...." becomes ".." for a filter that takes "../" out once; "..." was the grandparent on old Windows.
  if (dots == 3 || dots == 4) return 2;
  return 0;
}

}  // namespace

PathReading read_path(std::string_view path) {
  PathReading out;
  path = path.substr(0, kMaxPathBytes);
  const std::size_t nul = path.find('\0');
  if (nul != std::string_view::npos && nul > 0) {
    const std::string_view behind = path.substr(nul + 1);
    out.nul_suffix = behind.size() >= 2 && behind.size() <= 6 && behind[0] == '.' &&
                     std::all_of(behind.begin() + 1, behind.end(), is_alnum);
    if (behind.find_first_of("/\\") == std::string_view::npos) path = path.substr(0, nul);
  }
  std::array<std::byte, 1024> octets;  // of 64 segments; more come from the heap
  std::pmr::monotonic_buffer_resource memory(octets.data(), octets.size());
  std::pmr::vector<std::string_view> segments(&memory);
  const bool absolute = !path.empty() && (path[0] == '/' || path[0] == '\\');
  std::size_t high = 0;
  std::ptrdiff_t depth = 0;
  for (std::size_t at = 0; at <= path.size();) {
    std::size_t end = path.find_first_of("/\\", at);
    if (end == std::string_view::npos) end = path.size();
    if (end < path.size() && path[end] == '\\') out.backslash = true;
    const std::string_view segment = path.substr(at, end - at);
    int up = up_segment(segment);
    // Dots at the end of a path are an ellipsis or a sloppy name: a disguise has something to climb to.
    if (up == 2 && end == path.size()) up = 0;
    if (up != 0) {
      ++out.ups;
      if (up == 2) out.disguised = true;
      --depth;
      if (depth < 0) high = std::max(high, static_cast<std::size_t>(-depth));
      if (!segments.empty()) segments.pop_back();
    } else if (!segment.empty() && segment != ".") {
      ++depth;
      segments.push_back(segment);
    }
    at = end + 1;
  }
  out.escape = high;
  if (absolute) out.target.push_back('/');
  for (const std::string_view segment : segments) {
    if (!out.target.empty() && out.target.back() != '/') out.target.push_back('/');
    for (const char c : segment) out.target.push_back(to_lower(c));
  }
  return out;
}

bool may_be_sensitive(std::string_view path) noexcept {
  for (std::size_t at = 0; at < path.size();) {
    std::size_t end = at;
    while (end < path.size() && path[end] != '/' && path[end] != '\\' && path[end] != '=' &&
           path[end] != '\0' && path[end] != '?' && path[end] != '#') {
      ++end;
    }
    if (end - at > 1 && kFirstSegments.find(path.substr(at, end - at)) != nullptr) return true;
    at = end + 1;
  }
  return false;
}

bool sensitive_file(std::string_view target, bool rooted) {
  std::string_view below = target;
  while (below.starts_with('/')) below.remove_prefix(1);
  // c:/windows
  if (below.size() > 2 && is_alpha(below[0]) && below[1] == ':') {
    below.remove_prefix(2);
    while (below.starts_with('/')) below.remove_prefix(1);
    rooted = true;
  }
  if (rooted) {
    for (const std::string_view file : kRooted) {
      if (below.starts_with(file)) return true;
    }
  }
  return std::any_of(std::begin(kAnywhere), std::end(kAnywhere),
                     [&](std::string_view file) { return ends_with_path(below, file); });
}

bool is_settings_file(std::string_view target) noexcept {
  const std::string_view name = target.substr(target.rfind('/') + 1);
  return std::find(std::begin(kNamed), std::end(kNamed), name) != std::end(kNamed);
}

}  // namespace wafd::detect
