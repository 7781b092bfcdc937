// System settings: sections at the left, one of them open.
import type { Me } from '../../api/types';
import { href, use_route } from '../../state/route';
import { may } from '../../state/session';
import { t } from '../../text';
import { Link } from '../../ui/button';
import { DocLink } from '../../ui/doc_link';
import { Notice } from '../../ui/panel';
import { AuditSection } from './audit';
import { ExceptionsSection } from './exceptions';
import { HistorySection } from './history';
import { ListsSection } from './lists';
import { NotifySection } from './notify/section';
import { RulesSection } from './rules';
import { SignInSection } from './sign_in';
import { SitesSection } from './sites';
import { SyslogSection } from './syslog/section';
import { SystemSection } from './system';
import { TokensSection } from './tokens';
import { UsersSection } from './users';

const sections = [
  { id: 'sites', group: 'protection', view: SitesSection, settings: true },
  { id: 'exceptions', group: 'protection', view: ExceptionsSection, settings: true },
  { id: 'rules', group: 'protection', view: RulesSection, settings: true },
  { id: 'lists', group: 'protection', view: ListsSection, settings: true },
  { id: 'syslog', group: 'forwarding', view: SyslogSection, settings: true },
  { id: 'notify', group: 'forwarding', view: NotifySection, settings: true },
  { id: 'users', group: 'access', view: UsersSection, admin: true },
  { id: 'sign_in', group: 'access', view: SignInSection, admin: true, settings: true },
  { id: 'tokens', group: 'access', view: TokensSection, admin: true },
  { id: 'audit', group: 'access', view: AuditSection, admin: true },
  { id: 'system', group: 'node', view: SystemSection },
  { id: 'history', group: 'node', view: HistorySection, settings: true },
];
// What explains a section.
const documents: Record<string, string> = {
  sites: 'sites', exceptions: 'sites', rules: 'rules', lists: 'sites', syslog: 'syslog', notify: 'notifications', users: 'accounts', sign_in: 'sign-in',
  tokens: 'api', audit: 'settings', system: 'settings', history: 'settings',
};
const groups = ['protection', 'forwarding', 'access', 'node'];
const first_section = 'syslog';

export function SettingsPage({ me }: { me: Me }) {
  const { params } = use_route();
  const open = sections.find((s) => s.id === params.get('section')) ?? (sections.find((s) => s.id === first_section) as (typeof sections)[0]);
  const Section = open.view;
  // What a file says can be looked at here as by a viewer, whoever it is.
  const of_file = open.settings === true && me.settings_file !== '';
  const shown_as: Me = of_file ? { ...me, role: 'viewer' } : me;
  return (
    <div class="settings">
      <nav class="subnav" aria-label={t.settings.sections}>
        <h1>{t.settings.title}</h1>
        {groups.map((group) => {
          const shown = sections.filter((s) => s.group === group && (!s.admin || may(me, 'admin')));
          return shown.length > 0 && (
            <div key={group} class="subnav-group" role="group" aria-label={t.settings.group[group]}>
              <span class="subnav-title" aria-hidden="true">{t.settings.group[group]}</span>
              {shown.map((s) => <Link key={s.id} to={href('settings', { section: s.id })} aria-current={s.id === open.id ? 'page' : undefined} data-testid={`section-${s.id}`}>{t.settings.section[s.id]}</Link>)}
            </div>
          );
        })}
      </nav>
      <div class="settings-body">
        {of_file && <div class="section-notice"><Notice tone="info" testid="settings-file">{t.settings.of_file} <code>{me.settings_file}</code>. {t.settings.of_file_how}</Notice></div>}
        {open.settings && me.settings_of_fleet && <div class="section-notice"><Notice tone="info" testid="settings-fleet">{t.settings.of_fleet}</Notice></div>}
        {open.admin && !may(me, 'admin') ? <Notice tone="info">{t.settings.no_admin}</Notice> : <Section key={open.id} me={shown_as} />}
        <p class="section-doc"><DocLink name={documents[open.id] ?? 'settings'} /></p>
      </div>
    </div>
  );
}
