// LDAP Account Manager of Debian with OpenLDAP: accounts, groups, profiles, its tree, searches with filters, LDIF, settings of the server.
import fs from 'node:fs';
import path from 'node:path';

import { freePort } from '../e2e/support/processes.mjs';
import { copyOf, movedTo, prelude, servePhp } from './support/php.mjs';
import { explore } from './support/robot.mjs';
import * as technicalTexts from './support/technical.mjs';
import { comments, people, posts, searches } from './support/texts.mjs';
import { lookups, notes } from './support/trades.mjs';

export const title = 'LDAP Account Manager';
const root = { dn: 'cn=admin,dc=kueche,dc=example', password: 'quiet kitchen 77' };

export async function prepare(stage) {
  stage.folder = await copyOf(stage, '/usr/share/ldap-account-manager', 'lam');
  const data = stage.temp('slapd');
  stage.ldapPort = await freePort();
  stage.slapd = stage.write(
    path.join(data, 'slapd.conf'),
    `${['core', 'cosine', 'nis', 'inetorgperson'].map((name) => `include /etc/ldap/schema/${name}.schema\n`).join('')}modulepath /usr/lib/ldap\nmoduleload back_mdb\npidfile ${data}/slapd.pid\ndatabase mdb\nsuffix "dc=kueche,dc=example"\nrootdn "${root.dn}"\nrootpw "${root.password}"\ndirectory ${data}\nindex objectClass eq\n`,
  );
  const ldif = stage.write(
    path.join(data, 'first.ldif'),
    `dn: dc=kueche,dc=example\nobjectClass: domain\ndc: kueche\n\n${['people', 'groups'].map((name) => `dn: ou=${name},dc=kueche,dc=example\nobjectClass: organizationalUnit\nou: ${name}\n`).join('\n')}\ndn: cn=staff,ou=groups,dc=kueche,dc=example\nobjectClass: posixGroup\ncn: staff\ngidNumber: 10001\n`,
  );
  await stage.done('/usr/sbin/slapadd', ['-f', stage.slapd, '-l', ldif]);
  await movedTo(stage, stage.folder, { '/usr/share/ldap-account-manager': stage.folder, '/var/lib/ldap-account-manager': stage.folder });
  const file = path.join(stage.folder, 'config/lam.conf');
  const text = fs
    .readFileSync(file, 'utf8')
    .replace(/^ServerURL: .*$/m, `ServerURL: ldap://127.0.0.1:${stage.ldapPort}`)
    .replace('cn=Manager,dc=my-domain,dc=com', root.dn)
    .replace(/^(tools: treeViewSuffix): .*$/m, '$1: dc=kueche,dc=example')
    .replaceAll('ou=People,dc=my-domain,dc=com', 'ou=people,dc=kueche,dc=example')
    .replaceAll('ou=group,dc=my-domain,dc=com', 'ou=groups,dc=kueche,dc=example');
  fs.writeFileSync(file, text);
  await stage.done('chmod', ['-R', 'a+rwX', stage.folder]);
}
export async function start(stage) {
  stage.run('/usr/sbin/slapd', ['-d', '0', '-f', stage.slapd, '-h', `ldap://127.0.0.1:${stage.ldapPort}`], { env: stage.env });
  await servePhp(stage, stage.folder, { settings: { auto_prepend_file: prelude(stage), memory_limit: '256M' } });
  await stage.answers('/templates/login.php');
}

const logIn = async (stage) => {
  const page = await stage.page();
  await stage.form(page, '/templates/login.php', { passwd: root.password }, '[name=checklogin], [type=submit]');
  return page;
};

async function write(stage, page, { posts, comments, searches }) {
  for (const [at, one] of posts.entries())
    await stage.step(`tree entry ${at}`, async () => {
      await page.goto(`${stage.url}/templates/tools/importexport.php?tab=import`, { waitUntil: 'load' });
      const text = (value) =>
        /^[\x21-\x7e][\x20-\x7e]*$/.test(value) && !/^[:<]/.test(value) ? `: ${value}` : `:: ${Buffer.from(value).toString('base64')}`;
      await page
        .locator('[name=source][value=text]')
        .check({ force: true })
        .catch(() => {});
      await page
        .locator('[name=text]')
        .fill(
          `version: 1\n\ndn: ou=t${at}-${stage.part},ou=people,dc=kueche,dc=example\nchangetype: add\nobjectClass: organizationalUnit\nou: t${at}-${stage.part}\ndescription${text(one.title)}\ndescription: ${comments[at % comments.length].replace(/\n/g, ' ')}\n`,
          { force: true },
        );
      await stage.sent(page, () => page.locator('[name=submitImport]').click({ force: true }));
    });
  for (const [at, term] of searches.entries()) {
    await stage.go(
      page,
      `/templates/lists/list.php?type=user&norefresh=true&page=1&sort=${at % 2 ? 'uid' : 'sn'}&sortdirection=-1&filteruid=${encodeURIComponent(`*${term}*`)}&filtersn=${encodeURIComponent(term)}`,
    );
    await stage.step(`export ${at}`, async () => {
      await page.goto(`${stage.url}/templates/tools/importexport.php?tab=export`, { waitUntil: 'load' });
      await page.locator('[name=baseDn]').fill('ou=people,dc=kueche,dc=example', { force: true });
      await page
        .locator('[name=filter]')
        .fill(
          `(|(cn=*${term.replace(/[()*\\]/g, (one) => `\\${one.charCodeAt(0).toString(16)}`)}*)(&(objectClass=inetOrgPerson)(!(sn=${term.replace(/[()*\\]/g, '*')}))))`,
          { force: true },
        );
      await stage.sent(page, () => page.locator('[name=submitExport]').click({ force: true }));
    });
  }
}

export async function drive(stage) {
  const page = await logIn(stage);
  for (const [at, one] of people.entries())
    await stage.step(`account ${at}`, async () => {
      await page.goto(`${stage.url}/templates/account/edit.php?type=user&suffix='ou=people,dc=kueche,dc=example'`, { waitUntil: 'load' });
      for (const [name, value] of Object.entries({
        givenName: one.name.split(' ')[0],
        sn: one.name,
        description_0: notes[at].title,
        labeledURI_0: `https://${one.mail.split('@')[1]}/?a=1&b=2 it's home`,
        postalAddress0: `${one.name}$12, rue de l'Église$${one.city}`,
        carLicense: `M-X ${at}`,
        title_0: notes[at].trade,
        businessCategory_0: 'R&D; sales',
        street_0: one.city,
        telephoneNumber_0: one.phone,
        mail_0: one.mail,
      }))
        await page
          .locator(`[name="${name}"]`)
          .first()
          .fill(value, { force: true, timeout: 1500 })
          .catch(() => {});
      await stage.sent(page, () => page.locator('[name=accountContainerSaveAccount]').first().click({ force: true }));
    });
  await write(stage, page, {
    posts: [...posts.slice(0, 4), ...notes],
    comments: [...comments, ...notes.map((one) => one.text)],
    searches: [...searches.slice(0, 4), ...lookups.slice(0, 6)],
  });
  await explore(
    stage,
    page,
    [
      '/templates/lists/list.php?type=user',
      '/templates/lists/list.php?type=group',
      '/templates/tools/fileupload/masscreate.php',
      '/templates/tree/treeViewContainer.php',
      '/templates/profedit/profilemain.php',
      '/templates/multiEdit.php',
      '/templates/tools/ou_edit.php',
      '/templates/tools/multiEdit.php',
      '/templates/config/mainlogin.php',
      '/templates/config/conflogin.php',
      '/templates/schema/schema.php',
      '/templates/pdfedit/pdfmain.php',
    ],
    { pages: 30 },
  );
}
export async function driveTechnical(stage) {
  await write(stage, await logIn(stage), technicalTexts);
}
