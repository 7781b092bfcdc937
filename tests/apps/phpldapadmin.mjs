// phpLDAPadmin of Debian with OpenLDAP: entries made, changed, copied and compared, searches with filters, LDIF brought in and out.
import path from 'node:path';

import { freePort } from '../e2e/support/processes.mjs';
import { copyOf, prelude, servePhp } from './support/php.mjs';
import { explore } from './support/robot.mjs';
import * as technicalTexts from './support/technical.mjs';
import { comments, passwords, people, posts, searches } from './support/texts.mjs';

export const title = 'phpLDAPadmin';
const root = { dn: 'cn=admin,dc=kueche,dc=example', password: 'quiet kitchen 77' };
const base = 'ou=people,dc=kueche,dc=example';

export async function prepare(stage) {
  stage.folder = await copyOf(stage, '/usr/share/phpldapadmin', 'phpldapadmin');
  const data = stage.temp('slapd');
  stage.ldapPort = await freePort();
  stage.slapd = stage.write(
    path.join(data, 'slapd.conf'),
    `${['core', 'cosine', 'nis', 'inetorgperson'].map((name) => `include /etc/ldap/schema/${name}.schema\n`).join('')}modulepath /usr/lib/ldap\nmoduleload back_mdb\npidfile ${data}/slapd.pid\ndatabase mdb\nsuffix "dc=kueche,dc=example"\nrootdn "${root.dn}"\nrootpw "${root.password}"\ndirectory ${data}\nindex objectClass eq\n`,
  );
  const ldif = stage.write(
    path.join(data, 'first.ldif'),
    `dn: dc=kueche,dc=example\nobjectClass: domain\ndc: kueche\n\n${['people', 'groups'].map((name) => `dn: ou=${name},dc=kueche,dc=example\nobjectClass: organizationalUnit\nou: ${name}\n`).join('\n')}`,
  );
  await stage.done('/usr/sbin/slapadd', ['-f', stage.slapd, '-l', ldif]);
  stage.write(
    path.join(stage.folder, 'config/config.php'),
    `<?php $config->custom->session['blowfish'] = '${'k'.repeat(32)}'; $config->custom->appearance['friendly_attrs'] = array(); $config->custom->appearance['hide_template_warning'] = true;
$servers = new Datastore(); $servers->newServer('ldap_pla'); $servers->setValue('server', 'name', "Anna's directory"); $servers->setValue('server', 'host', '127.0.0.1');
$servers->setValue('server', 'port', ${stage.ldapPort}); $servers->setValue('server', 'base', array('dc=kueche,dc=example')); $servers->setValue('login', 'auth_type', 'session');\n`,
  );
}
export async function start(stage) {
  stage.run('/usr/sbin/slapd', ['-d', '0', '-f', stage.slapd, '-h', `ldap://127.0.0.1:${stage.ldapPort}`], { env: stage.env });
  await servePhp(stage, path.join(stage.folder, 'htdocs'), { settings: { auto_prepend_file: prelude(stage), memory_limit: '256M' } });
  await stage.answers('/index.php');
}

const q = encodeURIComponent;
const logIn = async (stage) => {
  const page = await stage.page();
  await stage.form(page, '/cmd.php?cmd=login_form&server_id=1', { '#login': root.dn, '#password': root.password }, 'input[type=submit]');
  return page;
};
const load = (stage, page, ldif) => stage.form(page, '/cmd.php?cmd=import_form&server_id=1', { ldif }, '[type=submit]');
const value = (text) => (/^[\x21-\x7e][\x20-\x7e]*$/.test(text) && !/^[:<]/.test(text) ? `: ${text}` : `:: ${Buffer.from(text).toString('base64')}`);

async function write(stage, page, { posts, comments, searches }) {
  for (const [at, one] of posts.entries())
    await load(
      stage,
      page,
      `version: 1\n\ndn: ou=t${at}-${stage.part},${base}\nchangetype: add\nobjectClass: organizationalUnit\nou: t${at}-${stage.part}\ndescription${value(one.title)}\ndescription: ${comments[at % comments.length].replace(/\n/g, ' ')}\n`,
    );
  for (const text of searches)
    await stage.go(
      page,
      `/cmd.php?cmd=query_engine&server_id=1&query=none&format=list&showresults=na&base=${q(base)}&scope=sub&filter=${q(`(|(cn=*${text.replace(/[()*\\]/g, (one) => `\\${one.charCodeAt(0).toString(16)}`)}*)(description=${text.replace(/[()*\\]/g, '*')}))`)}&display_attrs=${q('cn, sn, uid, postalAddress, telephoneNumber')}&orderby=sn&size_limit=50&search=Search`,
    );
}

export async function drive(stage) {
  const page = await logIn(stage);
  for (const [at, one] of people.entries())
    await load(
      stage,
      page,
      `version: 1\n\ndn: uid=p${at},${base}\nchangetype: add\nobjectClass: inetOrgPerson\nuid: p${at}\ncn${value(one.name)}\nsn${value(one.name.split(' ').pop())}\nmail: ${one.mail}\nl${value(one.city)}\ntelephoneNumber: ${one.phone.replace(/[^0-9+ ]/g, '')}\nuserPassword${value(passwords[at])}\ndescription${value(posts[at].title)}\nlabeledURI: https://${one.mail.split('@')[1]}/a?b=c&d=e#f Home\n`,
    );
  await write(stage, page, { posts, comments, searches });
  const entries = people.map((_, at) => q(`uid=p${at},${base}`));
  for (const [at, entry] of entries.entries()) {
    await stage.form(
      page,
      `/cmd.php?cmd=template_engine&server_id=1&dn=${entry}&template=default`,
      { 'new_values[description][0]': comments[at % comments.length], 'new_values[sn][0]': people[at].name },
      '[type=submit]',
    );
    await stage.form(page, null, {}, '[type=submit]');
    await stage.go(page, `/cmd.php?cmd=add_value_form&server_id=1&dn=${entry}&attr=mail`);
    await stage.go(page, `/cmd.php?cmd=rename_form&server_id=1&dn=${entry}`);
  }
  await stage.go(page, `/cmd.php?cmd=compare&server_id_src=1&dn_src=${entries[0]}&server_id_dst=1&dn_dst=${entries[1]}`);
  for (const format of ['csv', 'dsml', 'ldif', 'vcard'])
    await stage.form(
      page,
      `/cmd.php?cmd=export_form&server_id=1&scope=sub&dn=${q(base)}`,
      { filter: '(&(objectClass=*)(!(uid=p3)))', attributes: '*', exporter_id: format === 'ldif' ? 'LDIF' : format.toUpperCase() },
      '[type=submit]',
    );
  const forms = ['create', 'query_engine', 'export_form', 'import_form', 'schema', 'monitor', 'server_info', 'copy_form', 'mass_edit', 'search'].map(
    (cmd) => `/cmd.php?cmd=${cmd}&server_id=1&dn=${q(base)}`,
  );
  await explore(stage, page, ['/index.php', `/cmd.php?cmd=template_engine&server_id=1&container=${q(base)}`, ...forms], { pages: 60, rounds: 5 });
}

export async function driveTechnical(stage) {
  await write(stage, await logIn(stage), technicalTexts);
}
