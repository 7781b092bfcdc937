// System settings: sections at the left, one of them open.
import type { Me } from '../../api/types';
import { href, use_route } from '../../state/route';
import { may } from '../../state/session';
import { t } from '../../text';
import { Link } from '../../ui/button';
import { Notice } from '../../ui/panel';
import { AuditSection } from './audit';
import { ExceptionsSection } from './exceptions';
import { HistorySection } from './history';
import { ListsSection } from './lists';
import { RulesSection } from './rules';
import { SitesSection } from './sites';
import { SyslogSection } from './syslog/section';
import { SystemSection } from './system';
import { TokensSection } from './tokens';
import { UsersSection } from './users';

const sections = [
  { id: 'syslog', view: SyslogSection, settings: true },
  { id: 'sites', view: SitesSection, settings: true },
  { id: 'exceptions', view: ExceptionsSection, settings: true },
  { id: 'lists', view: ListsSection, settings: true },
  { id: 'rules', view: RulesSection, settings: true },
  { id: 'users', view: UsersSection, admin: true },
  { id: 'tokens', view: TokensSection, admin: true },
  { id: 'system', view: SystemSection },
  { id: 'history', view: HistorySection, settings: true },
  { id: 'audit', view: AuditSection, admin: true },
];

export function SettingsPage({ me }: { me: Me }) {
  const { params } = use_route();
  const open = sections.find((s) => s.id === params.get('section')) ?? (sections[0] as (typeof sections)[0]);
  const Section = open.view;
  // What a file says can be looked at here as by a viewer, whoever it is.
  const of_file = open.settings === true && me.settings_file !== '';
  const shown_as: Me = of_file ? { ...me, role: 'viewer' } : me;
  return (
    <div class="settings">
      <nav class="subnav" aria-label={t.settings.sections}>
        <h1>{t.settings.title}</h1>
        {sections.filter((s) => !s.admin || may(me, 'admin')).map((s) => (
          <Link key={s.id} to={href('settings', { section: s.id })} aria-current={s.id === open.id ? 'page' : undefined} data-testid={`section-${s.id}`}>{t.settings.section[s.id]}</Link>
        ))}
      </nav>
      <div class="settings-body">
        {of_file && <div class="section-notice"><Notice tone="info" testid="settings-file">{t.settings.of_file} <code>{me.settings_file}</code>. {t.settings.of_file_how}</Notice></div>}
        {open.admin && !may(me, 'admin') ? <Notice tone="info">{t.settings.no_admin}</Notice> : <Section key={open.id} me={shown_as} />}
      </div>
    </div>
  );
}
