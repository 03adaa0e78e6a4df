import { Injectable } from '@nestjs/common';
import { type LetterDismissed, type LetterReplayed, type LetterView, type ReplayResult } from '@sluice/console-api';
import { type DeadLetter, type LetterSummary, type Replay, summarizeLetter } from '@sluice/kafka';
import {
  ConsoleReader,
  ConsoleWriter,
  runExclusively,
  isTreated,
  type LetterRecord,
  markDismissed,
  markDismissedUntil,
  findDismissal,
  findMark,
  readDismissedUntil,
  describeFailure,
  sourceOfLetter,
} from '@sluice/operations';
import { type PayloadView, type TagScope } from '../payload/masks.js';
import { Payloads } from '../payload/payloads.js';
import { type CurrentUser } from '../session/current-user.js';

/** Time for which a mark is kept: longer than Kafka keeps most letters. */
const keptMs = 90 * 86_400_000;

type Marks = ReadonlyMap<string, LetterRecord | null>;

/** Remembers in `console.v1` which letters were sent again, so that nobody does it twice by accident. */
@Injectable()
export class ReplayMarks {
  constructor(
    private readonly reader: ConsoleReader,
    private readonly writer: ConsoleWriter,
    private readonly payloads: Payloads,
  ) {}

  /** The replay of a letter. Null also when the message was refused again after it: the letter may be sent again. */
  of(letter: Pick<DeadLetter, 'id' | 'refusedAt'>): LetterReplayed | null {
    const mark = findMark(this.reader.state, 'letter', letter);
    return mark ? { at: mark.at, by: mark.by, isEdited: mark.isEdited } : null;
  }

  /** The dismissal of a letter. Null also when the message was refused again after it. */
  findDismissal(letter: Pick<DeadLetter, 'id' | 'refusedAt'>): LetterDismissed | null {
    const mark = findDismissal(this.reader.state, letter);
    return mark ? { at: mark.at, by: mark.by, why: mark.why } : null;
  }

  dismiss(user: CurrentUser, letters: readonly Pick<DeadLetter, 'id'>[], why: string): Promise<void> {
    const ids = letters.map(({ id }) => id);
    return markDismissed(this.writer, ids, { why, by: user.id });
  }

  /** Time up to which all letters were dismissed together, milliseconds since 1970. */
  get dismissedUntil(): number {
    return readDismissedUntil(this.reader.state);
  }

  /** Dismisses all letters up to a time, milliseconds since 1970. */
  async dismissUntil(user: CurrentUser, until: number, why: string): Promise<void> {
    await markDismissedUntil(this.writer, until, { why, by: user.id });
  }

  /** Whether someone has sent the letter back or dismissed it. */
  isTreated(letter: Pick<DeadLetter, 'id' | 'refusedAt'>): boolean {
    return isTreated(this.reader.state, letter);
  }

  whyNot(letter: DeadLetter): ReplayResult['notReplayed'][number] {
    const { id } = letter;
    const { at, by } = this.of(letter) ?? { at: '', by: '' };
    return { id, why: `it was replayed at ${at} by ${by}` };
  }

  /** A letter as lists show it: masked for everybody, unless another view is given. */
  view(letter: DeadLetter, view: PayloadView = this.payloads.masked): LetterView {
    return this.viewSummary(summarizeLetter(letter), view);
  }

  viewSummary(letter: LetterSummary, view: PayloadView = this.payloads.masked): LetterView {
    const { id, topic, refusedAt, timestamp, key, bytes, missingBytes } = letter;
    return {
      id,
      topic,
      refusedAt: new Date(refusedAt).toISOString(),
      takenAt: new Date(timestamp).toISOString(),
      reason: view.value('reason', letter.reason, letterScope(letter)),
      bytes,
      key: key === null ? null : shownKey(key, view, letterScope(letter)),
      missingBytes,
      replayed: this.of(letter),
      dismissed: this.findDismissal(letter),
    };
  }

  /** The marks of letters at the moment at which someone decides about them. */
  readMarks(letters: readonly DeadLetter[]): Marks {
    return new Map(letters.map(({ id }) => [id, this.reader.state.get('letter', id) ?? null]));
  }

  /**
   * Marks the letters before they are sent, and restores the marks of those that were not sent. A letter whose mark is
   * not the expected one is left out: someone else is sending it, perhaps in another instance.
   */
  async around(
    user: CurrentUser,
    letters: readonly DeadLetter[],
    { expectedMarks, isEdited }: { expectedMarks: Marks; isEdited: boolean },
    send: (letters: readonly DeadLetter[]) => Promise<Replay>,
  ): Promise<ReplayResult> {
    const markedLetters = await runExclusively(this.reader.state, this.writer, 'letters', () =>
      this.mark(user, letters, expectedMarks, isEdited),
    );
    const skipped = letters.filter((letter) => !markedLetters.includes(letter)).map((letter) => this.whyNot(letter));
    if (markedLetters.length === 0) return { replayed: [], notReplayed: skipped, error: null };
    const before = new Map(markedLetters.map(({ id }) => [id, expectedMarks.get(id) ?? null]));
    const { replayed, refused, error } = await send(markedLetters).catch(async (failed: unknown) => {
      await this.writer.putAll('letter', before);
      throw failed;
    });
    // After an error it is not known whether the rest was sent: its marks stay.
    for (const { id } of replayed) before.delete(id);
    const unsent =
      error === undefined ? before : new Map(refused.map(({ letter: { id } }) => [id, before.get(id) ?? null]));
    await this.writer.putAll('letter', unsent);
    return {
      replayed: replayed.map((letter) => this.view(letter)),
      notReplayed: [...refused.map(({ letter, why }) => ({ id: letter.id, why })), ...skipped],
      error: error === undefined ? null : describeFailure(error),
    };
  }

  /** Marks those letters whose marks are still the expected ones, and returns them. */
  private async mark(
    user: CurrentUser,
    letters: readonly DeadLetter[],
    expectedMarks: Marks,
    isEdited: boolean,
  ): Promise<DeadLetter[]> {
    const currentMarks = this.readMarks(letters);
    const unchangedLetters = letters.filter(({ id }) => currentMarks.get(id)?.at === expectedMarks.get(id)?.at);
    const at = new Date().toISOString();
    const marks = unchangedLetters.map(({ id }): [string, LetterRecord] => [id, { id, at, by: user.id, isEdited }]);
    if (unchangedLetters.length > 0) await this.writer.putAll('letter', new Map([...this.expired(), ...marks]));
    return unchangedLetters;
  }

  private expired(): [string, null][] {
    const until = new Date(Date.now() - keptMs).toISOString();
    return this.reader.state
      .list('letter')
      .filter(({ at }) => at < until)
      .map(({ id }) => [id, null]);
  }
}

/** Source and day of a letter's message, as far as its key and Kafka know them. */
export const letterScope = ({ key, timestamp }: Pick<DeadLetter | LetterSummary, 'key' | 'timestamp'>): TagScope => ({
  source: sourceOfLetter({ key }),
  at: new Date(timestamp).toISOString(),
});

/** Keys are `<source>:<user>` or `<source>:<entity>`; what comes after the source is masked like a user's id. */
function shownKey(key: string, view: PayloadView, scope: TagScope): string {
  const ownerKey = scope.source === '' ? key : key.slice(scope.source.length + 1);
  const maskedKey = view.value('user_id', view.value('key', ownerKey, scope), scope);
  return scope.source === '' ? maskedKey : `${scope.source}:${maskedKey}`;
}
