// A real mail server: Debian's exim, which asks for STARTTLS and a password and keeps every mail in its queue.
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';

import { Program, freePort, root, run, tempFolder, until } from './processes.mjs';

const home = path.join(root, 'build/receivers');

const listens = (port) =>
  new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => resolve(socket.destroy() !== null));
    socket.on('error', () => resolve(false));
  });

export class Exim {
  // `certificate`: names for which its certificate is made.
  static async start({ names = 'DNS:localhost,IP:127.0.0.1' } = {}) {
    const fetched = await run(path.join(root, 'tests/support/fetch_exim'), [home]);
    if (fetched.code !== 0) throw new Error(fetched.stderr);
    const exim = new Exim();
    exim.folder = tempFolder('exim');
    exim.port = await freePort(); // STARTTLS
    exim.tlsPort = await freePort();
    exim.certificate = path.join(exim.folder, 'cert.pem');
    const made = await run('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', path.join(exim.folder, 'key.pem'), '-out', exim.certificate, '-days', '2', '-subj', '/CN=localhost', '-addext', `subjectAltName=${names}`]);
    if (made.code !== 0) throw new Error(made.stderr);
    const conf = path.join(exim.folder, 'exim.conf');
    fs.writeFileSync(conf, exim.#configuration());
    fs.mkdirSync(path.join(exim.folder, 'spool'));
    fs.mkdirSync(path.join(exim.folder, 'log'));
    if (process.getuid() === 0) {
      fs.chmodSync(exim.folder, 0o711);
      for (const name of ['', 'spool', 'log', 'key.pem', 'cert.pem']) fs.chownSync(path.join(exim.folder, name), 65534, 65534);
      fs.chownSync(conf, 0, 0);
    }
    exim.program = new Program(path.join(home, 'exim/run'), ['-C', conf, '-bdf']);
    await exim.program.ready('listens', async () => (await listens(exim.port)) && listens(exim.tlsPort));
    return exim;
  }

  #configuration() {
    return `primary_hostname = mail.example
keep_environment =
spool_directory = ${this.folder}/spool
log_file_path = ${this.folder}/log/%slog
pid_file_path = ${this.folder}/pid
exim_user = Debian-exim
exim_group = Debian-exim
host_lookup =
rfc1413_query_timeout = 0s
queue_only = true
daemon_smtp_ports = ${this.port} : ${this.tlsPort}
tls_on_connect_ports = ${this.tlsPort}
local_interfaces = 127.0.0.1
tls_advertise_hosts = *
tls_certificate = ${this.certificate}
tls_privatekey = ${this.folder}/key.pem
auth_advertise_hosts = \${if eq{$tls_in_cipher}{}{}{*}}
acl_smtp_rcpt = rcpt
begin acl
rcpt:
  deny message = no such user
       local_parts = nobody-here
  accept authenticated = *
  deny message = relay not permitted
begin routers
all:
  driver = accept
  transport = file
begin transports
file:
  driver = appendfile
  file = ${this.folder}/mbox
begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_condition = \${if and{{eq{$auth2}{wafd}}{eq{$auth3}{s3cret}}}}
  server_set_id = $auth2
`;
  }

  // {envelope and headers, text} of every mail in the queue, oldest first.
  mails() {
    const input = path.join(this.folder, 'spool/input');
    if (!fs.existsSync(input)) return [];
    return fs
      .readdirSync(input)
      .filter((name) => name.endsWith('-H') && fs.existsSync(path.join(input, name.replace(/H$/, 'D'))))
      .sort()
      .map((name) => {
        const body = fs.readFileSync(path.join(input, name.replace(/H$/, 'D')), 'latin1').replace(/^.*\n/, '');
        return { head: fs.readFileSync(path.join(input, name), 'latin1'), text: Buffer.from(body, 'base64').toString('utf8') };
      });
  }

  having(text, seconds = 20) {
    return until(`a mail with ${text}`, () => this.mails().find((mail) => mail.text.includes(text)), seconds);
  }

  stop() {
    return this.program.stop();
  }
}
