import { sourceIdentifierPattern } from '@sluice/contracts';

/** Content of a tracking token: the notification that it belongs to. Claims: docs/push.md#making-tokens-yourself. */
export interface PushToken {
  notificationId: string;
  /** The sourceIdentifier of the source that the notification was sent for. */
  source: string;
  campaign: string;
  variation: string;
  profile: string;
  /** Kind of delivery: `web-push`, `mobile-push`. */
  channel: string;
  /** Push service that carried it: `fcm`, `apns`. */
  provider: string;
  /** When the token was made, milliseconds since 1970; whole seconds. */
  issuedAt: number;
}

/** Upper bound of a text claim, in characters: a token must always fit into a push message of 4 KB. */
const maxClaimLength = 64;

/** Names of the claims in a token, taken from RFC 7519 if it defines one. */
const claimNames = {
  notificationId: 'jti',
  source: 'src',
  campaign: 'cmp',
  variation: 'var',
  profile: 'prf',
  channel: 'chn',
  provider: 'prv',
} as const satisfies Record<Exclude<keyof PushToken, 'issuedAt'>, string>;

const names = Object.keys(claimNames) as (keyof typeof claimNames)[];
/** The end of 2149-06-06, the last day that the tables count on, in seconds since 1970. */
const lastSecond = 5_662_310_399;

/** The claims to seal in a token. @throws RangeError that names the claim out of bounds. */
export function toClaims(token: PushToken): Record<string, unknown> {
  for (const name of names) {
    if (!isText(token[name])) throw new RangeError(`${name} must be 1 to ${maxClaimLength} printable characters`);
  }
  if (!sourceIdentifierPattern.test(token.source))
    throw new RangeError('source must be a sourceIdentifier of 12 characters');
  const issuedAt = Math.floor(token.issuedAt / 1_000);
  if (!isSecond(issuedAt)) throw new RangeError('issuedAt must be a time before 2149-06-07');
  return { ...Object.fromEntries(names.map((name) => [claimNames[name], token[name]])), iat: issuedAt };
}

/** The content for the claims. Undefined when they are invalid: other holders of a key can seal any claims. */
export function fromClaims(claims: unknown): PushToken | undefined {
  if (typeof claims !== 'object' || claims === null) return undefined;
  const { jti, src, cmp, var: variation, prf, chn, prv, iat } = claims as Readonly<Record<string, unknown>>;
  if (!isText(jti) || !isText(src) || !isText(cmp) || !isText(variation)) return undefined;
  if (!isText(prf) || !isText(chn) || !isText(prv) || !isSecond(iat) || !sourceIdentifierPattern.test(src))
    return undefined;
  return {
    notificationId: jti,
    source: src,
    campaign: cmp,
    variation,
    profile: prf,
    channel: chn,
    provider: prv,
    issuedAt: iat * 1_000,
  };
}

const isSecond = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= lastSecond;

const isText = (value: unknown): value is string =>
  typeof value === 'string' &&
  value.trim() !== '' &&
  value.length <= 2 * maxClaimLength &&
  // The limit counts characters, not UTF-16 units.
  (value.length <= maxClaimLength || Array.from(value).length <= maxClaimLength) &&
  !/\p{Cc}/u.test(value) &&
  value.isWellFormed();
