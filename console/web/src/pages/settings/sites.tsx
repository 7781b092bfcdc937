import { useState } from 'preact/hooks';
import { sites_api } from '../../api/settings';
import type { Me, Site } from '../../api/types';
import { use_load } from '../../state/load';
import { may } from '../../state/session';
import { t } from '../../text';
import { Dot, type Tone } from '../../ui/badge';
import { Button } from '../../ui/button';
import { AreaField, Check, SelectField, TextField } from '../../ui/field';
import { Hostile } from '../../ui/hostile';
import { ErrorNotice } from '../../ui/panel';
import { EditDialog, lines_of, RemoveButton, SectionHead } from './crud';

const default_site = '0';
const mode_tones: Record<Site['mode'], Tone> = { block: 'good', monitor: 'warn', off: 'quiet' };

function SiteDialog({ site, done, close }: { site?: Site; done: () => void; close: () => void }) {
  const [name, set_name] = useState(site?.name ?? '');
  const [hosts, set_hosts] = useState(site?.hosts.join('\n') ?? '');
  const [url, set_url] = useState(site?.url ?? '');
  const [mode, set_mode] = useState<string>(site?.mode ?? 'block');
  const [sensitivity, set_sensitivity] = useState<string>(site?.sensitivity ?? 'balanced');
  const [on_oversize, set_on_oversize] = useState<string>(site?.on_oversize ?? 'pass');
  const [session_cookie, set_session_cookie] = useState(site?.session_cookie ?? '');
  const [parameters, set_parameters] = useState(site?.mask.parameters.join('\n') ?? '');
  const [headers, set_headers] = useState(site?.mask.headers.join('\n') ?? '');
  const [cookies, set_cookies] = useState(site?.mask.cookies.join('\n') ?? '');
  const [cards, set_cards] = useState(site?.mask.card_numbers ?? false);
  const save = (): Promise<unknown> => {
    const { etag, ...kept } = site ?? ({} as Partial<Site>);
    const mask = { headers: lines_of(headers), cookies: lines_of(cookies), parameters: lines_of(parameters), card_numbers: cards };
    const draft = { ...kept, name, hosts: lines_of(hosts), url, mode, sensitivity, on_oversize, session_cookie, mask } as Partial<Site>;
    return site ? sites_api.change(site.uuid, draft, etag) : sites_api.add(draft);
  };
  return (
    <EditDialog title={site ? site.name : t.sites.new} save={save} done={done} onClose={close} testid="site-dialog">
      {(error_of) => (
        <>
          <TextField label={t.sites.name} value={name} onChange={set_name} error={error_of('name')} wide data-testid="site-name" />
          {site?.uuid !== default_site && <AreaField label={t.sites.hosts} hint={t.sites.hosts_hint} value={hosts} onChange={set_hosts} rows={3} error={error_of('hosts')} />}
          <TextField label={t.sites.url} value={url} onChange={set_url} error={error_of('url')} wide />
          <div class="form-row">
            <SelectField label={t.sites.mode} hint={t.sites.mode_hint[mode]} value={mode} onChange={set_mode} options={Object.entries(t.sites.modes)} error={error_of('mode')} data-testid="site-mode" />
            <SelectField label={t.sites.sensitivity} hint={t.sites.sensitivity_hint} value={sensitivity} onChange={set_sensitivity} options={Object.entries(t.sites.sensitivities)} error={error_of('sensitivity')} data-testid="site-sensitivity" />
          </div>
          <div class="form-row">
            <SelectField label={t.sites.oversize} value={on_oversize} onChange={set_on_oversize} options={Object.entries(t.sites.oversizes)} error={error_of('on_oversize')} />
            <TextField label={t.sites.session_cookie} hint={t.sites.session_hint} value={session_cookie} onChange={set_session_cookie} error={error_of('session_cookie')} mono />
          </div>
          <details class="advanced">
            <summary>{t.sites.mask}</summary>
            <p class="hint">{t.sites.mask_hint}</p>
            <AreaField label={t.sites.mask_parameters} value={parameters} onChange={set_parameters} rows={2} error={error_of('mask')} />
            <AreaField label={t.sites.mask_headers} value={headers} onChange={set_headers} rows={2} />
            <AreaField label={t.sites.mask_cookies} value={cookies} onChange={set_cookies} rows={2} />
            <Check label={t.sites.mask_cards} checked={cards} onChange={set_cards} />
          </details>
        </>
      )}
    </EditDialog>
  );
}

export function SitesSection({ me }: { me: Me }) {
  const list = use_load('sites', sites_api.list);
  const [editing, set_editing] = useState<Site | 'new' | undefined>();
  const admin = may(me, 'admin');
  const done = (): void => { set_editing(undefined); list.reload(); };
  return (
    <div class="section">
      <SectionHead title={t.settings.section.sites as string} lead={t.sites.lead} action={admin && <Button kind="primary" icon="plus" onClick={() => set_editing('new')} data-testid="site-add">{t.sites.add}</Button>} />
      {list.error !== undefined && <ErrorNotice error={list.error} retry={list.reload} />}
      <table class="table" data-testid="sites">
        <thead><tr><th>{t.sites.name}</th><th>{t.sites.hosts}</th><th>{t.sites.mode}</th><th>{t.sites.sensitivity}</th><td /></tr></thead>
        <tbody>
          {list.value?.map((site) => (
            <tr key={site.uuid} data-testid="site-row" data-site={site.uuid}>
              <td><Hostile text={site.name} /></td>
              <td class="mono breakable">{site.uuid === default_site ? <span class="muted">{t.sites.default_hosts}</span> : <Hostile text={site.hosts.join(', ')} />}</td>
              <td><Dot tone={mode_tones[site.mode]} text={t.sites.modes[site.mode] ?? site.mode} /></td>
              <td>{t.sites.sensitivities[site.sensitivity] ?? site.sensitivity}</td>
              <td class="table-act">
                {admin && <Button small onClick={() => set_editing(site)} data-testid="site-edit">{t.common.edit}</Button>}
                {admin && site.uuid !== default_site && <RemoveButton title={t.sites.delete_title} text={t.sites.delete_text} remove={() => sites_api.remove(site.uuid)} done={list.reload} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {editing && <SiteDialog {...(editing === 'new' ? {} : { site: editing })} done={done} close={() => set_editing(undefined)} />}
    </div>
  );
}
