// Commands in documents, settings, manuals and messages: text that holds them and breaks out of nothing.
#include <span>

#include <gtest/gtest.h>

#include "detect/analyze/shell/cmd_injection.h"
#include "tests/detect/analyze/analyze_support.h"

namespace wafd::detect {
namespace {

constexpr const char* kInlineCode[] = {
    "Run `rm -rf node_modules && npm install` and try again, please.",
    "You can list the files with `ls -la | grep txt`.",
    "Don't use `chmod -R 777 /var/www`; it's better to change the owner.",
    "The output of `uname -a` and `cat /etc/os-release` would help us to find the cause.",
    "We've moved from `apt-get install -y curl` to `dnf install -y curl` on the new hosts.",
    "* `whoami` prints your name, `id -u` your number and `pwd` the folder where you are.",
    "Use `$(pwd)` in place of a fixed path, as the manual says.",
    "Fixed in a7f9e1: `git diff --stat | tail -n 1` no longer fails on an empty tree (see #1204).",
    "Wie im Handbuch steht, beendet `kill -9 1234` den Dienst sofort; besser ist `systemctl stop nginx`.",
    "Avec la commande `tar -xzf archive.tar.gz -C /opt` on extrait les fichiers.",
    "Ошибка пропала после `sudo systemctl restart nginx && tail -f /var/log/nginx/error.log`, спасибо!",
    "Could you send me the result of `ping -c 4 example.org; traceroute example.org`?",
    "The job calls `curl -fsSL https://get.example.org/install.sh | sh` - is that safe to do?",
    "The first seven characters are `${GITHUB_SHA:0:7}`, nothing else is cut.",
    "In bash `a=$(date +%s); echo $a` prints the seconds, in fish you need `set a (date +%s)` for that.",
};

constexpr const char* kProse[] = {
    "First open a terminal; type ls and press enter, then look for the file.",
    "The cat sat on the mat; find it if you can, or kill time until it comes home.",
    "I'd rather go home & sleep 8 hours | it's late",
    "We'd say echo of the past; date of birth; host of the party",
    "Who's there? It's me; I'd like to join, what's the date?",
    "Head office: 12 Sort St; tail end of the line & more",
    "To restart it type sudo systemctl restart nginx and wait for the next line of the log to appear.",
    "Please send us the log; cat pictures are welcome too.",
    "My host, the dog and a cat; time to sleep. Touch wood!",
    "Kill Bill | Free Willy | Top Gun | Fight Club | Finding Nemo",
    "Make & model: Ford Ka; date: 2020-01-05; type: petrol",
    "R&B; soul; pop & rock; at night; more to come",
    "Sort by: price | date | name",
    "Sun; Mon; Tue; free entry & more",
    "AC/DC & Cat Stevens; Split Enz; Top 40",
    "x > 5 && y < 3 || z == 4",
    "id;name;date;type;path",
    "path|type|host|port",
    "a;b;c;d;e",
    "1;2;3",
    "col1|col2|col3",
};

constexpr const char* kToolLines[] = {
    "git clone https://git.example.org/team/app.git && cd app && make install",
    "git log --oneline | head -n 20",
    "git diff HEAD~1 -- src/ | less -R; git status",
    "git rev-parse --short HEAD > version.txt && cat version.txt",
    "git branch --merged | grep -v main | xargs git branch -d",
    "npm ci && npm run build && npm test -- --watch=false",
    "npx tsc -p . && node dist/index.js --port 8080",
    "yarn install --frozen-lockfile; yarn build; cp -r dist public",
    "docker build -t app:1.2 . && docker push registry.example.org/app:1.2",
    "docker run --rm -it -v $(pwd):/src -w /src node:18 bash",
    "docker ps -a | grep Exited | awk '{print $1}' | xargs docker rm",
    "docker exec -it db psql -U postgres -c 'select 1'; docker logs -f db",
    "docker-compose up -d && docker-compose logs -f --tail=100 web",
    "kubectl get pods -n prod | grep Crash | awk '{print $1}'",
    "kubectl apply -f k8s/ && kubectl rollout status deploy/web | tail -n 1",
    "kubectl exec -it web-0 -- cat app.log | sort | uniq -c",
    "helm upgrade --install web ./chart -f values.yaml && kubectl get svc | grep web",
    "terraform init && terraform plan -out=plan.out | tee plan.log",
    "sudo apt-get update && sudo apt-get install -y nginx php-fpm; sudo systemctl enable nginx",
    "sudo apt update && sudo apt upgrade -y",
    "sudo systemctl restart nginx && journalctl -u nginx -n 50 | less",
    "brew install jq && jq --version",
    "pip install -r requirements.txt && python manage.py migrate && python manage.py runserver",
    "pip freeze > requirements.txt; pip check",
    "cargo build --release && ./target/release/app --help | head",
    "go test ./... -count=1 | tee test.log; go vet ./...",
    "make -j4 all && sudo make install",
    "cmake -B build -S . && cmake --build build -j 4; ctest --test-dir build",
    "gcc -O2 -o app main.c && ./app; echo $?",
    "composer install --no-dev && php artisan migrate --force",
    "mysql -u root -p shop < dump.sql && mysqldump shop > new.sql",
    "psql -h db -U app -c 'select count(*) from users' | tail -n 2",
    "rsync -avz dist/ deploy@web.example.org:site/ && ssh deploy@web.example.org uptime",
    "openssl req -new -key server.key -out server.csr && openssl x509 -in server.crt -noout | grep Not",
    "ssh-keygen -t ed25519 -C me@example.org && cat ~/.ssh/id_ed25519.pub",
    "$ git stash; git pull --rebase; git stash pop",
    "# docker system prune -af && df -h",
    "CI=1 npm test | tee out.txt; echo done",
    "curl -X POST https://api.example.org/v1/x -H 'Content-Type: application/json' -d '{\"a\":1}'",
    "curl 'https://api.example.org/v1/users' -H 'Accept: application/json' --compressed",
    "0 3 * * 1 root cd /opt/app && ./backup.sh | mail -s backup admin@example.org",
    "*/5 * * * * /usr/bin/php /srv/app/cron.php && echo done",
    "@daily find . -name '*.log' -mtime +7 | xargs gzip",
    "run: npm ci && npm run lint | tee lint.log",
    "- run: echo \"version=$(git describe --tags)\" >> $GITHUB_OUTPUT",
    "CMD sleep 5 && node server.js",
    "RUN apk add --no-cache git && rm -rf /var/cache/apk/*",
    "$users = Get-ADUser -Filter * | Where-Object { $_.Enabled } | Select-Object Name; Write-Host Done",
    "for f in *.txt; do echo $f; done",
    "while true; do date; sleep 1; done",
    "if [ -f .env ]; then source .env; fi",
    "/usr/local/bin/app",
    "/opt/bin/worker",
};

constexpr const char* kDocuments[] = {
    "## Install\n\n```sh\nsudo apt-get update && sudo apt-get install -y curl\n"
    "curl -fsSL https://get.example.org/install.sh | sudo bash\n```\n",
    "FROM node:18-alpine\nWORKDIR /app\nCOPY package*.json ./\nRUN npm ci && npm cache clean --force\n"
    "RUN apt-get update \\\n && apt-get install -y git \\\n && rm -rf /var/lib/apt/lists/*\nCMD [\"node\"]\n",
    "[Unit]\nDescription=App\nAfter=network.target\n\n[Service]\nExecStartPre=/bin/mkdir -p /run/app\n"
    "ExecStart=/bin/bash -c 'exec /opt/app/run --port=$PORT'\nRestart=always\n",
    "name: ci\non: [push]\njobs:\n  test:\n    steps:\n      - run: npm ci && npm test\n"
    "      - run: |\n          echo \"v=$(git describe)\" >> out; cat out\n          ls -la | grep dist\n",
    "stages: [build]\nbuild:\n  script:\n    - docker build -t $CI_IMAGE . ; docker push $CI_IMAGE\n"
    "    - ssh deploy@web 'cd /srv/app && git pull && systemctl restart app'\n",
    "#!/bin/bash\nset -euo pipefail\nfor f in *.txt; do mv \"$f\" \"${f%.txt}.md\"; done\n",
    "#!/bin/sh\n# backup\nd=$(date +%F); tar czf /var/backups/$d.tgz /srv/app && rm -f /tmp/x; ls -l "
    "/var/backups\n",
    "#!/usr/bin/env bash\nbranch=${GITHUB_REF:11:20}\ntag=\"${GITHUB_SHA:0:7}\"\n"
    "build() { docker build -t \"$1\" .; }\nbuild \"app:$tag\"\n",
    "all: build test\n\nbuild:\n\tgcc -o app main.c && strip app\n\ntest: build\n\t./app | diff - expected; "
    "echo ok\n"
    "\nclean:\n\trm -rf build *.o; ls\n",
    "# m h dom mon dow command\n0 4 * * * /usr/local/bin/backup.sh && echo done | mail -s ok root\n"
    "*/10 * * * * cd /srv/app; ./poll | logger -t poll\n@reboot sleep 60 && /opt/app/start\n",
    "Hello,\n\nafter the update the server no longer starts. I tried:\n\n$ sudo systemctl status nginx | "
    "tail\n"
    "$ cat /var/log/nginx/error.log | grep emerg; df -h\n\nBoth show nothing. Any idea?\n\nRegards, Tom\n",
    "tom@web:~$ cd /var/www; ls -la\ntotal 12\ndrwxr-xr-x 2 root root 4096 Jan 5 10:00 html\n"
    "tom@web:~$ ps aux | grep php; netstat -tulpn | grep 80\n",
    "export PATH=$HOME/bin:$PATH\nalias ll='ls -la'\nalias gs='git status'\nmkcd() { mkdir -p \"$1\" && cd "
    "\"$1\"; }\n"
    "[ -f ~/.fzf.bash ] && source ~/.fzf.bash\n",
    "@echo off\nset NAME=app\nif not exist build mkdir build\ncd build & cmake .. & nmake\ncopy app.exe "
    "..\\bin\n",
    "Vagrant.configure(\"2\") do |config|\n  config.vm.box = \"debian/12\"\n  config.vm.provision "
    "\"shell\",\n"
    "    inline: \"apt-get update; apt-get install -y nginx\"\nend\n",
    "- hosts: web\n  tasks:\n    - name: restart\n      shell: systemctl restart nginx && curl -s localhost "
    "| grep ok\n"
    "    - command: ls -la /var/www ; id\n",
    "2024-01-05 10:00:01 sshd[412]: session opened\n2024-01-05 10:00:07 sudo: tom : COMMAND=/bin/ls -la "
    "/root; ok\n"
    "2024-01-05 10:00:09 cron[1]: (root) CMD (cd / && run-parts --report /etc/cron.hourly)\n",
    "diff --git a/run.sh b/run.sh\n--- a/run.sh\n+++ b/run.sh\n@@ -1,2 +1,2 @@\n-rm -rf build; make\n"
    "+rm -rf build && make -j4 | tee log\n",
    "Question: how do I count lines?\n\nAnswer 1:\n    cat file.txt | wc -l\nAnswer 2:\n    wc -l < "
    "file.txt; echo\n",
    "== Steps ==\n# Install: {{code|apt-get install -y x && x --init}}\n# Start: {{code|x start; tail -f "
    "x.log}}\n"
    "# Stop: {{code|pkill x}}\n",
    "<p>Run</p>\n<pre>cd /srv/app && git pull; npm ci | tail</pre>\n<p>and wait.</p>\n",
    "web: gunicorn app:app --log-file - ; true\nworker: celery -A app worker | tee log\nclock: python "
    "clock.py && exit\n",
};

TEST(CmdDocuments, AreNotDeniedAtBalanced) {
  const auto analyzer = make_cmd_injection_analyzer();
  for (const Location location : {Location::kQuery, Location::kBody}) {
    for (const auto& list :
         {std::span<const char* const>(kInlineCode), std::span<const char* const>(kProse),
          std::span<const char* const>(kToolLines), std::span<const char* const>(kDocuments)}) {
      for (const char* text : list)
        EXPECT_FALSE(denied_at_balanced(verdict_of(*analyzer, text, location))) << text;
    }
  }
}

}  // namespace
}  // namespace wafd::detect
