/** `role: viewer → editor`, or `type: web-sdk · origins: any`: the details of an action, for people. */
export function detailsText(json: string): string {
  const details = parse(json);
  if (!details) return json;
  const { before, after } = details;
  if (isFields(before) && isFields(after)) {
    const changed = Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
    return changed.map((name) => `${name}: ${valueText(before[name])} → ${valueText(after[name])}`).join(' · ');
  }
  return Object.entries(details)
    .map(([name, value]) => `${name}: ${valueText(value)}`)
    .join(' · ');
}

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parse(json: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return 'none';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(valueText).join(', ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
