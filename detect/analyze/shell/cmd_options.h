// Argument injection: a value that begins with an option by which an ordinary tool runs a program or a file
// of the attacker's.
//
// Source: the manuals of GNU tar 1.34, OpenSSH (ssh_config(5)), git 2.39, Mercurial, rsync, find, zip,
// GNU sort and split, rpm, curl, wget, sendmail and exim, php-cgi, java(1), node(1), man-db, tcpdump, psql,
// gcc, Chromium, Ghostscript, nmap.
#pragma once

#include "detect/analyze/shell/cmd_findings.h"

namespace wafd::detect::cmd {

// The value must begin with a dash, or hold one behind "://" as the name of a host.
void read_options(Findings& out);

}  // namespace wafd::detect::cmd
