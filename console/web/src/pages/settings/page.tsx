// System settings: sections at the left, one of them open.
import type { Me } from '../../api/types';
import { href, use_route } from '../../state/route';
import { may } from '../../state/session';
import { t } from '../../text';
import { Link } from '../../ui/button';
import { Notice } from '../../ui/panel';
import { AuditSection } from './audit';
import { ExceptionsSection } from './exceptions';
import { ListsSection } from './lists';
import { RulesSection } from './rules';
import { SitesSection } from './sites';
import { SyslogSection } from './syslog/section';
import { TokensSection } from './tokens';
import { UsersSection } from './users';

const sections = [
  { id: 'syslog', view: SyslogSection },
  { id: 'sites', view: SitesSection },
  { id: 'exceptions', view: ExceptionsSection },
  { id: 'lists', view: ListsSection },
  { id: 'rules', view: RulesSection },
  { id: 'users', view: UsersSection, admin: true },
  { id: 'tokens', view: TokensSection, admin: true },
  { id: 'audit', view: AuditSection, admin: true },
];

export function SettingsPage({ me }: { me: Me }) {
  const { params } = use_route();
  const open = sections.find((s) => s.id === params.get('section')) ?? (sections[0] as (typeof sections)[0]);
  const Section = open.view;
  return (
    <div class="settings">
      <nav class="subnav" aria-label={t.settings.sections}>
        <h1>{t.settings.title}</h1>
        {sections.filter((s) => !s.admin || may(me, 'admin')).map((s) => (
          <Link key={s.id} to={href('settings', { section: s.id })} aria-current={s.id === open.id ? 'page' : undefined} data-testid={`section-${s.id}`}>{t.settings.section[s.id]}</Link>
        ))}
      </nav>
      <div class="settings-body">
        {open.admin && !may(me, 'admin') ? <Notice tone="info">{t.settings.no_admin}</Notice> : <Section key={open.id} me={me} />}
      </div>
    </div>
  );
}
