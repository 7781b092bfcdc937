import { useState } from 'preact/hooks';
import { rules_api } from '../../api/settings';
import { term } from '../../lib/query';
import { use_load } from '../../state/load';
import { href } from '../../state/route';
import { attack_words, t } from '../../text';
import { RiskBadge } from '../../ui/badge';
import { Link } from '../../ui/button';
import { TextField } from '../../ui/field';
import { Empty, ErrorNotice } from '../../ui/panel';
import { HitsCell } from '../../ui/hits';
import { SectionHead } from './crud';

const max_shown = 300;

export function RulesSection() {
  const list = use_load('rules', rules_api.list);
  const [text, set_text] = useState('');
  const wanted = text.trim().toLowerCase();
  const found = (list.value ?? []).filter((r) => `${r.name} ${r.id} ${r.attack_type} ${r.number}`.toLowerCase().includes(wanted));
  return (
    <div class="section">
      <SectionHead title={t.settings.section.rules as string} lead={t.rules.lead} />
      {list.error !== undefined && <ErrorNotice error={list.error} retry={list.reload} />}
      <TextField label={t.rules.search} value={text} onChange={set_text} />
      {list.value && found.length === 0 && <Empty title={t.rules.empty} />}
      {found.length > 0 && (
        <table class="table" data-testid="rules">
          <thead><tr><th class="num">{t.rules.number}</th><th>{t.rules.name}</th><th>{t.rules.type}</th><th>{t.rules.risk}</th><th>{t.hits.title}</th><th>{t.rules.id}</th></tr></thead>
          <tbody>
            {found.slice(0, max_shown).map((r) => (
              <tr key={r.id}>
                <td class="num">{r.number}</td>
                <td>{r.name}</td>
                <td>{attack_words(r.attack_type)}</td>
                <td><RiskBadge risk={r.risk} /></td>
                <td><HitsCell hits={r.hits} /></td>
                <td class="mono breakable"><Link to={href('events', { q: term('rule', r.id), range: 'all' })}>{r.id}</Link></td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {found.length > max_shown && <p class="muted">… {found.length - max_shown}</p>}
    </div>
  );
}
