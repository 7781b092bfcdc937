// Saved views: an address with a name, one's own or shared; one of them may be where the page begins.
import { useState } from 'preact/hooks';
import { triage_api, type SavedView } from '../../api/triage';
import type { Me } from '../../api/types';
import { use_load } from '../../state/load';
import { load, save } from '../../state/prefs';
import { current_route } from '../../state/route';
import { may } from '../../state/session';
import { say, t } from '../../text';
import { Button, IconButton, Link } from '../../ui/button';
import { Check, TextField } from '../../ui/field';
import { Hostile } from '../../ui/hostile';
import { Menu } from '../../ui/menu';
import { ErrorNotice } from '../../ui/panel';

const is_text = (value: unknown): value is string => typeof value === 'string';
export const start_view = (): string => load('start', '', is_text);

// The present view without the event that is open in it.
function present_query(): string {
  const params = new URLSearchParams(current_route().params);
  params.delete('event');
  return params.toString();
}

function Views({ me, close }: { me: Me; close: () => void }) {
  const views = use_load('views', triage_api.views);
  const [name, set_name] = useState('');
  const [shared, set_shared] = useState(false);
  const [error, set_error] = useState<unknown>();
  const [start, set_start] = useState(start_view);
  const add = (event: Event): void => {
    event.preventDefault();
    set_error(undefined);
    triage_api.add_view({ name: name.trim(), query: present_query(), shared }).then(() => { set_name(''); views.reload(); }, set_error);
  };
  const remove = (view: SavedView): void => { triage_api.remove_view(view.id).then(views.reload, set_error); };
  const begin_here = (query: string): void => { save('start', query); set_start(query); };
  const list = views.value ?? [];
  return (
    <div class="views-panel" data-testid="views">
      {list.length === 0 && <p class="muted">{t.views.none}</p>}
      <ul class="views">
        {list.map((view) => (
          <li key={view.id} data-testid="view">
            <Link to={view.query ? `/?${view.query}` : '/'} onClickCapture={close}><Hostile text={view.name} /></Link>
            <span class="muted">{view.shared ? say(t.views.shared_by, { owner: view.owner }) : ''}</span>
            <IconButton small icon="home" label={t.views.begin} aria-pressed={view.query !== '' && view.query === start ? 'true' : 'false'} onClick={() => begin_here(view.query === start ? '' : view.query)} />
            {(view.mine || may(me, 'admin')) && <IconButton small icon="trash" label={t.common.remove} onClick={() => remove(view)} />}
          </li>
        ))}
      </ul>
      <form class="views-add" onSubmit={add}>
        <TextField label={t.views.name} value={name} onChange={set_name} data-testid="view-name" />
        {may(me, 'operator') && <Check label={t.views.share} checked={shared} onChange={set_shared} />}
        {error !== undefined && <ErrorNotice error={error} />}
        <Button type="submit" kind="primary" disabled={name.trim() === ''} data-testid="view-save">{t.views.save}</Button>
      </form>
    </div>
  );
}

export function ViewsMenu({ me }: { me: Me }) {
  return <Menu icon="star" label={t.views.title} testid="views-menu">{(close) => <Views me={me} close={close} />}</Menu>;
}
