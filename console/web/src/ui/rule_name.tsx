// Rules by their names: ids say nothing to people.
import { useId } from 'preact/hooks';
import { use_rule_names } from '../state/rule_names';
import { TextField } from './field';
import { Hostile } from './hostile';

export function RuleName({ id }: { id: string }) {
  const name = use_rule_names(true).get(id);
  return <span title={id}><Hostile text={name ?? id} breaks /></span>;
}

// Takes an id; offers the rules by name, and says which one is meant.
export function RuleField({ value, ...rest }: { label: string; value: string; onChange: (id: string) => void; error: string | undefined }) {
  const names = use_rule_names(true);
  const list = useId();
  return (
    <>
      <TextField {...rest} value={value} hint={names.get(value)} list={list} mono wide data-testid="rule-field" />
      <datalist id={list}>{[...names].map(([id, name]) => <option key={id} value={id}>{name}</option>)}</datalist>
    </>
  );
}
