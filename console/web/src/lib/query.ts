// Building event queries by clicking: quoting of values, adding and excluding terms. The grammar is the server's
// (terms are ANDed, `a,b` inside a term is OR, `-` negates, `or` and parentheses); nothing is judged here.

// A value as the query language reads it back unchanged.
export function quote_value(value: string): string {
  if (/^[A-Za-z0-9_.:\/@+%=~#-]+$/.test(value) && !value.startsWith('-')) return value;
  return `"${value.replace(/[\\"]/g, '\\$&')}"`;
}

export function term(field: string, value: string, negated = false): string {
  return `${negated ? '-' : ''}${field}:${quote_value(value)}`;
}

// Splits at blanks outside quotes and parentheses. Broken input gives its rest as one part.
export function split_terms(query: string): string[] {
  const parts: string[] = [];
  let part = '';
  let quoted = false;
  let depth = 0;
  for (let i = 0; i < query.length; ++i) {
    const c = query[i] as string;
    if (quoted) {
      part += c;
      if (c === '\\' && i + 1 < query.length) part += query[++i];
      else if (c === '"') quoted = false;
      continue;
    }
    if (/\s/.test(c) && depth === 0) {
      if (part) parts.push(part);
      part = '';
      continue;
    }
    if (c === '"') quoted = true;
    if (c === '(') ++depth;
    if (c === ')' && depth > 0) --depth;
    part += c;
  }
  if (part) parts.push(part);
  return parts;
}

// `query` AND the new term. Its opposite is replaced; if it is there already nothing changes.
export function with_term(query: string, field: string, value: string, negated: boolean): string {
  const wanted = term(field, value, negated);
  const opposite = term(field, value, !negated);
  const parts = split_terms(query);
  if (parts.some((part) => part.toLowerCase() === 'or')) {
    return parts.includes(wanted) ? query : `(${query.trim()}) ${wanted}`;
  }
  if (parts.includes(wanted)) return parts.join(' ');
  return [...parts.filter((part) => part !== opposite), wanted].join(' ');
}

export function without_term(query: string, part: string): string {
  return split_terms(query).filter((other) => other !== part).join(' ');
}

// Replaces every term of `field` by one with `values` joined as OR; none removes the field.
export function with_field(query: string, field: string, values: string[]): string {
  const rest = split_terms(query).filter((part) => !part.startsWith(`${field}:`) && !part.startsWith(`-${field}:`));
  if (values.length > 0) rest.push(`${field}:${values.map(quote_value).join(',')}`);
  return rest.join(' ');
}

// The values of a plain `field:a,b` term at the top, if there is exactly one.
export function field_values(query: string, field: string): string[] | undefined {
  const found = split_terms(query).filter((part) => part.startsWith(`${field}:`));
  if (found.length !== 1) return undefined;
  const text = (found[0] as string).slice(field.length + 1);
  return /^[A-Za-z0-9_,-]+$/.test(text) ? text.split(',') : undefined;
}
