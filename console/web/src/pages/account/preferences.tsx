// Language of the page and the zone its times are shown in: kept with the user.
import { useState } from 'preact/hooks';
import { session_api } from '../../api/session';
import type { Me } from '../../api/types';
import { is_language, languages } from '../../lib/language';
import { zones } from '../../lib/zones';
import { choose_language } from '../../state/language';
import { refresh_session } from '../../state/session';
import { say, t } from '../../text';
import { Button } from '../../ui/button';
import { SelectField, TextField } from '../../ui/field';
import { ErrorNotice, member_error, Notice } from '../../ui/panel';
import { ApiError } from '../../api/client';

export function PreferencesForm({ me }: { me: Me }) {
  const [language, set_language] = useState(me.preferences.language);
  const [zone, set_zone] = useState(me.preferences.time_zone);
  const [state, set_state] = useState<{ busy: boolean; done: boolean; error?: unknown }>({ busy: false, done: false });
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    set_state({ busy: true, done: false });
    try {
      await session_api.set_preferences({ language, time_zone: zone.trim() });
      await choose_language(is_language(language) ? language : '');
      await refresh_session();
      set_state({ busy: false, done: true });
    } catch (error) {
      set_state({ busy: false, done: false, error });
    }
  };
  const of_zone = state.error instanceof ApiError && state.error.problem.member === 'time_zone';
  return (
    <form class="form short" onSubmit={submit} data-testid="preferences-form">
      <SelectField label={t.account.language} value={language} onChange={set_language} options={[['', t.account.language_of_browser], ...Object.entries(languages)]} data-testid="preferences-language" />
      <TextField label={t.node.time_zone} value={zone} onChange={set_zone} list="account-zones" hint={say(t.account.zone_hint, { zone: me.time_zone })} error={of_zone ? member_error(state.error, 'time_zone') : undefined} data-testid="preferences-zone" />
      <datalist id="account-zones">{zones().map((name) => <option key={name} value={name} />)}</datalist>
      {state.error !== undefined && !of_zone && <ErrorNotice error={state.error} />}
      {state.done && <Notice tone="good">{t.account.preferences_kept}</Notice>}
      <Button type="submit" kind="primary" busy={state.busy} data-testid="preferences-save">{t.common.save}</Button>
    </form>
  );
}
