#include "detect/analyze/shell_commands.h"

#include <array>

#include "detect/analyze/word_set.h"
#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

constexpr WordSet kTelltale({"whoami",
                             "ifconfig",
                             "ipconfig",
                             "uname",
                             "netstat",
                             "printenv",
                             "systeminfo",
                             "tasklist",
                             "lsof",
                             "iptables",
                             "lscpu",
                             "lsblk",
                             "dmesg",
                             "getent",
                             "hostnamectl",
                             "systemctl",
                             "journalctl",
                             "taskkill",
                             "wmic",
                             "certutil",
                             "bitsadmin",
                             "regsvr32",
                             "rundll32",
                             "mshta",
                             "cscript",
                             "wscript",
                             "schtasks",
                             "icacls",
                             "cacls",
                             "crontab",
                             "useradd",
                             "adduser",
                             "usermod",
                             "chpasswd",
                             "visudo",
                             "insmod",
                             "mkfifo",
                             "mknod",
                             "setenforce",
                             "xxd",
                             "vssadmin",
                             "qwinsta",
                             "nltest",
                             "dsquery",
                             "get-process",
                             "get-childitem",
                             "get-content",
                             "get-wmiobject",
                             "invoke-expression",
                             "invoke-webrequest",
                             "start-process",
                             "iex",
                             "iwr",
                             "whereis",
                             "iwmi",
                             "gwmi",
                             "irm",
                             "icm",
                             "saps",
                             "get-ciminstance",
                             "invoke-restmethod",
                             "invoke-command",
                             "new-object",
                             "set-executionpolicy",
                             "get-service",
                             "wevtutil",
                             "bcdedit",
                             "reg.exe",
                             "pspy",
                             "sysctl",
                             "loginctl",
                             "lspci",
                             "ipcs",
                             "capsh",
                             "arp",
                             "chsh"});
constexpr WordSet kReport({"id",    "pwd",      "ls",     "ll",      "ps",      "who",     "env",
                           "date",  "hostname", "uptime", "df",      "du",      "free",    "dir",
                           "ver",   "arch",     "groups", "last",    "lastlog", "history", "top",
                           "mount", "vol",      "set",    "alias",   "jobs",    "users",   "finger",
                           "route", "ip",       "ss",     "locale",  "nproc",   "logname", "tty",
                           "tree",  "declare",  "export", "compgen", "gci",     "net",     "query",
                           "sc",    "reg",      "cd"});
constexpr WordSet kReader({"cat",     "tac",     "head",    "tail",     "more",      "less",  "nl",
                           "od",      "hexdump", "strings", "type",     "grep",      "egrep", "fgrep",
                           "zgrep",   "zcat",    "bzcat",   "xzcat",    "awk",       "gawk",  "mawk",
                           "sed",     "cut",     "sort",    "uniq",     "rev",       "find",  "locate",
                           "base64",  "base32",  "wc",      "diff",     "file",      "stat",  "paste",
                           "pr",      "fold",    "fmt",     "expand",   "join",      "comm",  "look",
                           "source",  "view",    "vi",      "vim",      "nano",      "ed",    "emacs",
                           "findstr", "cksum",   "md5sum",  "sha1sum",  "sha256sum", "split", "csplit",
                           "tr",      "shuf",    "column",  "readlink", "realpath",  "bat",   "batcat",
                           "jq",      "gc",      "dig"});
constexpr WordSet kWriter({"rm",        "rmdir",
                           "unlink",    "shred",
                           "touch",     "mv",
                           "cp",        "ln",
                           "chmod",     "chown",
                           "chgrp",     "chattr",
                           "mkdir",     "md",
                           "tee",       "dd",
                           "kill",      "killall",
                           "pkill",     "del",
                           "erase",     "copy",
                           "xcopy",     "robocopy",
                           "move",      "ren",
                           "rename",    "install",
                           "tar",       "zip",
                           "unzip",     "gzip",
                           "gunzip",    "7z",
                           "rsync",     "scp",
                           "truncate",  "wall",
                           "passwd",    "mkfs",
                           "format",    "attrib",
                           "apt",       "apt-get",
                           "yum",       "dnf",
                           "apk",       "pip",
                           "npm",       "gem",
                           "git",       "make",
                           "gcc",       "service",
                           "shutdown",  "reboot",
                           "halt",      "poweroff",
                           "init",      "logger",
                           "mail",      "sendmail",
                           "gdb",       "mysql",
                           "mysqldump", "psql",
                           "sqlite3",   "docker",
                           "kubectl",   "crictl",
                           "openssl",   "ssh-keygen",
                           "ansible",   "ansible-playbook",
                           "aws",       "terraform",
                           "vagrant",   "puppet",
                           "chef",      "salt",
                           "sqlmap",    "msfconsole",
                           "busctl",    "rpm",
                           "dpkg",      "snap",
                           "pacman",    "brew",
                           "composer",  "cargo",
                           "go",        "rustc",
                           "g++",       "cc",
                           "ld",        "gcore",
                           "ar",        "cpio",
                           "mount",     "umount",
                           "fdisk",     "iconv",
                           "lp",        "nft",
                           "ufw"});
constexpr WordSet kNet({"curl",    "wget",     "nc",       "ncat",      "netcat",  "telnet",
                        "ssh",     "ftp",      "sftp",     "tftp",      "socat",   "fetch",
                        "lynx",    "links",    "w3m",      "ping",      "ping6",   "traceroute",
                        "tracert", "nslookup", "host",     "nmap",      "whois",   "lwp-request",
                        "axel",    "aria2c",   "rlogin",   "rsh",       "tcpdump", "drill",
                        "hping3",  "nbtstat",  "pathping", "smbclient", "finger",  "lwp-download",
                        "xh"});
constexpr WordSet kShell({"sh",     "bash",  "dash",      "ash",        "zsh",     "ksh",         "csh",
                          "tcsh",   "fish",  "rbash",     "python",     "python2", "python3",     "perl",
                          "ruby",   "php",   "node",      "nodejs",     "lua",     "tclsh",       "expect",
                          "jjs",    "java",  "cmd",       "powershell", "pwsh",    "command",     "irb",
                          "groovy", "scala", "osascript", "psexec",     "msiexec", "installutil", "msbuild",
                          "eval",   "exec",  "start"});
constexpr WordSet kText({"echo", "printf", "print"});
constexpr WordSet kWait({"sleep", "usleep", "timeout", "seq", "yes"});
constexpr WordSet kWrapper({"sudo",
                            "nohup",
                            "time",
                            "nice",
                            "ionice",
                            "busybox",
                            "toybox",
                            "xargs",
                            "env",
                            "command",
                            "builtin",
                            "exec",
                            "eval",
                            "watch",
                            "setsid",
                            "stdbuf",
                            "strace",
                            "timeout",
                            "then",
                            "do",
                            "flock",
                            "cpulimit",
                            "ltrace",
                            "nsenter",
                            "setarch",
                            "unbuffer",
                            "parallel",
                            "gtimeout",
                            "start-stop-daemon",
                            "chrt",
                            "numactl",
                            "eatmydata",
                            "faketime",
                            "else",
                            "if",
                            "while",
                            "until",
                            "doas",
                            "su",
                            "chroot",
                            "unshare",
                            "script",
                            "taskset",
                            "rbash",
                            "call",
                            "start",
                            "forfiles",
                            "runas",
                            "not",
                            "!"});

// For globs: what attackers spell this way, by path.
constexpr std::array<std::string_view, 6> kFolders = {"/bin/",      "/usr/bin/",       "/sbin/",
                                                      "/usr/sbin/", "/usr/local/bin/", "/etc/"};
constexpr std::array<std::string_view, 40> kGlobbed = {
    "cat",  "ls",    "id",     "sh",   "bash", "nc",     "wget",   "curl",  "python", "python3",
    "perl", "head",  "tail",   "more", "less", "whoami", "uname",  "tac",   "nl",     "base64",
    "echo", "find",  "grep",   "ping", "ps",   "php",    "sed",    "awk",   "cp",     "rm",
    "mv",   "touch", "netcat", "od",   "sort", "passwd", "shadow", "hosts", "group",  "issue"};

bool glob_match(std::string_view pattern, std::string_view text) noexcept {
  // Linear but for restarts at the last '*'; both are short.
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
      continue;
    }
    bool same = false;
    std::size_t step = 1;
    if (p < pattern.size()) {
      if (pattern[p] == '?') {
        same = text[t] != '/';
      } else if (pattern[p] == '[') {
        const std::size_t close = pattern.find(']', p + 2);
        if (close != std::string_view::npos) {
          std::string_view set = pattern.substr(p + 1, close - p - 1);
          const bool negated = set.starts_with('!') || set.starts_with('^');
          if (negated) set.remove_prefix(1);
          bool in = false;
          for (std::size_t k = 0; k < set.size(); ++k) {
            if (k + 2 < set.size() && set[k + 1] == '-') {
              in = in || (octet(set[k]) <= octet(text[t]) && octet(text[t]) <= octet(set[k + 2]));
              k += 2;
            } else {
              in = in || set[k] == text[t];
            }
          }
          same = in != negated && text[t] != '/';
          step = close - p + 1;
        }
      } else {
        same = pattern[p] == text[t];
      }
    }
    if (same) {
      p += step;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace

std::string_view command_name(std::string_view word) noexcept {
  const std::size_t slash = word.find_last_of("/\\");
  if (slash != std::string_view::npos) word.remove_prefix(slash + 1);
  if (word.size() > 4) {
    const std::string_view extension = word.substr(word.size() - 4);
    if (iequals(extension, ".exe") || iequals(extension, ".com")) word.remove_suffix(4);
  }
  return word;
}

CommandKind command_kind(std::string_view word) noexcept {
  const std::string_view name = command_name(word);
  if (kTelltale.has(name)) return CommandKind::kTelltale;
  if (kNet.has(name)) return CommandKind::kNet;
  if (kShell.has(name)) return CommandKind::kShell;
  if (kReport.has(name)) return CommandKind::kReport;
  if (kReader.has(name)) return CommandKind::kReader;
  if (kWriter.has(name)) return CommandKind::kWriter;
  if (kText.has(name)) return CommandKind::kText;
  if (kWait.has(name)) return CommandKind::kWait;
  if (kWrapper.has(name)) return CommandKind::kWrapper;
  // python3.11, perl5.36
  for (const std::string_view prefix : {"python", "perl", "ruby", "php"}) {
    if (!istarts_with(name, prefix) || name.size() > prefix.size() + 5) continue;
    const std::string_view version = name.substr(prefix.size());
    if (version.find_first_not_of("0123456789.") == std::string_view::npos) return CommandKind::kShell;
  }
  return CommandKind::kUnknown;
}

std::vector<std::string_view> command_names() {
  std::vector<std::string_view> out;
  const auto append = [&out](const auto& set) {
    out.insert(out.end(), set.words().begin(), set.words().end());
  };
  append(kTelltale);
  append(kReport);
  append(kReader);
  append(kWriter);
  append(kNet);
  append(kShell);
  append(kText);
  append(kWait);
  append(kWrapper);
  return out;
}

bool glob_names_command(std::string_view pattern) {
  if (pattern.size() < 4 || pattern.size() > 48 || pattern[0] != '/') return false;
  // Something of the name must be written: "/*/*" is a path in a comment or a schedule.
  std::size_t letters = 0;
  std::size_t marks = 0;
  for (const char c : pattern) {
    if (is_alnum(c)) ++letters;
    if (c == '?' || c == '[' || c == '*') ++marks;
  }
  if (letters == 0 || marks == 0) return false;
  for (const std::string_view folder : kFolders) {
    for (const std::string_view name : kGlobbed) {
      char path[48];
      const std::size_t size = folder.size() + name.size();
      folder.copy(path, folder.size());
      name.copy(path + folder.size(), name.size());
      if (glob_match(pattern, std::string_view(path, size))) return true;
    }
  }
  return false;
}

bool sensitive_path(std::string_view word) noexcept {
  if (word.starts_with("../") || word.starts_with("..\\")) return true;
  for (const std::string_view prefix :
       {"/etc/", "/proc/", "/dev/tcp/", "/dev/udp/", "/root/", "/var/", "/home/", "/usr/", "/bin/", "/sbin/",
        "/tmp/", "/opt/", "/sys/", "~/", "/boot/", "/mnt/", "/srv/"}) {
    if (word.starts_with(prefix)) return true;
    if (word.size() + 1 == prefix.size() && prefix.starts_with(word)) return true;
  }
  for (const std::string_view prefix :
       {"c:\\", "c:/", "%systemroot%", "%windir%", "%userprofile%", "\\\\", "d:\\", "$home", "${home}"}) {
    if (istarts_with(word, prefix)) return true;
  }
  return word == "/";
}

}  // namespace wafd::detect
