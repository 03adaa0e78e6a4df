/** An error for the user of the command: a message without a stack trace. */
export class ImportError extends Error {}
