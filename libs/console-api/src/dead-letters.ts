import { type MaskedJson } from './payload.js';
import { type EventPlace } from './requests.js';

export interface LetterQuery {
  /** @maxLength 200 */
  topic?: string;
  /**
   * Text that the reason contains.
   * @maxLength 300
   */
  reason?: string;
  /**
   * Identifier of the source of the messages.
   * @maxLength 50
   */
  source?: string;
  /**
   * Time from which letters were refused.
   * @format date-time
   */
  from?: string;
  /**
   * Time before which letters were refused.
   * @format date-time
   */
  to?: string;
  /**
   * @integer
   * @minimum 1
   * @maximum 1000
   */
  limit?: number;
}

/** A page of letters. `next` of the page before names the letter that it follows. */
export interface LetterPageQuery extends LetterQuery {
  /** @maxLength 400 */
  after?: string;
  /** `yes` for the oldest letters, which are too many to be listed; they are read from Kafka for each question. */
  older?: 'yes';
}

export interface LetterView {
  id: string;
  topic: string;
  refusedAt: string;
  takenAt: string;
  reason: string;
  key: string | null;
  bytes: number;
  /** Number of bytes that a damaged letter lacks. */
  missingBytes: number;
  /** The last time that the console sent its message again; null if it did not, or the message was refused again. */
  replayed: LetterReplayed | null;
  /** Set when someone decided that its message does not go back. */
  dismissed?: LetterDismissed | null;
}

export interface LetterDismissed {
  at: string;
  by: string;
  why: string;
}

/**
 * Letters by id, or untreated ones that a query finds, and the reason for which none of them goes back. One call takes
 * 1,000 at most; `remaining` of the answer says how many the next calls will find.
 */
export interface Dismissal extends LetterQuery {
  /** `yes` for all of the oldest letters, which are too many to be listed; without ids and filters. */
  older?: 'yes';
  /**
   * @maxItems 1000
   * @maxLength 300
   */
  ids?: string[];
  /**
   * @pattern \S
   * @maxLength 500
   */
  why: string;
}

export interface Dismissed {
  letters: number;
  /** Number of untreated letters that the query still finds. */
  remaining: number;
}

export interface LetterReplayed {
  at: string;
  by: string;
  /** Whether its content was changed before. */
  isEdited: boolean;
}

export interface LetterList {
  letters: LetterView[];
  /** By topic and reason, most frequent first, at most 20; of all letters that the query finds. */
  groups: { topic: string; reason: string; letters: number; newest: string }[];
  /** Numbers of letters that the query finds, of untreated ones among them, and of all there are. */
  found: number;
  untreated: number;
  all: number;
  /** Number of the oldest letters, which are too many to be listed; `older` finds those that match. */
  unlisted: number;
  /** Number of untreated ones among them. */
  unlistedUntreated: number;
  /** Whether the console still reads letters after its start: what is here is what it has read. */
  isPartial: boolean;
  /** The letter after which the next page begins; null on the last page. */
  next: string | null;
  /** Time of the answer: letters that were refused later are not counted. */
  readAt: string;
  command: string;
}

export interface LetterDetail extends LetterView {
  headers: { name: string; value: string }[];
  value: MaskedJson | null;
  requestId: string | null;
  /** Present places of the messages of its request: its own is `stored` after a replay that worked. */
  now: EventPlace[];
  command: string;
}

/** Letters by id, or all that a query finds (at most 1,000). */
export interface LetterSelection extends LetterQuery {
  /**
   * @maxItems 1000
   * @maxLength 300
   */
  ids?: string[];
  /** Sends letters again that were replayed before. */
  isAgain?: boolean;
}

/** Another content for the message of a letter. */
export interface EditedLetter {
  /**
   * JSON of the row. Its ids must stay as they are.
   * @pattern \S
   * @maxLength 1000000
   */
  value: string;
  /** Sends the letter although it was replayed before. */
  isAgain?: boolean;
}

/** Result of checking an edited message as its consumer and its table would. */
export interface EditCheck {
  /** Whether its table takes it. */
  isReadable: boolean;
  problems: string[];
  /** Paths of the values that differ from those of the letter, at most 100. */
  changed: string[];
  /** Whether a row of this message is there already: it would not be stored again. */
  isStored: boolean;
  table: string;
}

export interface DryRun {
  letters: LetterView[];
  /** Number of letters by what a replay would do. */
  outcomes: { outcome: 'replayed' | 'already-stored' | 'replayed-before' | 'damaged'; letters: number }[];
}

export interface ReplayResult {
  replayed: LetterView[];
  notReplayed: { id: string; why: string }[];
  error: string | null;
}
