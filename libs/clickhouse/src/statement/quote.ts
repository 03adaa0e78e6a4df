/** A text as a literal of a statement. */
export const quoteText = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;

/** The name of a database, table, column or cluster, as a statement has it. */
export const quoteName = (name: string): string => `\`${name.replace(/[`\\]/g, '\\$&')}\``;
