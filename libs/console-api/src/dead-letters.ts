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
   * @integer
   * @minimum 1
   * @maximum 1000
   */
  limit?: number;
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

/** At most 1,000 letters, and the reason for which none of them goes back. */
export interface Dismissal {
  /**
   * @maxItems 1000
   * @maxLength 300
   */
  ids: string[];
  /**
   * @pattern \S
   * @maxLength 500
   */
  why: string;
}

export interface LetterReplayed {
  at: string;
  by: string;
  /** Whether its content was changed before. */
  isEdited: boolean;
}

export interface LetterList {
  letters: LetterView[];
  /** By topic and reason, most frequent first; of the letters of the list. */
  groups: { topic: string; reason: string; letters: number; newest: string }[];
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
