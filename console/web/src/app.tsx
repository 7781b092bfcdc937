// The frame of the page: doors before login, then the top bar and one view.
import { Component, type ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Me } from './api/types';
import { AccountPage } from './pages/account/page';
import { FactorPage, LoginAgain, LoginPage, SetupPage, UnreachablePage } from './pages/door/door';
import { EventsPage } from './pages/events/page';
import { FleetPage } from './pages/fleet';
import { HealthBadge } from './pages/health';
import { HelpDialog } from './pages/help';
import { LanguageChoice } from './pages/language_choice';
import { OverviewPage } from './pages/overview';
import { ReportPage } from './pages/report';
import { SettingsPage } from './pages/settings/page';
import { SourcePage } from './pages/source/page';
import { TryPage } from './pages/try';
import { plain_key } from './state/keys';
import { use_language } from './state/language';
import { go_asked, href, use_route, type View } from './state/route';
import { end_session, may, start_session, use_session } from './state/session';
import { choose_theme, stored_theme, type Theme } from './state/theme';
import { t } from './text';
import { Button, IconButton, Link } from './ui/button';
import { Segments } from './ui/field';
import { Logo } from './ui/logo';
import { Menu } from './ui/menu';
import { Notice } from './ui/panel';

function NavLink({ view, current, text }: { view: View; current: View; text: string }) {
  return <Link to={href(view)} aria-current={view === current ? 'page' : undefined} data-testid={`nav-${view}`}>{text}</Link>;
}

function ThemeChoice() {
  const [theme, set_theme] = useState<Theme>(stored_theme());
  const choose = (value: string): void => {
    choose_theme(value as Theme);
    set_theme(value as Theme);
  };
  return (
    <Segments label={t.nav.theme} value={theme} onChange={choose}
      options={[['system', t.nav.theme_system], ['light', t.nav.theme_light], ['dark', t.nav.theme_dark]]} />
  );
}

// Sections of the settings that are worked with every day.
const protection = ['exceptions', 'rules'];

function TopBar({ me, view, section, on_help }: { me: Me; view: View; section: string; on_help: () => void }) {
  return (
    <header class="topbar">
      <a class="skip" href="#content">{t.nav.skip}</a>
      <Link to={href('events')} class="brand"><Logo /><span>{t.product}</span></Link>
      <nav aria-label={t.nav.main}>
        <NavLink view="events" current={view} text={t.nav.events} />
        <NavLink view="overview" current={view} text={t.nav.overview} />
        {me.fleet && <NavLink view="fleet" current={view} text={t.fleet.title} />}
        {may(me, 'operator') && <NavLink view="try" current={view} text={t.nav.try_it} />}
        {protection.map((one) => <Link key={one} to={href('settings', { section: one })} aria-current={view === 'settings' && section === one ? 'page' : undefined} data-testid={`nav-${one}`}>{t.settings.section[one]}</Link>)}
        <Link to={href('settings')} aria-current={view === 'settings' && !protection.includes(section) ? 'page' : undefined} data-testid="nav-settings">{t.nav.settings}</Link>
      </nav>
      <div class="topbar-end">
        <HealthBadge me={me} />
        <span class="node-name" title={`${t.overview.node} ${me.node}, ${t.product} ${me.version}`}>{me.node}</span>
        <IconButton icon="help" label={t.nav.help} onClick={on_help} data-testid="help" />
        <Menu icon="user" label={t.nav.account} text={me.username} testid="account-menu">
          {(close) => (
            <div class="account-panel">
              <p><strong>{me.username}</strong> <span class="muted">{t.role[me.role]}</span></p>
              <div class="menu-block"><span class="menu-label">{t.nav.theme}</span><ThemeChoice /></div>
              <div class="menu-block"><span class="menu-label">{t.account.language}</span><LanguageChoice me={me} /></div>
              <Button kind="ghost" icon="user" onClick={() => { close(); go_asked(href('account')); }}>{t.nav.sessions}</Button>
              <Button kind="ghost" icon="right" onClick={() => void end_session()} data-testid="log-out">{t.nav.log_out}</Button>
            </div>
          )}
        </Menu>
      </div>
    </header>
  );
}

// A view that fails to draw says so and leaves the rest usable.
class Guard extends Component<{ children: ComponentChildren }, { failed: boolean }> {
  override state = { failed: false };
  override componentDidCatch(error: unknown): void {
    console.error(error);
    this.setState({ failed: true });
  }
  override render() {
    return this.state.failed ? <Notice tone="bad">{t.errors.crashed}</Notice> : this.props.children;
  }
}

const titles = (): Record<View, string> => ({
  events: t.nav.events, overview: t.nav.overview, fleet: t.fleet.title, report: t.report.title, source: t.sources.title, try: t.nav.try_it, settings: t.nav.settings, account: t.account.title,
});

const go_keys: Record<string, View> = { e: 'events', o: 'overview', t: 'try', s: 'settings' };

function use_global_keys(on_help: () => void): void {
  useEffect(() => {
    let armed = -Infinity;  // when g was pressed
    const on_key = (event: KeyboardEvent): void => {
      if (!plain_key(event)) return;
      const view = go_keys[event.key];
      if (event.key === '?') on_help();
      else if (event.key === 'g') armed = event.timeStamp;
      else if (view && event.timeStamp - armed < 1500) {
        event.preventDefault();  // the letter alone means something in a view
        go_asked(href(view));
      }
      if (event.key !== 'g') armed = -Infinity;
    };
    document.addEventListener('keydown', on_key);
    return () => document.removeEventListener('keydown', on_key);
  }, []);
}

function Inside({ me }: { me: Me }) {
  const { view, params } = use_route();
  const [help, set_help] = useState(false);
  use_global_keys(() => set_help(true));
  useEffect(() => { document.title = `${titles()[view]} · ${t.product} · ${me.node}`; }, [view]);
  return (
    <div class="frame">
      <TopBar me={me} view={view} section={params.get('section') ?? ''} on_help={() => set_help(true)} />
      <main id="content" class={`content content-${view}`} tabIndex={-1}>
        <Guard key={view}>
          {view === 'events' && <EventsPage me={me} />}
          {view === 'overview' && <OverviewPage me={me} />}
          {view === 'fleet' && <FleetPage me={me} />}
          {view === 'report' && <ReportPage me={me} />}
          {view === 'source' && <SourcePage key={params.get('src') ?? ''} me={me} />}
          {view === 'try' && <TryPage />}
          {view === 'settings' && <SettingsPage me={me} />}
          {view === 'account' && <AccountPage me={me} />}
        </Guard>
      </main>
      {help && <HelpDialog onClose={() => set_help(false)} />}
    </div>
  );
}

export function App() {
  const session = use_session();
  const language = use_language();
  useEffect(() => void start_session(), []);
  switch (session.kind) {
    case 'starting': return <div class="boot" role="status" aria-label={t.common.loading} />;
    case 'unreachable': return <UnreachablePage key={language} />;
    case 'setup': return <SetupPage key={language} setup={session.setup} />;
    case 'login': return <LoginPage key={language} expired={session.expired} refused={session.error} />;
    case 'in': return session.me.must_set_up_second_factor ? <FactorPage key={language} me={session.me} /> : (
      <>
        <Inside key={`${session.me.username} ${language}`} me={session.me} />
        {session.expired && <LoginAgain />}
      </>
    );
  }
}
