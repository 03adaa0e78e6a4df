const maxNames = 3;

/** `a, b, c and 4 more`. */
export function joinNames(names: readonly string[]): string {
  const more = names.length - maxNames;
  return names.slice(0, maxNames).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
