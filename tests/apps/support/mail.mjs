// What a webmail works with: Debian's dovecot with one mailbox, and an SMTP server that puts every mail into it.
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

import { freePort } from '../../e2e/support/processes.mjs';

export const password = "it's;me--7"; // without a space, where an argument of dovecot's ends

// RFC 5321, as far as one client needs it.
function smtpSession(socket, deliver) {
  let buffer = '';
  let inMail = false;
  const say = (text) => socket.write(`${text}\r\n`);
  say('220 localhost');
  socket.on('error', () => {});
  socket.on('data', (data) => {
    buffer += data.toString('latin1');
    for (;;) {
      const end = buffer.indexOf(inMail ? '\r\n.\r\n' : '\r\n');
      if (end < 0) return;
      const text = buffer.slice(0, end);
      buffer = buffer.slice(end + (inMail ? 5 : 2));
      if (inMail) {
        deliver(Buffer.from(`${text.replace(/^\.\./gm, '.')}\r\n`, 'latin1'));
        inMail = false;
        say('250 kept');
      } else if (/^data/i.test(text)) {
        inMail = true;
        say('354 go on');
      } else if (/^quit/i.test(text)) {
        socket.end('221 bye\r\n');
      } else {
        say(/^ehlo/i.test(text) ? '250-localhost\r\n250-8BITMIME\r\n250 SMTPUTF8' : '250 ok');
      }
    }
  });
}

async function startSmtp(stage, deliver) {
  const server = net.createServer((socket) => smtpSession(socket, deliver));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  stage.programs.push({ name: 'smtp', stop: () => new Promise((resolve) => server.close(resolve)) });
  return server.address().port;
}

// Gives the ports of both, and `deliver`, which puts a mail into the mailbox. Dovecot gives no mailbox to root.
export async function startMail(stage) {
  const folder = stage.temp('mail');
  const { uid, username } = os.userInfo();
  const owner = uid === 0 ? { id: 'nobody', group: 'nogroup' } : { id: username, group: username };
  const box = path.join(folder, 'box');
  for (const part of ['', 'new', 'cur', 'tmp']) fs.mkdirSync(path.join(box, part), { recursive: true });
  await stage.done('chmod', ['-R', '777', box]);
  const imapPort = await freePort();
  const folders = Object.entries({ Drafts: '\\Drafts', Sent: '\\Sent', Trash: '\\Trash', Junk: '\\Junk' })
    .map(([name, use]) => `mailbox ${name} {\n auto = subscribe\n special_use = ${use}\n }`)
    .join('\n');
  const config = stage.write(
    path.join(folder, 'dovecot.conf'),
    `protocols = imap
base_dir = ${folder}/run
state_dir = ${folder}/run
log_path = /dev/stderr
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
auth_mechanisms = plain login
auth_failure_delay = 0
${uid === 0 ? '' : `default_internal_user = ${username}\ndefault_internal_group = ${username}\ndefault_login_user = ${username}`}
mail_location = maildir:${box}
passdb {
 driver = static
 args = password=${password}
}
userdb {
 driver = static
 args = uid=${owner.id} gid=${owner.group} home=${folder}
}
namespace inbox {
 inbox = yes
 ${folders}
}
service anvil {
 chroot =
 unix_listener anvil-auth-penalty {
  mode = 0
 }
}
service imap-login {
 chroot =
 inet_listener imap {
  port = ${imapPort}
 }
 inet_listener imaps {
  port = 0
 }
}
`,
  );
  stage.run('/usr/sbin/dovecot', ['-F', '-c', config]);
  let count = 0;
  const deliver = (mail) => {
    const file = path.join(box, 'new', `${++count}.test`);
    fs.writeFileSync(file, mail);
    fs.chmodSync(file, 0o666);
  };
  const smtpPort = await startSmtp(stage, deliver);
  await stage.until(
    'dovecot listens',
    () =>
      new Promise((resolve, reject) =>
        net
          .connect(imapPort, '127.0.0.1', function connected() {
            this.end();
            resolve(true);
          })
          .on('error', reject),
      ),
  );
  return { imapPort, smtpPort, deliver };
}
