// Nagios of Debian: states, acknowledgements, comments, downtimes, reports and searches by its CGI programs.
import fs from 'node:fs';
import path from 'node:path';

import { listenCgi } from './support/cgi.mjs';
import { copyOf, movedTo } from './support/php.mjs';
import { explore } from './support/robot.mjs';
import * as technicalTexts from './support/technical.mjs';
import { comments, people, posts, searches } from './support/texts.mjs';

export const title = 'Nagios';
const programs = '/usr/lib/cgi-bin/nagios4';
const base = '/cgi-bin/nagios4';
const services = ['Root Partition', 'Disk /srv/data', 'HTTP port 443', 'Load: 15 min'];

export async function prepare(stage) {
  stage.folder = await copyOf(stage, '/etc/nagios4', 'nagios4');
  stage.data = stage.temp('nagios');
  for (const name of ['rw', 'spool/checkresults', 'archives']) fs.mkdirSync(path.join(stage.data, name), { recursive: true });
  await movedTo(stage, stage.folder, {
    '/etc/nagios4': stage.folder,
    '/var/lib/nagios4': stage.data,
    '/var/log/nagios4': stage.data,
    '/var/run/nagios4': stage.data,
    '=nagios$': '=nagios',
    'log_archive_path=/archives': `log_archive_path=${stage.data}/archives`,
  });
  const hosts = people.map(
    (one, at) =>
      `define host {\n use linux-server\n host_name host${at}\n alias ${one.city.replaceAll(';', '')}\n address 127.0.0.${at + 1}\n check_command check-host-alive\n active_checks_enabled 0\n}\ndefine service {\n use generic-service\n host_name host${at}\n service_description ${services[at % 4]}\n check_command check_ping!100.0,20%!500.0,60%\n active_checks_enabled 0\n}\n`,
  );
  stage.write(path.join(stage.folder, 'conf.d/hosts.cfg'), hosts.join(''));
}
export async function start(stage) {
  const user = process.getuid() === 0 ? 'root' : process.env.USER;
  await stage.done('sed', [
    '-i',
    `s/^nagios_user=.*/nagios_user=${user}/; s/^nagios_group=.*/nagios_group=${user}/; s/^url_html_path=.*/url_html_path=\\/nagios4/`,
    `${stage.folder}/nagios.cfg`,
    `${stage.folder}/cgi.cfg`,
  ]);
  stage.run('/usr/sbin/nagios4', [`${stage.folder}/nagios.cfg`], { env: stage.env, detached: true });
  await stage.until('it has a state', () => fs.existsSync(path.join(stage.data, 'status.dat')), 240);
  await listenCgi(stage, (target) => {
    const name = path.basename(target.split('/')[3] ?? 'tac.cgi');
    return {
      command: path.join(programs, /^\w+\.cgi$/.test(name) ? name : 'tac.cgi'),
      script: `${base}/${name}`,
      env: { NAGIOS_CGI_CONFIG: `${stage.folder}/cgi.cfg`, REMOTE_USER: 'nagiosadmin' },
    };
  });
  await stage.answers(`${base}/tac.cgi`);
}

const q = encodeURIComponent;

async function write(stage, page, { comments, searches }) {
  for (const [at, text] of comments.entries()) {
    const about = `host=host${at % 12}&service=${q(services[at % 4]).replaceAll('%20', '+')}`;
    // 1 and 3: comments, 33 and 34: acknowledgements, 55 and 56: downtimes, 30: a result that is given, 159 and 160: notifications.
    for (const type of [1, 3, 33, 34, 55, 56, 159, 160]) {
      await stage.step(`command ${type}`, async () => {
        await page.goto(`${stage.url}${base}/cmd.cgi?cmd_typ=${type}&${about}`, { waitUntil: 'load' });
        const field = page.locator('[name=com_data]').first();
        if (await field.count()) await field.fill(text.replace(/\n/g, ' '));
        await stage.sent(page, () => page.locator('[name=btnSubmit]').first().click());
      });
    }
    await stage.form(
      page,
      `${base}/cmd.cgi?cmd_typ=30&${about}`,
      { plugin_output: `OK - ${text.slice(0, 60).replace(/\n/g, ' ')}`, performance_data: "time=0.012s;1.0;5.0;0; '/srv'=12%;80;90;0;100" },
      '[name=btnSubmit]',
    );
  }
  for (const text of searches) {
    await stage.go(page, `${base}/status.cgi?navbarsearch=1&host=${q(text).replaceAll('%20', '+')}`);
    await stage.go(page, `${base}/objectjson.cgi?query=hostlist&formatoptions=whitespace+enumerate&details=true&hostname=${q(text)}`);
  }
}

export async function drive(stage) {
  const page = await stage.page();
  await write(stage, page, { comments, searches });
  for (const [at, one] of people.entries()) {
    await stage.go(
      page,
      `${base}/statusjson.cgi?query=servicelist&hoststatus=up+down+unreachable&servicestatus=ok+warning+critical&parenthost=none&hostgroup=linux-servers&servicedescription=${q(services[at % 4])}&dateformat=${q('%Y-%m-%d %H:%M:%S')}`,
    );
    await stage.go(
      page,
      `${base}/archivejson.cgi?query=alertlist&starttime=-86400&endtime=-0&objecttypes=host+service&statetypes=hard+soft&hostname=host${at}`,
    );
    await stage.go(
      page,
      `${base}/avail.cgi?t1=1795471537&t2=1795557937&show_log_entries=&full_log_entries=&host=host${at}&assumeinitialstates=yes&assumestateretention=yes&initialassumedhoststate=0&backtrack=4&rpttimeperiod=workhours`,
    );
    await stage.go(page, `${base}/config.cgi?type=command&expand=${q('check_ping!100.0,20%!500.0,60%')}`);
    await stage.go(page, `${base}/history.cgi?host=${q(one.city)}&archive=0&statetype=0&type=0&noflapping=on`);
    await stage.go(
      page,
      `${base}/summary.cgi?report=1&displaytype=1&timeperiod=custom&smon=11&sday=1&syear=2026&shour=0&smin=0&ssec=0&emon=11&eday=${at + 2}&eyear=2026&hostgroup=all&servicegroup=all&host=all&alerttypes=3&statetypes=3&hoststates=7&servicestates=120&limit=25`,
    );
    await stage.go(page, `${base}/extinfo.cgi?type=2&host=host${at}&service=${q(services[at % 4])}`);
    await stage.go(
      page,
      `${base}/status.cgi?hostgroup=all&style=detail&servicestatustypes=28&hoststatustypes=15&serviceprops=10&sorttype=2&sortoption=3&title=${q(posts[at].title)}`,
    );
  }
  await explore(
    stage,
    page,
    ['tac', 'status', 'avail', 'histogram', 'trends', 'notifications', 'showlog', 'statusmap', 'outages', 'summary', 'config'].map(
      (one) => `${base}/${one}.cgi`,
    ),
    { pages: 40 },
  );
}
export const driveTechnical = async (stage) => write(stage, await stage.page(), technicalTexts);
