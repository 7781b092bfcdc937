// The way to the sign-in provider, where there is one.
import { useState } from 'preact/hooks';
import { oidc_api } from '../../api/oidc';
import { use_load } from '../../state/load';
import { remember_view } from '../../state/oidc_answer';
import { say, t } from '../../text';
import { Button } from '../../ui/button';
import { Hostile } from '../../ui/hostile';
import { error_text, Notice } from '../../ui/panel';

export function ProviderButton() {
  const offered = use_load('oidc-offered', oidc_api.offered);
  const [state, set_state] = useState<{ busy: boolean; error?: unknown }>({ busy: false });
  if (!offered.value?.enabled) return null;
  const leave = async (): Promise<void> => {
    set_state({ busy: true });
    try {
      const { url } = await oidc_api.begin();
      remember_view();
      if (url.startsWith('https://')) location.assign(url);
    } catch (error) {
      set_state({ busy: false, error });
    }
  };
  return (
    <div class="door-provider">
      <p class="door-or"><span>{t.door.or}</span></p>
      {state.error !== undefined && <Notice tone="bad" testid="provider-error">{error_text(state.error)}</Notice>}
      <Button busy={state.busy} onClick={() => void leave()} data-testid="provider-sign-in"><Hostile text={say(t.door.sign_in_by, { name: offered.value.label })} /></Button>
    </div>
  );
}
