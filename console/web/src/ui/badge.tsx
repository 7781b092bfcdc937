// What happened and how bad it was: word, shape and colour each tell it alone.
import type { Action, Risk } from '../api/types';
import { t } from '../text';

const action_shapes: Record<Action, string> = {
  deny: 'M5 1h6l4 4v6l-4 4H5l-4-4V5z',      // filled octagon
  monitor: 'M8 1.800 15 14.200H1z',         // hollow triangle
  allow: 'M8 4.500a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7z',  // small hollow ring
};

export function ActionBadge({ action }: { action: Action }) {
  const known = action in action_shapes ? action : 'allow';
  return (
    <span class={`action action-${known}`}>
      <svg class="action-shape" viewBox="0 0 16 16" aria-hidden="true"><path d={action_shapes[known]} /></svg>
      {t.action[known]}
    </span>
  );
}

export const risk_rank: Record<Risk, number> = { low: 1, medium: 2, high: 3 };

export function RiskBadge({ risk }: { risk: Risk }) {
  const level = risk_rank[risk] ?? 1;
  return (
    <span class={`risk risk-${risk}`}>
      <svg class="risk-bars" viewBox="0 0 12 12" aria-hidden="true">
        {[1, 2, 3].map((n) => <rect key={n} class={n <= level ? 'on' : 'off'} x={(n - 1) * 4.2} y={12 - n * 4} width="3" height={n * 4} rx="0.6" />)}
      </svg>
      {t.risk[risk] ?? risk}
    </span>
  );
}

export type Tone = 'good' | 'warn' | 'bad' | 'quiet';

export function Dot({ tone, text }: { tone: Tone; text: string }) {
  return <span class={`dot dot-${tone}`}><i aria-hidden="true" />{text}</span>;
}
