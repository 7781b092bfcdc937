// The language of the page, one click each; kept with the user who is logged in.
import { session_api } from '../api/session';
import type { Me } from '../api/types';
import { languages } from '../lib/language';
import { choose_language, use_language } from '../state/language';
import { refresh_session } from '../state/session';
import { t } from '../text';
import { Segments } from '../ui/field';

export function LanguageChoice({ me }: { me?: Me }) {
  const language = use_language();
  const choose = async (chosen: string): Promise<void> => {
    await choose_language(chosen);
    if (me) await session_api.set_preferences({ ...me.preferences, language: chosen }).then(refresh_session, () => undefined);
  };
  return <Segments label={t.account.language} value={language} onChange={(chosen) => void choose(chosen)} options={Object.entries(languages)} />;
}
