import { withTopicPrefix } from '@sluice/contracts';
import { type Role, type ValuePattern } from '@sluice/console-api';
import { type CompactedRecord } from '@sluice/kafka';

/** The compacted topic of the console: users, one-time links, masks, saved views. See docs/console.md. */
export const consoleTopic = withTopicPrefix('console.v1');

/** Someone who may sign in to the console. */
export interface UserRecord {
  id: string;
  name: string;
  role: Role;
  /** True if payloads are shown without masks. */
  payloads: boolean;
  /** True if the user may suppress, erase and export people; records of earlier versions do not have it. */
  privacy?: boolean;
  origin: 'local' | 'oidc';
  isDisabled: boolean;
  createdAt: string;
  /** scrypt of the password: `N:r:p:salt:hash`, base64url. */
  password?: string;
  /** Sessions that began before this time have ended, milliseconds since 1970. */
  notBefore: number;
}

/** A one-time link. Only its address has the secret. */
export interface LinkRecord {
  /** SHA-256 of the secret, hex. */
  hash: string;
  user: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/** One use of a link, before it is known whether it is the first. */
export interface ClaimRecord {
  /** Hash of the link. */
  link: string;
  /** Milliseconds since 1970. */
  at: number;
}

/** A call that waits for its turn to change something exclusively, or has its turn. */
export interface TurnRecord {
  what: 'users' | 'letters';
}

/** Last sign-in of a user with a one-time link. Not part of `UserRecord`, so that it overwrites no change of rights. */
export interface EnteredRecord {
  user: string;
  at: string;
}

export interface ViewRecord {
  id: string;
  name: string;
  url: string;
  owner: string;
  isShared: boolean;
}

/** A letter whose message was sent to its topic again. */
export interface LetterRecord {
  id: string;
  at: string;
  /** Id of the user. */
  by: string;
  /** True if someone changed the message before it was sent. */
  isEdited: boolean;
}

/** A letter that someone does not want to send back. */
export interface DismissedRecord {
  id: string;
  at: string;
  /** Id of the user. */
  by: string;
  why: string;
}

/** A dismissal of all letters up to a time: of those that were too many to be listed. */
export interface DismissedUntilRecord {
  /** Time at which the newest of them was refused, milliseconds since 1970. */
  until: number;
  at: string;
  /** Id of the user. */
  by: string;
  why: string;
}

/** The source with which the console asks the gateway to validate; its key is sealed. */
export interface TrySourceRecord {
  sourceIdentifier: string;
  sealedKey: string;
}

/** Value of each kind of record, whose key is `<kind>:<id>`. */
export interface ConsoleRecords {
  user: UserRecord;
  link: LinkRecord;
  claim: ClaimRecord;
  turn: TurnRecord;
  entered: EnteredRecord;
  view: ViewRecord;
  letter: LetterRecord;
  dismissed: DismissedRecord;
  'dismissed-until': DismissedUntilRecord;
  masks: { paths: string[]; values?: ValuePattern[] };
  'try-source': TrySourceRecord;
}
export type RecordKind = keyof ConsoleRecords;

export const toConsoleRecord = <K extends RecordKind>(
  kind: K,
  id: string,
  value: ConsoleRecords[K] | null,
): CompactedRecord => ({
  key: `${kind}:${id}`,
  value: value === null ? null : Buffer.from(JSON.stringify(value)),
});
