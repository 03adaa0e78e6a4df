const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** Formats a duration in its two largest units: `2 d 3 h`, `4 min 51 s`, `12 s`. */
export function formatDuration(seconds: number): string {
  let remaining = Math.max(0, Math.round(seconds));
  const parts: string[] = [];
  for (const [name, size] of units) {
    const count = Math.floor(remaining / size);
    remaining -= count * size;
    if (count > 0 || (name === 's' && parts.length === 0)) parts.push(`${count} ${name}`);
    else if (parts.length > 0) break;
  }
  return parts.slice(0, 2).join(' ');
}
