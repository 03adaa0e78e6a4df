/** Stands for a key in what is stored of a refused request. */
export const maskedKey = ':key';

/** A write key, `<sourceIdentifier>_<apiKey>`, or the user and password of the same. */
const writeKey = /[A-Za-z0-9]{12}(?:_|:|%5f|%3a)[A-Za-z0-9_-]{43}/gi;
/** The value of a member in which clients of Segment have their key. */
const keyMember = /("write_?key"\s*:\s*)"(?:[^"\\]|\\.)*"?/gi;
/** Basic credentials of a write key have at least 74 characters. */
const basic = /[A-Za-z0-9+/]{74,}={0,2}/g;
/** An apiKey, 256 bits as base64url, without its source. A hash can have the same form. */
const bareKey = /(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/g;

/** Replaces what can only be a key: also in a text that a client sends again, nothing else is changed. */
export const maskWriteKeys = (text: string): string =>
  text
    .replace(keyMember, `$1"${maskedKey}"`)
    .replace(writeKey, maskedKey)
    .replace(basic, (run) => (isOfWriteKey(run) ? maskedKey : run));

/** Replaces everything that has the form of a key, for texts that are only shown. */
export const maskKeys = (text: string): string => maskWriteKeys(text).replace(bareKey, maskedKey);

const isOfWriteKey = (run: string): boolean =>
  /^[A-Za-z0-9]{12}[_:][A-Za-z0-9_-]{43}/.test(Buffer.from(run, 'base64').toString('latin1'));
