// Cacti of Debian on MariaDB: devices, graphs, templates with regular expressions and format strings, trees, reports, users, settings.
import path from 'node:path';

import { copyOf, makeDatabase, prelude, servePhp } from './support/php.mjs';
import { explore } from './support/robot.mjs';
import { people, posts, searches } from './support/texts.mjs';

export const title = 'Cacti';

export async function prepare(stage) {
  stage.socket = await makeDatabase(stage, 'cacti');
  stage.folder = await copyOf(stage, '/usr/share/cacti', 'cacti');
  const sql = (input) => stage.done('sh', ['-c', `mariadb --no-defaults --socket="$1" -uapp -papp cacti ${input}`, 'sh', stage.socket]);
  await sql('< /usr/share/doc/cacti/cacti.sql');
  await sql(
    `-e "update version set cacti='$(cat ${stage.folder}/site/include/cacti_version)'; update user_auth set must_change_password='' where id=1; insert into settings values ('path_cactilog', '${stage.folder}/site/log/cacti.log'), ('path_rrdtool', '/usr/bin/rrdtool'), ('path_php_binary', '/usr/bin/php') on duplicate key update value=values(value)"`,
  );
  stage.write(
    path.join(stage.folder, 'site/include/config.php'),
    `<?php
$database_type = 'mysql'; $database_default = 'cacti'; $database_hostname = '${stage.socket}'; $database_username = 'app'; $database_password = 'app';
$database_port = ''; $database_retries = 3; $database_ssl = false; $database_ssl_key = $database_ssl_cert = $database_ssl_ca = ''; $database_persist = false;
$poller_id = 1; $url_path = '/'; $cacti_session_name = 'Cacti'; $cacti_db_session = false; $disable_log_rotation = true; $proxy_headers = null;
$path_csrf_secret = '${stage.folder}/secret.php';
`,
  );
  stage.settings = { auto_prepend_file: prelude(stage), 'date.timezone': 'UTC' };
  for (const name of ['Local_Linux_Machine', 'NetSNMP_Device', 'Cisco_Router'])
    await stage
      .done('php', ['-q', `${stage.folder}/cli/import_package.php`, `--filename=${stage.folder}/site/install/templates/${name}.xml.gz`])
      .catch((error) => stage.failed.push(`import ${name}: ${error.message.slice(0, 200)}`));
}
export async function start(stage) {
  await servePhp(stage, path.join(stage.folder, 'site'), { settings: stage.settings });
  await stage.answers('/index.php');
}

export async function drive(stage) {
  const page = await stage.page();
  await stage.form(page, '/index.php', { login_username: 'admin', login_password: 'admin' }, '[type=submit]');
  for (const [at, one] of people.entries()) {
    await stage.form(
      page,
      '/host.php?action=edit&create=true',
      { '#description': one.name, '#hostname': `h${at}.${one.mail.split('@')[1]}`, '#notes': posts[at].html.slice(0, 400) },
      '[type=submit][value=Create]',
    );
    await stage.form(
      page,
      '/sites.php?action=edit',
      { name: one.name, address1: one.city, city: one.city, notes: one.phone },
      '[type=submit][value=Create]',
    );
  }
  for (const [at, text] of searches.entries()) {
    const where = ['host', 'graphs', 'data_sources', 'tree', 'graph_templates'][at % 5];
    await stage.go(page, `/${where}.php?action=&filter=${encodeURIComponent(text)}&rows=-1&page=1`);
    if (at % 6 === 0) await stage.go(page, `/graph_view.php?action=preview&rfilter=${encodeURIComponent(text)}&graphs=-1&thumbnails=true`);
  }
  const edit = [
    'cdef',
    'vdef',
    'color',
    'gprint_presets',
    'graph_templates',
    'data_templates',
    'host_templates',
    'data_input',
    'data_queries',
    'data_source_profiles',
    'tree',
    'reports_user',
    'user_admin',
    'user_group_admin',
    'user_domains',
    'automation_networks',
    'automation_snmp',
    'links',
    'pollers',
    'aggregate_templates',
    'color_templates',
    'automation_templates',
    'managers',
  ];
  const tabs = ['general', 'path', 'poller', 'authentication', 'mail', 'visual', 'export', 'boost', 'spikes', 'snmp', 'data'];
  await explore(
    stage,
    page,
    [
      ...edit.map((name) => `/${name}.php?action=edit`),
      '/automation_graph_rules.php?action=edit',
      '/automation_tree_rules.php?action=edit',
      '/cdef.php?action=edit&id=2',
      '/graph_templates.php?action=template_edit&id=1',
      '/data_templates.php?action=template_edit&id=1',
      '/data_input.php?action=edit&id=1',
      '/host.php?action=edit&id=1',
      '/graphs_new.php?host_id=1',
      '/data_queries.php?action=edit&id=1',
      ...tabs.map((tab) => `/settings.php?tab=${tab}`),
      '/auth_profile.php?action=edit',
      '/utilities.php?action=view_logfile&filter=%5E.*%28error%7Cwarn%29.*%24',
    ],
    { pages: 45 },
  );
}
