#include "detect/analyze/shell/cmd_arguments.h"

#include "detect/core/octets.h"
#include "detect/core/word_set.h"

namespace wafd::detect::cmd {

bool is_decisive(CommandKind kind, const ShellWord& word, const Shape& shape, bool piped, bool closed) {
  switch (kind) {
    case CommandKind::kReader:
      return shape.sensitive || (shape.absolute && shape.words <= 3 && shape.plain == 0);
    case CommandKind::kReport:
      return shape.sensitive && shape.words <= 4;
    case CommandKind::kWriter:
      return shape.sensitive || (shape.option && shape.path);
    case CommandKind::kNet:
      return (shape.address && (shape.option || shape.words <= 3)) || (shape.option && shape.number);
    case CommandKind::kShell:
      return (shape.option && shape.words >= 2) || shape.sensitive || (piped && closed) ||
             (iequals(command_name(word.text), "cmd") && shape.option);
    case CommandKind::kTelltale:
      return shape.option || shape.sensitive || (shape.address && shape.words <= 3);
    case CommandKind::kText:
      return shape.expands && closed && shape.words <= 3 && shape.option;
    default:
      return false;
  }
}

bool takes(CommandKind kind, const Shape& shape, bool closed) {
  switch (kind) {
    case CommandKind::kReader:
    case CommandKind::kWriter:
      return shape.path || shape.option || (shape.address && shape.words <= 2);
    case CommandKind::kReport:
    case CommandKind::kShell:
      return shape.option || shape.path;
    case CommandKind::kNet:
      return shape.address || shape.option || (shape.number && shape.words <= 2);
    case CommandKind::kText:
      return closed && shape.words > 0 && shape.words <= 3 && (shape.expands || shape.path || shape.option);
    case CommandKind::kWait:
      // sleep 5, timeout /t 5, expr 7 + 7
      return closed && shape.number && shape.words <= 3 && shape.plain == 0;
    case CommandKind::kTelltale:
      return true;
    default:
      return false;
  }
}

bool says_amount(CommandKind kind, const ShellWord& word, const Shape& shape) noexcept {
  return kind == CommandKind::kNet && is_ordinary_word(word.text) && shape.plain > 0 &&
         (!shape.address || shape.words > 3) && !shape.option;
}

bool is_bare(CommandKind kind, const Shape& shape) noexcept {
  if (shape.words != 0) return kind == CommandKind::kText && shape.words <= 2;
  return kind == CommandKind::kReport || kind == CommandKind::kTelltale || kind == CommandKind::kShell;
}

bool takes_subcommand(std::string_view name, std::string_view next) noexcept {
  static constexpr WordSet kNet({"user", "localgroup", "view", "use", "share", "start", "stop", "session",
                                 "group", "accounts", "config", "statistics"});
  static constexpr WordSet kReg({"query", "add", "delete", "save", "export", "import", "copy", "restore"});
  static constexpr WordSet kSc({"query", "queryex", "qc", "create", "config", "start", "stop", "delete"});
  static constexpr WordSet kRoute({"print", "add", "delete", "-n"});
  static constexpr WordSet kQuery({"user", "session", "process", "termserver"});
  static constexpr WordSet kIp({"a", "addr", "address", "l", "link", "r", "ro", "route", "n", "neigh",
                                "neighbour", "netns", "rule", "maddr"});
  static constexpr WordSet kPackages({"install", "update", "upgrade", "list", "remove", "search", "add"});
  static constexpr WordSet kPs({"aux", "auxw", "auxww", "ax", "axu", "ef", "faux", "axjf", "axf", "auxf"});
  static constexpr WordSet kServices({"start", "stop", "restart", "reload", "status", "enable", "disable",
                                      "mask", "list-units", "is-active", "cat", "show"});
  static constexpr WordSet kContainers({"ps", "run", "exec", "images", "inspect", "cp", "logs", "pull", "rm",
                                        "get", "describe", "apply", "delete", "config", "info", "version",
                                        "top"});
  static constexpr WordSet kCloud({"s3", "s3api", "ec2", "iam", "sts", "lambda", "ssm", "secretsmanager",
                                   "configure", "rds", "ecs", "eks", "account", "vm", "keyvault", "login"});
  static constexpr WordSet kFinders({"which", "type", "whereis", "command", "hash", "man", "su", "sudo"});
  name = command_name(name);
  // which nc, command id
  if (kFinders.has(name)) {
    const CommandKind found = command_kind(next);
    return (found != CommandKind::kUnknown && found != CommandKind::kKeyword && next.size() > 1) ||
           next == "-";
  }
  if (name == "systemctl") return kServices.has(next);
  if (name == "kubectl" || name == "docker" || name == "podman" || name == "crictl")
    return kContainers.has(next);
  if (name == "aws" || name == "az") return kCloud.has(next);
  if (name == "ps") return kPs.has(next);
  if (name == "net" || name == "net1") return kNet.has(next);
  if (name == "reg") return kReg.has(next);
  if (name == "sc") return kSc.has(next);
  if (name == "route") return kRoute.has(next);
  if (name == "query") return kQuery.has(next);
  if (name == "ip") return kIp.has(next);
  for (const std::string_view manager : {"apt", "yum", "apk", "pip", "npm", "gem", "yarn", "brew", "snap"}) {
    if (name == manager) return kPackages.has(next);
  }
  return false;
}

}  // namespace wafd::detect::cmd
