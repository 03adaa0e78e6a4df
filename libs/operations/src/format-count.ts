/** Formats a number with its noun, and other words that depend on the number: `1 message is`, `2 messages are`. */
export const formatCount = (count: number, singular: string, plural: string): string =>
  `${count} ${count === 1 ? singular : plural}`;
