// Names of the rules in use, read once when the first of them is to be shown: ids say nothing to people.
import { useEffect, useMemo } from 'preact/hooks';
import { rules_api } from '../api/settings';
import { reason_text } from '../lib/reasons';
import { use_language } from './language';
import { Store, use_store } from './store';

const names = new Store<ReadonlyMap<string, string>>(new Map());
let asked = false;

export function use_rule_names(wanted: boolean): ReadonlyMap<string, string> {
  useEffect(() => {
    if (!wanted || asked) return;
    asked = true;
    rules_api.list().then(
      ({ rules }) => names.set(new Map(rules.filter((rule) => rule.name !== '').map((rule) => [rule.id, rule.name]))),
      () => { asked = false; },
    );
  }, [wanted]);
  const english = use_store(names);
  const language = use_language();
  return useMemo(() => (language === 'en' ? english : new Map([...english].map(([id, name]) => [id, reason_text(name)]))), [english, language]);
}
