/** Kinds of faults, with the names under which the run counts them. */
export const kinds: Readonly<Record<string, readonly string[]>> = {
  'answer cut after the request was forwarded': ['cutAfter', 'cutMidAnswer', 'resetAfter', 'gatewayTimeout'],
  'connection reset or cut before': ['cutBefore', 'resetBefore', 'no service for a while'],
  'offline in the midst of a request': ['cutMidRequest'],
  '5xx, up to an hour': ['unavailable', 'badGateway', '5xx for a while', '5xx for an hour'],
  '429 with Retry-After': ['rateLimited'],
  'silence or delay': ['silence', 'silenceAfter', 'delay'],
  'tab or browser killed': ['tab killed', 'all tabs killed at once'],
  'reload storm': ['reload storm'],
  'eight tabs at once': ['eight tabs at once'],
  'storage full': ['storage full'],
  'clock set by up to a day': ['clock set by up to a day'],
  'key revoked and restored': ['key revoked for a while'],
  'batch refused for its size': ['tooLarge', 'foreignTooLarge', '413 for over 1.5 KB for a while'],
  'page or redirect of a portal': ['portal', 'portalRedirect', 'portal for a while'],
};
