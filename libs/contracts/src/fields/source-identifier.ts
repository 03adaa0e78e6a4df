/** The public handle of a source: 12 characters (docs/api.md#sources-and-credentials). */
export const sourceIdentifierPattern = /^[A-Za-z0-9]{12}$/;
