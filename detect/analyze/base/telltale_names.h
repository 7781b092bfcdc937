// Names of commands that are no word of any language, for shell_commands.cc alone. The other kinds are in
// shell_names.h.
//
// Sources: those of shell_names.h.
#pragma once

#include <string_view>

namespace wafd::detect::names {

// No word of any language: by itself it says what it is.
inline constexpr std::string_view kTelltale[] = {
    // Who and where: users, hosts, hardware
    "whoami", "uname", "logname", "lastlog", "lastlogin", "lastb", "utmpdump", "getent", "nproc", "lscpu",
    "lsblk", "lspci", "lsusb", "lsmem", "lsns", "lsipc", "lslogins", "lslocks", "lsmod", "lshw", "lsattr",
    "lsb_release", "dmesg", "dmidecode", "hostnamectl", "hostid", "loginctl", "timedatectl", "localectl",
    "networkctl", "resolvectl", "systemctl", "systemd-resolve", "systemd-analyze", "systemd-detect-virt",
    "journalctl", "busctl", "machinectl", "bootctl", "coredumpctl", "udevadm", "sysctl", "vmstat", "iostat",
    "mpstat", "pidstat", "htop", "atop", "iotop", "iftop", "nethogs", "nload", "dstat", "neofetch",
    "screenfetch", "fastfetch", "printenv", "pstree", "pgrep", "pidof", "pmap", "pwdx", "lsof", "fuser",
    "slabtop", "uptimed", "findmnt", "blkid", "ipcs", "ipcrm", "ipcmk", "tload", "sysinfo", "sw_vers",
    "system_profiler", "ioreg", "dscl", "dscacheutil", "scutil", "launchctl", "csrutil", "spctl", "kldstat",
    "pciconf", "sockstat", "freebsd-version", "prtconf", "prtdiag", "psrinfo", "svcs", "svcadm", "zoneadm",
    // Network
    "ifconfig", "iwconfig", "ethtool", "ifup", "ifdown", "iptables", "ip6tables", "iptables-save", "ipset",
    "ebtables", "arptables", "firewall-cmd", "netstat", "nmcli", "nmtui", "brctl", "tshark", "wireshark",
    "dumpcap", "tcpflow", "ngrep", "arping", "arp-scan", "fping", "mtr", "traceroute6", "tracepath",
    "tracepath6", "rpcinfo", "rpcclient", "showmount", "smbmap", "nbtscan", "enum4linux", "ldapsearch",
    "ldapadd", "ldapmodify", "snmpwalk", "snmpget", "wpa_cli", "wpa_supplicant", "dhclient", "dhcpcd",
    "ssh-add", "ssh-agent", "ssh-keyscan", "ssh-copy-id", "sshfs", "sshd", "autossh", "stunnel", "chisel",
    "ngrok", "cloudflared", "frpc", "ncdu", "openvpn", "wg-quick", "ipsec",
    // Accounts, rights, kernel
    "useradd", "userdel", "usermod", "adduser", "deluser", "addgroup", "delgroup", "groupadd", "groupdel",
    "groupmod", "gpasswd", "newgrp", "newusers", "chpasswd", "chgpasswd", "chfn", "chsh", "chage", "pwconv",
    "pwunconv", "pwck", "grpck", "vipw", "vigr", "visudo", "sudoedit", "sudoreplay", "faillock", "pam_tally2",
    "setfacl", "getfacl", "setcap", "getcap", "capsh", "chcon", "restorecon", "semanage", "setsebool",
    "getenforce", "setenforce", "sestatus", "aa-status", "aa-enforce", "aa-complain", "aa-disable",
    "aa-genprof", "aa-logprof", "aa-teardown", "aa-unconfined", "aa-enabled", "apparmor_parser", "insmod",
    "modprobe", "rmmod", "depmod", "modinfo", "kmod", "kexec", "mknod", "mkfifo", "mktemp", "losetup",
    "swapon", "swapoff", "mkswap", "mke2fs", "e2fsck", "tune2fs", "debugfs", "dumpe2fs", "resize2fs",
    "badblocks", "cryptsetup", "pvcreate", "vgcreate", "lvcreate", "mdadm", "sfdisk", "cfdisk", "parted",
    "wipefs", "fsck", "pkcon", "pkaction", "dbus-send", "gdbus", "crontab", "anacron", "atq", "atrm",
    "batchedit", "update-rc.d", "chkconfig", "rc-update", "rc-service", "initctl", "telinit", "logrotate",
    "auditctl", "ausearch", "aureport", "renice", "ldd", "ldconfig", "pivot_root", "switch_root",
    "lsinitramfs",
    // Package managers and system management
    "apt-get", "apt-cache", "apt-key", "apt-mark", "apt-file", "aptitude", "dpkg-query", "dpkg-deb",
    "dpkg-reconfigure", "update-alternatives", "rpmquery", "rpmverify", "rpmdb", "zypper", "dnf", "microdnf",
    "emerge", "equery", "opkg", "ipkg", "xbps-install", "pacman", "makepkg", "pkgin", "pkg_add", "pkg_info",
    "pkgutil", "installpkg", "slackpkg", "flatpak", "snapctl", "pip2", "pip3", "pipx", "easy_install", "npx",
    "pnpm", "virtualenv", "pyenv", "rbenv", "gemtopackage", "cpan", "cpanm", "luarocks", "debconf-show",
    "needrestart", "unattended-upgrade",
    // Configuration and cloud tools
    "ansible", "ansible-config", "ansible-connection", "ansible-console", "ansible-doc", "ansible-galaxy",
    "ansible-inventory", "ansible-playbook", "ansible-pull", "ansible-test", "ansible-vault", "ansible-lint",
    "chef-client", "chef-shell", "chef-solo", "chef-run", "chef-vault", "chef-apply", "chef-server-ctl",
    "chef-cli", "chef-automate", "knife-ssh", "salt-call", "salt-master", "salt-minion", "salt-key",
    "salt-run", "salt-ssh", "salt-cp", "puppet-agent", "puppetserver", "facter", "cfengine", "cf-agent",
    "kubectl", "kubeadm", "kubelet", "minikube", "crictl", "nerdctl", "runc", "buildah", "skopeo", "dockerd",
    "docker-compose", "containerd", "helmfile", "gcloud", "gsutil", "awscli", "azcopy", "doctl", "oci-cli",
    "cscli", "etcdctl", "consul-template", "virsh", "virt-install", "virt-manager", "qemu-img",
    "qemu-system-x86_64", "vboxmanage", "vmrun", "lxc-attach", "lxc-start", "cloud-init", "nagioscli",
    "zabbix_get", "zabbix_sender", "a2ensite", "a2enmod", "a2dissite", "a2dismod", "apachectl", "apache2ctl",
    "php-fpm", "htpasswd", "varnishncsa", "varnishadm",
    // Files, archives, text
    "whereis", "readelf", "objdump", "objcopy", "addr2line", "xxd", "hexedit", "uuencode", "uudecode",
    "basenc", "base58", "iconv", "uconv", "dos2unix", "unix2dos", "zcat", "bzcat", "xzcat", "lzcat",
    "zstdcat", "lz4cat", "zless", "bzless", "xzless", "lzless", "zstdless", "zmore", "bzmore", "xzmore",
    "lzmore", "zgrep", "zegrep", "zfgrep", "bzgrep", "bzegrep", "bzfgrep", "xzgrep", "xzegrep", "xzfgrep",
    "lzgrep", "zstdgrep", "zdiff", "zcmp", "bzdiff", "bzcmp", "xzdiff", "xzcmp", "lzdiff", "lzcmp", "gzexe",
    "gzcat", "gunzip", "bunzip2", "unxz", "unlzma", "zstd", "unzstd", "zstdmt", "lz4", "unlz4", "lzop",
    "lzip", "bzip2", "bzip2recover", "pbzip2", "pigz", "unpigz", "p7zip", "7za", "7zr", "unrar", "unar",
    "lsar", "unsquashfs", "mksquashfs", "genisoimage", "xorriso", "rmt-tar", "rmt", "bsdtar", "bsdcat",
    "gtar", "gawk", "mawk", "nawk", "gsed", "ggrep", "rgrep", "egrep", "fgrep", "ripgrep", "mlocate",
    "plocate", "updatedb", "fdfind", "unexpand", "tsort", "colrm", "colcrt", "ptx", "csplit", "cksum",
    "md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "b2sum", "shasum", "truncate",
    "fallocate", "dd_rescue", "chattr", "rsync", "rclone", "scp", "vimdiff", "vimtutor", "gvim", "rvim",
    "rview", "nvim", "ispell", "exiftool", "pdftotext", "antiword", "pandoc", "ffprobe", "mkpasswd",
    "gpgconf", "gpg2", "gpgv", "ssh-keygen", "keytool", "certtool", "ascii-xfr", "msgcat", "msgconv",
    "msgfilter", "msgmerge", "msguniq", "run-parts", "run-mailcap", "systemd-cat",
    // Compilers and debuggers
    "gcc", "g++", "gfortran", "gcore", "gdb", "lldb", "clang", "clang++", "rustc", "rustup", "javac",
    "jarsigner", "jrunscript", "jjs", "jshell", "ghc", "ghci", "ocaml", "gnatmake", "c89", "c99", "tcc",
    "nasm", "yasm", "gmake", "cmake", "ninja-build", "automake", "autoconf", "dtrace", "bpftrace", "bpftool",
    "cobc", "gprof", "scanmem",
    // Databases, mail
    "mysqladmin", "mysqldump", "mysqlimport", "mysqlshow", "mysqlbinlog", "mariadb-dump", "psql", "pg_dump",
    "pg_dumpall", "pg_restore", "pg_ctl", "pgbench", "createdb", "dropdb", "sqlite3", "sqlcmd", "osql", "bcp",
    "sqlplus", "mongosh", "mongodump", "mongoexport", "mongorestore", "redis-cli", "redis-server",
    "memcached-tool", "cqlsh", "mailq", "mailx", "sendmail", "postsuper", "postqueue", "postconf", "postcat",
    "exim", "exim4", "doveadm", "msmtp",
    // Other
    "tmux", "tmate", "screenrc", "byobu", "openvt", "chvt", "xdotool", "xterm", "gnome-terminal", "konsole",
    "xdg-open", "xauth", "xhost", "xmodmap", "xclip", "xsel", "pbpaste", "pbcopy", "osascript", "msfconsole",
    "msfvenom", "sqlmap", "nikto", "wpscan", "gobuster", "dirb", "ffuf", "wfuzz", "masscan", "zmap",
    "hashcat", "linpeas", "pspy", "bloodhound", "mimikatz", "crackmapexec", "impacket", "evil-winrm", "xmrig",
    "wrk", "rtorrent", "whiptail", "cowsay", "cowthink", "figlet", "cupsfilter", "lpadmin", "lpstat", "lpq",
    "lpr", "cancelprint", "gtester", "jtag", "torsh",

    // Windows
    "ipconfig", "systeminfo", "tasklist", "taskkill", "tskill", "driverquery", "openfiles", "gpresult",
    "gpupdate", "getmac", "nbtstat", "netsh", "nltest", "klist", "setspn", "dsquery", "dsget", "dsadd",
    "dsmod", "dsrm", "dsacls", "ldifde", "csvde", "repadmin", "dcdiag", "netdom", "ntdsutil", "qwinsta",
    "rwinsta", "quser", "qprocess", "qappsrv", "tsdiscon", "tscon", "logoff", "mstsc", "msinfo32", "msconfig",
    "dxdiag", "eventvwr", "wevtutil", "eventcreate", "wecutil", "auditpol", "secedit", "gpedit", "lusrmgr",
    "compmgmt", "services.msc", "icacls", "cacls", "xcacls", "takeown", "cipher.exe", "fsutil", "vssadmin",
    "wbadmin", "diskshadow", "diskpart", "chkdsk", "chkntfs", "bcdedit", "bcdboot", "bootcfg", "bootsect",
    "bdehdcfg", "manage-bde", "reagentc", "pnputil", "drvload", "powercfg", "w32tm", "tzutil", "schtasks",
    "wmic", "winrm", "winrs", "wsl", "wusa", "wuauclt", "usoclient", "winget", "certutil", "certreq",
    "certoc", "bitsadmin", "desktopimgdownldr", "esentutl", "extrac32", "makecab", "extexport", "diantz",
    "regsvr32", "regsvcs", "regasm", "regedit", "regini", "reg.exe", "rundll32", "mshta", "cscript",
    "wscript", "msiexec", "installutil", "msbuild", "csc.exe", "vbc.exe", "jsc.exe", "ilasm", "cmstp",
    "cmdkey", "cmdl32", "control.exe", "hh.exe", "infdefaultinstall", "ie4uinit", "ieexec", "mavinject",
    "microsoft.workflow.compiler", "mmc", "mpcmdrun", "msdt", "odbcconf", "pcalua", "pcwrun", "pktmon",
    "presentationhost", "printbrm", "rasautou", "rdrleakdiag", "register-cimprovider", "runonce",
    "runscripthelper", "scriptrunner", "stordiag", "syncappvpublishingserver", "ttdinject", "tttracer",
    "unregmp2", "verclsid", "wsreset", "xwizard", "addinutil", "atbroker", "colorcpl", "computerdefaults",
    "configsecuritypolicy", "dfsvc", "dnscmd", "fodhelper", "sdclt", "eudcedit", "fltmc", "gpscript",
    "imewdbld", "aspnet_compiler", "offlinescannershell", "provlaunch", "rpcping", "settingsynchost",
    "psexec", "psexec64", "paexec", "pslist", "pskill", "psloggedon", "procdump", "accesschk", "autoruns",
    "autorunsc", "sigcheck", "sdelete", "tasksched", "tracerpt", "typeperf", "logman", "relog", "lodctr",
    "unlodctr", "mountvol", "mklink", "robocopy", "xcopy", "findstr", "waitfor", "tftpd", "doskey", "setx",
    "setlocal", "endlocal", "pushd", "popd", "ftype", "chcp", "subst", "undelete", "netcfg", "nfsadmin",
    "nfsshare", "nfsstat", "ktpass", "ksetup", "dcgpofix", "appcmd", "iisreset", "inetmgr", "aspnet_regiis",
    "adfind", "adexplorer", "vshadow", "vaultcmd", "tpmtool", "winsat", "wlrmdr", "wmiprvse", "wsmprovhost",
    "pubprn", "prncnfg", "prnmngr", "sxstrace", "query.exe", "freedisk", "evntcmd", "repair-bde", "refsutil",
    "waitfor.exe",
    // PowerShell
    "iex", "iwr", "irm", "icm", "iwmi", "gwmi", "gcim", "icim", "saps", "sajb", "gci", "gcm", "gsv", "gpv",
    "rvpa", "nsn", "etsn", "sbp", "sasv", "spps", "spsv", "ogv", "epcsv", "ipcsv", "ipmo", "rjb", "rcjb",
    "ghy", "gpssnapin", "ogrid", "trcm", "wjb"};

}  // namespace wafd::detect::names
