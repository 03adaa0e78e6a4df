const milliseconds = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Parses `90 s`, or a number of milliseconds. */
export function parseDuration(text: number | string): number {
  if (typeof text === 'number') return text;
  const [amount, unit] = text.split(' ');
  return Number(amount) * milliseconds[unit as keyof typeof milliseconds];
}
