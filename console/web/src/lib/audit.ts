// The members that a change of settings changed, from its audit entry. Pure.
export interface Difference { member: string; before: unknown; after: unknown }

const is_object = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

// Of an entry with `before` and `after`: the members that differ, those of objects one by one. Undefined: it has no such pair.
export function differences(detail: Record<string, unknown>): Difference[] | undefined {
  const { before, after } = detail;
  if (!is_object(before) || !is_object(after)) return undefined;
  const found: Difference[] = [];
  for (const member of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const then = before[member];
    const now = after[member];
    if (JSON.stringify(then) === JSON.stringify(now)) continue;
    const inner = is_object(then) && is_object(now) ? differences({ before: then, after: now }) : undefined;
    if (inner) found.push(...inner.map((one) => ({ ...one, member: `${member}.${one.member}` })));
    else found.push({ member, before: then, after: now });
  }
  return found;
}
