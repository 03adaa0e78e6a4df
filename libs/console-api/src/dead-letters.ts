import { type MaskedJson } from './payload.js';
import { type EventPlace } from './requests.js';

export interface LetterQuery {
  topic?: string;
  /** Text that the reason contains. */
  reason?: string;
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
  /** Bytes that are missing of a damaged letter. */
  missingBytes: number;
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
  /** Where its message is now: `stored` after a replay that worked. */
  now: EventPlace[];
  command: string;
}

/** Letters by id, or all that a query finds (at most 1,000). */
export interface LetterSelection extends LetterQuery {
  ids?: string[];
}

export interface DryRun {
  letters: LetterView[];
  /** Number of letters by what a replay would do. */
  outcomes: { outcome: 'replayed' | 'already-stored' | 'damaged'; letters: number }[];
}

export interface ReplayResult {
  replayed: LetterView[];
  notReplayed: { id: string; why: string }[];
  error: string | null;
}
