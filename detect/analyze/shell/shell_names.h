// Names of commands by kind, for shell_commands.cc alone.
//
// Sources: POSIX.1-2017 utilities; the manual pages of coreutils, util-linux, procps, iproute2, inetutils,
// bash and the common packages of Debian, Alpine, Red Hat and the BSDs; Microsoft's "Windows commands" and
// the programs that come with Windows; PowerShell's aliases (Get-Alias).
#pragma once

#include <string_view>

namespace wafd::detect::names {

// Prints something by itself, but is a word or an abbreviation too.
inline constexpr std::string_view kReport[] = {
    // Of the host, the user, the folder
    "id",
    "pwd",
    "ls",
    "ll",
    "la",
    "ps",
    "who",
    "w",
    "env",
    "date",
    "hostname",
    "uptime",
    "df",
    "du",
    "free",
    "dir",
    "vdir",
    "ver",
    "calc",
    "mspaint",
    "winver",
    "arch",
    "groups",
    "last",
    "history",
    "top",
    "mount",
    "vol",
    "set",
    "alias",
    "jobs",
    "users",
    "finger",
    "route",
    "ip",
    "ss",
    "locale",
    "tty",
    "tree",
    "declare",
    "export",
    "compgen",
    "net",
    "query",
    "sc",
    "reg",
    "cd",
    "arp",
    "ifstat",
    "bridge",
    "typeset",
    "readonly",
    "ulimit",
    "umask",
    "hash",
    "dirs",
    "bind",
    "shopt",
    "enable",
    "caller",
    "times",
    "cal",
    "domainname",
    "dnsdomainname",
    "nisdomainname",
    "stat",
    "assoc",
    "path",
    "label",
    "gal",
    "tzselect",
    "pinky",
    "getconf",
    "limits",
    "services",
    "factor",
    "acpi",
    "sensors"};

// Needs a file.
inline constexpr std::string_view kReader[] = {
    "cat",      "tac",      "head",      "tail",       "more",    "less",     "most",   "nl",     "od",
    "hd",       "hexdump",  "strings",   "type",       "grep",    "rg",       "ag",     "ack",    "awk",
    "sed",      "cut",      "sort",      "uniq",       "rev",     "find",     "fd",     "locate", "base64",
    "base32",   "wc",       "diff",      "diff3",      "sdiff",   "cmp",      "file",   "paste",  "pr",
    "fold",     "fmt",      "expand",    "join",       "comm",    "look",     "source", ".",      "view",
    "vi",       "vim",      "nano",      "pico",       "joe",     "ed",       "ex",     "emacs",  "red",
    "micro",    "jed",      "mc",        "split",      "tr",      "shuf",     "column", "col",    "ul",
    "readlink", "realpath", "basename",  "dirname",    "bat",     "batcat",   "jq",     "yq",     "gc",
    "dig",      "sum",      "nm",        "as",         "troff",   "nroff",    "groff",  "eqn",    "tbl",
    "pic",      "soelim",   "highlight", "pygmentize", "aspell",  "enscript", "dialog", "arj",    "bc",
    "dc",       "fc",       "comp",      "edit",       "notepad", "which",    "where",  "whatis", "man",
    "apropos",  "xmllint",  "xsltproc"};

// Needs a file or something else that it changes or makes.
inline constexpr std::string_view kWriter[] = {
    "rm",      "rmdir",     "unlink",      "shred",       "touch",    "mv",        "cp",       "ln",
    "link",    "chmod",     "chown",       "chgrp",       "chdir",    "mkdir",     "md",       "rd",
    "tee",     "dd",        "kill",        "killall",     "killall5", "pkill",     "skill",    "snice",
    "del",     "erase",     "copy",        "move",        "ren",      "rename",    "install",  "tar",
    "zip",     "unzip",     "zipinfo",     "gzip",        "xz",       "7z",        "rar",      "jar",
    "ar",      "cpio",      "pax",         "wall",        "write",    "mesg",      "passwd",   "mkfs",
    "format",  "attrib",    "apt",         "yum",         "apk",      "pip",       "npm",      "yarn",
    "gem",     "bundle",    "git",         "svn",         "hg",       "make",      "service",  "shutdown",
    "reboot",  "halt",      "poweroff",    "init",        "logger",   "mail",      "mysql",    "docker",
    "aws",     "az",        "terraform",   "vagrant",     "puppet",   "chef",      "knife",    "salt",
    "rpm",     "dpkg",      "snap",        "brew",        "port",     "pkg",       "composer", "cargo",
    "go",      "cc",        "ld",          "ldd",         "umount",   "fdisk",     "lp",       "nft",
    "ufw",     "at",        "batch",       "unset",       "trap",     "read",      "gpg",      "screen",
    "helm",    "consul",    "nomad",       "vault",       "packer",   "patch",     "strip",    "sync",
    "mutt",    "setfont",   "crash",       "ab",          "siege",    "responder", "medusa",   "hydra",
    "fortune", "toilet",    "mongo",       "mariadb",     "aliyun",   "nginx",     "lighttpd", "httpd",
    "gps",     "multipass", "influx",      "perf",        "defaults", "sar",       "ctr",      "dism",
    "sfc",     "conda",     "imagemagick", "ghostscript", "lzma",     "crowdsec",  "lxd",      "podman",
    "sqlite",  "gimp",      "ffmpeg",      "openssl",     "certbot",  "distcc",    "ccache",   "swaks",
    "unalias", "clip",      "compact",     "convert",     "choice",   "start",     "assoc",    "expand",
    "recover", "replace",   "print"};

// Needs an address.
inline constexpr std::string_view kNet[] = {
    "curl",          "wget",         "wget2",      "nc",         "ncat",
    "netcat",        "telnet",       "ssh",        "slogin",     "ftp",
    "lftp",          "ncftp",        "ncftpget",   "sftp",       "tftp",
    "socat",         "fetch",        "lynx",       "links",      "elinks",
    "w3m",           "ping",         "ping6",      "traceroute", "tracert",
    "nslookup",      "host",         "nmap",       "whois",      "lwp-request",
    "lwp-download",  "lwp-dump",     "lwp-mirror", "axel",       "aria2c",
    "rlogin",        "rsh",          "rcp",        "rexec",      "tcpdump",
    "drill",         "hping",        "hping2",     "hping3",     "pathping",
    "smbclient",     "xh",           "httpie",     "curlie",     "delv",
    "kdig",          "dog",          "testssl",    "nc.openbsd", "nc.traditional",
    "aftp",          "puf",          "snarf",      "wsget",      "websocat",
    "mosquitto_pub", "mosquitto_sub"};

// Runs what it is given or what is piped into it.
inline constexpr std::string_view kShell[] = {
    // Shells, then languages
    "sh",         "bash",
    "dash",       "ash",
    "zsh",        "ksh",
    "ksh93",      "mksh",
    "pdksh",      "lksh",
    "posh",       "sash",
    "csh",        "tcsh",
    "fish",       "rbash",
    "rksh",       "yash",
    "elvish",     "xonsh",
    "python",     "pypy",
    "ipython",    "bpython",
    "perl",       "perlbug",
    "ruby",       "jruby",
    "php",        "php-cgi",
    "hhvm",       "node",
    "nodejs",     "deno",
    "bun",        "ts-node",
    "lua",        "luajit",
    "luatex",     "tclsh",
    "wish",       "expect",
    "java",       "cmd",
    "powershell", "powershell_ise",
    "pwsh",       "irb",
    "pry",        "groovy",
    "groovysh",   "scala",
    "kotlin",     "clojure",
    "julia",      "octave",
    "rscript",    "guile",
    "racket",     "sbcl",
    "clisp",      "erl",
    "escript",    "elixir",
    "iex.bat",    "gimp",
    "dotnet",     "mono",
    "swift",      "awkcgi",
    "command",    "eval",
    "exec",       "slsh",
    "genie",      "rbash.real"};

inline constexpr std::string_view kText[] = {"echo",  "printf",       "print",
                                             "gecho", "write-output", "write-host"};
inline constexpr std::string_view kWait[] = {"sleep", "usleep", "timeout",   "seq", "yes",
                                             "true",  "pause",  "nanosleep", "expr"};

// Runs the command that follows.
inline constexpr std::string_view kWrapper[] = {
    // That run what follows
    "sudo",        "doas",
    "time",        "nice",
    "xargs",       "builtin",
    "watch",       "parallel",
    "su",          "runuser",
    "chroot",      "script",
    "rbash",       "call",
    "runas",       "coproc",
    "sg",          "dsh",
    "pdsh",        "fakeroot",
    "firejail",    "bwrap",
    "nsexec",      "entr",
    "nohup",       "setsid",
    "stdbuf",      "unbuffer",
    "strace",      "ltrace",
    "dtruss",      "truss",
    "taskset",     "cpulimit",
    "chrt",        "ionice",
    "numactl",     "eatmydata",
    "faketime",    "gtimeout",
    "nsenter",     "unshare",
    "setarch",     "linux32",
    "linux64",     "start-stop-daemon",
    "proxychains", "proxychains4",
    "torsocks",    "torify",
    "runcon",      "setpriv",
    "pkexec",      "aa-exec",
    "choom",       "prlimit",
    "softlimit",   "setlock",
    "multitime",   "rlwrap",
    "logsave",     "forfiles",
    "systemd-run", "sshpass",
    "pfexec",      "valgrind",
    "flock",       "catchsegv",
    "ktrace",      "uclampset",
    "busybox",     "toybox"};
// Of the others, those that also run what follows.
inline constexpr std::string_view kRunners[] = {
    "env", "command", "exec", "eval", "timeout", "start",  "find", "git",    "docker", "kubectl",
    "su",  "cmd",     "bash", "sh",   "busybox", "psexec", "wsl",  "cmdkey", "ssh"};

// Of all these, the tools by which software is installed, versioned, built and served.
inline constexpr std::string_view kDeveloper[] = {
    // Packages
    "apt", "apt-get", "apt-cache", "apt-mark", "apt-file", "apt-key", "aptitude", "dpkg", "dpkg-query",
    "dpkg-deb", "rpm", "rpmquery", "yum", "dnf", "microdnf", "zypper", "apk", "pacman", "makepkg", "emerge",
    "equery", "opkg", "ipkg", "xbps-install", "pkg", "pkgin", "pkg_add", "pkg_info", "brew", "port", "snap",
    "snapctl", "flatpak", "winget", "pip", "pip2", "pip3", "pipx", "easy_install", "conda", "virtualenv",
    "pyenv", "npm", "npx", "yarn", "pnpm", "gem", "bundle", "rbenv", "composer", "cpan", "cpanm", "luarocks",
    "cargo", "rustup",
    // Versions
    "git", "svn", "hg",
    // Builds
    "make", "gmake", "cmake", "ninja-build", "automake", "autoconf", "msbuild", "go", "rustc", "gcc", "g++",
    "gfortran", "clang", "clang++", "cc", "tcc", "c89", "c99", "javac", "jar", "dotnet", "ccache", "distcc",
    // Services, databases and hosts
    "systemctl", "journalctl", "service", "mysql", "mysqldump", "mysqladmin", "mariadb", "psql", "pg_dump",
    "pg_restore", "createdb", "mongosh", "mongodump", "mongorestore", "redis-cli", "sqlite3", "rsync",
    "ssh-keygen", "ssh-copy-id", "openssl", "certbot", "nginx", "apachectl", "apache2ctl", "a2ensite",
    "a2enmod", "ufw", "aws", "gcloud", "gsutil", "az", "doctl",
    // Containers and what runs them
    "docker", "docker-compose", "podman", "nerdctl", "buildah", "skopeo", "kubectl", "kubeadm", "minikube",
    "helm", "helmfile", "vagrant", "terraform", "packer"};

// Words of the shells' grammar before a command.
inline constexpr std::string_view kKeyword[] = {"then",  "do",  "else", "elif", "while",
                                                "until", "not", "!",    "{",    "@"};
// Statements of cmd.exe, and of sh, that batch_reader reads.
inline constexpr std::string_view kStatement[] = {"if", "for"};

// Of all these, words of everyday English and names that often stand alone in ordinary values: an option
// behind one of them is not yet a command line.
inline constexpr std::string_view kOrdinary[] = {
    "id",        "w",       "who",      "env",     "date",      "hostname", "free",     "arch",      "groups",
    "last",      "history", "top",      "mount",   "vol",       "set",      "alias",    "jobs",      "users",
    "finger",    "route",   "ip",       "locale",  "tree",      "declare",  "export",   "net",       "query",
    "bridge",    "hash",    "bind",     "enable",  "caller",    "times",    "cal",      "stat",      "path",
    "label",     "limits",  "services", "factor",  "sensors",   "head",     "tail",     "more",      "less",
    "most",      "strings", "type",     "cut",     "sort",      "find",     "locate",   "file",      "paste",
    "fold",      "expand",  "join",     "look",    "source",    ".",        "view",     "ex",        "red",
    "micro",     "mc",      "split",    "column",  "col",       "bat",      "sum",      "as",        "pic",
    "highlight", "dialog",  "comp",     "edit",    "notepad",   "which",    "where",    "man",       "link",
    "touch",     "kill",    "skill",    "copy",    "move",      "rename",   "install",  "zip",       "jar",
    "wall",      "write",   "format",   "bundle",  "make",      "service",  "shutdown", "reboot",    "halt",
    "init",      "logger",  "mail",     "snap",    "brew",      "port",     "pkg",      "composer",  "cargo",
    "go",        "at",      "batch",    "trap",    "read",      "screen",   "helm",     "consul",    "nomad",
    "vault",     "packer",  "patch",    "strip",   "sync",      "clip",     "compact",  "convert",   "choice",
    "start",     "recover", "replace",  "print",   "fetch",     "links",    "host",     "dog",       "dash",
    "fish",      "node",    "expect",   "java",    "command",   "exec",     "swift",    "scala",     "julia",
    "octave",    "racket",  "mono",     "genie",   "echo",      "sleep",    "timeout",  "seq",       "yes",
    "true",      "pause",   "time",     "nice",    "watch",     "parallel", "script",   "call",      "su",
    "salt",      "chef",    "puppet",   "vagrant", "crash",     "ab",       "siege",    "responder", "medusa",
    "hydra",     "fortune", "toilet",   "gps",     "multipass", "influx",   "defaults", "flock",     "knife",
    "port",      "cat",     "la",       "mono",    "deno",      "bun",      "cmd",      "aws",       "az",
    "pic",       "ack",     "ag",       "tr",      "ed",        "md",       "rd",       "pr",        "dc",
    "fc",        "nl",      "hd",       "od",      "ll",        "sc",       "reg",      "ver",       "cc",
    "ld",        "links",   "calc"};

}  // namespace wafd::detect::names
