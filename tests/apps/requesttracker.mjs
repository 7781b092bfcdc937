// Request Tracker of Debian on SQLite: tickets, answers, searches in its query language, templates, settings; its REST interface.
import fs from 'node:fs';
import path from 'node:path';

import { makeFiles } from './support/files.mjs';
import { explore } from './support/robot.mjs';
import * as technicalTexts from './support/technical.mjs';
import { comments, markdown, people, posts, searches } from './support/texts.mjs';

export const title = 'Request Tracker';

export async function prepare(stage) {
  stage.folder = stage.temp('rt');
  const set = {
    rtname: stage.host,
    Organization: stage.host,
    WebDomain: stage.host,
    WebPort: '80',
    WebBaseURL: stage.url,
    WebPath: '',
    DatabaseType: 'SQLite',
    DatabaseName: `${stage.folder}/rt.sqlite3`,
    MasonDataDir: `${stage.folder}/mason`,
    MasonSessionDir: `${stage.folder}/sessions`,
    LogToSTDERR: 'error',
    SendmailPath: '/bin/true',
  };
  for (const name of ['mason', 'sessions', 'more']) fs.mkdirSync(path.join(stage.folder, name));
  const lines = Object.entries(set).map(([name, value]) => `Set($${name}, '${value}');\n`);
  const config = stage.write(
    path.join(stage.folder, 'RT_SiteConfig.pm'),
    `${lines.join('')}Set($LogToSyslog, undef);\nSet($WebSecureCookies, 0);\nSet($RestrictReferrer, 0);\n1;\n`,
  );
  stage.rt = {
    cwd: stage.folder,
    env: { ...stage.env, RT_SITE_CONFIG: config, RT_SITE_CONFIG_DIR: `${stage.folder}/more`, PERL5LIB: '/usr/share/request-tracker5/lib' },
  };
  await stage.done('rt-setup-database-5', ['--action', 'init', '--dba-password', '', '--skip-create'], stage.rt);
}
export async function start(stage) {
  const server = '/usr/share/request-tracker5/libexec/rt-server';
  stage.run(server, ['--server', 'Starman', '--host', '127.0.0.1', '--port', `${stage.appPort}`, '--workers', '2'], { ...stage.rt, detached: true });
  await stage.answers('/', 120);
}

const logIn = async (stage) => {
  const page = await stage.page();
  await stage.form(page, '/', { user: 'root', pass: 'password' }, '#login [type=submit], form [type=submit]');
  return page;
};

async function write(stage, page, { posts, comments, markdown, searches }) {
  for (const [at, post] of posts.slice(0, 7).entries()) {
    await stage.step(`ticket ${at}`, async () => {
      await page.goto(`${stage.url}/Ticket/Create.html?Queue=1`, { waitUntil: 'load' });
      await page.locator('form[name=TicketCreate] [name=Subject]').fill(post.title);
      await page.evaluate(
        (html) => {
          for (const one of Object.values(window.CKEDITOR?.instances ?? {})) one.setData(html);
          const plain = document.querySelector('form[name=TicketCreate] textarea[name=Content]');
          if (plain) plain.value = html;
        },
        at % 2 ? post.html : markdown[at % markdown.length],
      );
      await page.waitForTimeout(300);
      await stage.sent(page, () => page.locator('[name=SubmitTicket]').first().click());
    });
    await stage.form(
      page,
      `/Ticket/Update.html?id=${(at % 5) + 1}&Action=${at % 2 ? 'Respond' : 'Comment'}`,
      { UpdateSubject: post.title, UpdateCc: people[at % people.length].mail, UpdateTimeWorked: '5' },
      '[name=SubmitTicket]',
    );
    await stage.sendJson(
      'POST',
      '/REST/2.0/ticket',
      {
        Queue: 'General',
        Subject: post.title,
        Content: comments[at % comments.length],
        ContentType: 'text/plain',
        Requestor: people[at % people.length].mail,
      },
      stage.basic,
    );
    await stage.sendJson('POST', `/REST/2.0/ticket/${at + 1}/comment`, { Content: post.html, ContentType: 'text/html', TimeTaken: '5' }, stage.basic);
  }
  for (const text of searches.slice(0, 14)) {
    await stage.go(page, `/Search/Simple.html?q=${encodeURIComponent(text).replaceAll('%20', '+')}`);
    await stage.go(page, `/Articles/Article/Search.html?HalfURL=1&Article~=${encodeURIComponent(text)}`);
  }
}

// Searches in the query language of tickets, as the page for searches writes them and as people type them.
const queries = [
  "Status = 'new' OR Status = 'open'",
  " Owner = 'Nobody' AND ( Status = 'new' OR Status = 'open' )",
  "Queue = 'General' AND Subject LIKE 'cake'",
  "Requestor.EmailAddress LIKE '@mail.example' AND Created > '30 days ago'",
  'id = 3 OR id = 4',
  "Due < 'today' AND Status = '__Active__' AND Priority >= 50",
  "LastUpdated < '2 weeks ago' AND Owner = '__CurrentUser__'",
  "Subject NOT LIKE 'spam' AND CF.{Room} IS NULL",
  "( Queue = 'General' OR Queue = 'Küche' ) AND Told = '1970-01-01'",
  "Content LIKE 'O\\'Connor' AND Cc.Name = 'anna'",
  "Status != 'resolved' AND Owner.id = 14 AND LastUpdatedBy.id != Owner.id",
  'HasMember = 5 OR MemberOf IS NOT NULL',
];

async function lookUp(stage, page) {
  for (const [at, query] of queries.entries()) {
    const more = `&Order=ASC%7CDESC&OrderBy=id%7CSubject&RowsPerPage=50&Format=${encodeURIComponent("'<b><a href=\"__WebPath__/Ticket/Display.html?id=__id__\">__id__</a></b>/TITLE:#',\n'<b><a href=\"__WebPath__/Ticket/Display.html?id=__id__\">__Subject__</a></b>/TITLE:Subject',\nStatus,\nQueueName,\nOwner,\nPriority,\n'__NEWLINE__',\n'',\n'<small>__Requestors__</small>'")}`;
    await stage.go(page, `/Search/Results.html?Query=${encodeURIComponent(query)}${more}`);
    await stage.go(page, `/Search/Build.html?Query=${encodeURIComponent(query)}&NewQuery=0`);
    await stage.form(
      page,
      `/Search/Edit.html?Query=${encodeURIComponent(query)}`,
      { Query: queries[(at + 1) % queries.length] },
      '[name=DoAuto],form[action*=Build] [type=submit]',
    );
    await stage.go(
      page,
      `/Search/Chart.html?Query=${encodeURIComponent(query)}&GroupBy=Queue&GroupBy=Created.Monthly&ChartFunction=COUNT&ChartFunction=ALL(TotalTimeWorked)&ChartStyle=bar%2Btable`,
    );
    await stage.send(
      'GET',
      `/REST/2.0/tickets?query=${encodeURIComponent(query)}&orderby=Created&order=DESC&fields=Subject,Status,Owner&fields[Owner]=Name`,
      { headers: stage.basic },
    );
    await stage.go(page, `/Search/Bulk.html?Query=${encodeURIComponent(query)}`);
  }
  for (const one of people)
    await stage.sendJson(
      'POST',
      '/REST/2.0/users',
      [
        { field: 'Name', operator: 'LIKE', value: one.name },
        { field: 'EmailAddress', value: one.mail, entry_aggregator: 'OR' },
      ],
      stage.basic,
    );
}

// Templates of mails have Perl between braces; the ones that come with it are edited.
const templates = [
  'Subject: AutoReply: {$Ticket->Subject}\nContent-Type: text/html\n\n<p>Greetings,</p>\n<p>Your ticket "{$Ticket->Subject()}" has the ID {$Ticket->SubjectTag}.</p>\n<hr/>\n{$Transaction->Content(Type => "text/html")}\n',
  "Subject: [Resolved] {$Ticket->Subject}\n\nDear {$Ticket->RequestorAddresses},\n\nyour request is done. See <URL: {RT->Config->Get('WebURL')}Ticket/Display.html?id={$Ticket->id} >\n{ my $c = $Transaction->Content; $c =~ s/^/> /mg; $c }\n",
];

export async function drive(stage) {
  stage.basic = { Authorization: `Basic ${Buffer.from('root:password').toString('base64')}` };
  const page = await logIn(stage);
  for (const [at, one] of people.entries()) {
    await stage.form(
      page,
      '/Admin/Users/Modify.html?Create=1',
      {
        Name: one.mail.split('@')[0],
        EmailAddress: one.mail,
        RealName: one.name,
        NickName: one.name.split(' ')[0],
        WorkPhone: one.phone,
        City: one.city,
        Comments: comments[at % comments.length],
      },
      'form[name=UserModify] [type=submit], form[action*=Users] [type=submit]',
    );
    await stage.sendJson(
      'PUT',
      `/REST/2.0/user/root`,
      { Organization: `${one.name} & Co.`, Address1: `12, ${one.city}`, Signature: `-- \n${one.name}\n${one.mail}` },
      stage.basic,
    );
  }
  await write(stage, page, { posts, comments, markdown, searches });
  await lookUp(stage, page);
  for (const [at, Content] of templates.entries())
    await stage.form(
      page,
      '/Admin/Global/Template.html?Create=1&Queue=0',
      { Name: `Mine ${at}`, Description: 'For orders', Content },
      'form[name=ModifyTemplate] [type=submit], form[action*=Template] [type=submit]',
    );
  await stage.form(
    page,
    '/Admin/Scrips/Create.html?Global=1',
    {
      Description: 'On create, say so',
      CustomIsApplicableCode: "return $self->TransactionObj->Type eq 'Create' && $self->TicketObj->Subject =~ /cake/i;",
    },
    'form[action*=Scrips] [type=submit], [name=Create]',
  );
  const files = Object.values(await makeFiles(stage.temp('files')));
  await explore(
    stage,
    page,
    [
      '/',
      '/Prefs/Other.html',
      '/Admin/Queues/Modify.html?Create=1',
      '/Admin/CustomFields/Modify.html?Create=1',
      '/Articles/',
      '/Dashboards/Modify.html?Create=1',
      '/Tools/',
      '/User/Search.html',
      '/Ticket/Modify.html?id=1',
      '/Ticket/ModifyLinks.html?id=1',
      '/Ticket/ModifyPeople.html?id=1',
      '/Ticket/Reminders.html?id=1',
      '/Ticket/Forward.html?id=1',
    ],
    { pages: 14, files },
  );
}
export async function driveTechnical(stage) {
  await write(stage, await logIn(stage), technicalTexts);
}
