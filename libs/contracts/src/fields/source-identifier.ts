/** The public handle of a source: 12 characters (interface §2.1), as decided in design §2. */
export const sourceIdentifierPattern = /^[A-Za-z0-9]{12}$/;
