import { Injectable } from '@nestjs/common';
import { type LetterDismissed, type LetterReplayed, type LetterView, type ReplayResult } from '@sluice/console-api';
import { type DeadLetter, type Replay } from '@sluice/kafka';
import { ConsoleReader, ConsoleWriter, exclusively, type LetterRecord, reasonOf } from '@sluice/operations';
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
  of({ id, refusedAt }: Pick<DeadLetter, 'id' | 'refusedAt'>): LetterReplayed | null {
    const known = this.reader.state.get('letter', id);
    const isLater = known !== undefined && Date.parse(known.at) >= refusedAt;
    return isLater ? { at: known.at, by: known.by, isEdited: known.isEdited } : null;
  }

  /** The dismissal of a letter. Null also when the message was refused again after it. */
  dismissedOf({ id, refusedAt }: Pick<DeadLetter, 'id' | 'refusedAt'>): LetterDismissed | null {
    const known = this.reader.state.get('dismissed', id);
    const isLater = known !== undefined && Date.parse(known.at) >= refusedAt;
    return isLater ? { at: known.at, by: known.by, why: known.why } : null;
  }

  async dismiss(user: CurrentUser, letters: readonly DeadLetter[], why: string): Promise<void> {
    const at = new Date().toISOString();
    await this.writer.putAll('dismissed', new Map(letters.map(({ id }) => [id, { id, at, by: user.id, why }])));
  }

  /** Whether someone has sent the letter back or dismissed it. */
  isTreated(letter: DeadLetter): boolean {
    return this.of(letter) !== null || this.dismissedOf(letter) !== null;
  }

  whyNot(letter: DeadLetter): ReplayResult['notReplayed'][number] {
    const { id } = letter;
    const { at, by } = this.of(letter) ?? { at: '', by: '' };
    return { id, why: `it was replayed at ${at} by ${by}` };
  }

  /** A letter as lists show it: masked for everybody, unless another view is given. */
  view(letter: DeadLetter, shown: PayloadView = this.payloads.masked): LetterView {
    const { id, topic, refusedAt, timestamp, reason, key, value, damage } = letter;
    return {
      id,
      topic,
      refusedAt: new Date(refusedAt).toISOString(),
      takenAt: new Date(timestamp).toISOString(),
      reason: shown.value('reason', reason.slice(0, 2_000), scopeOf(letter)),
      bytes: value?.length ?? 0,
      key: key === null ? null : shownKey(key.toString().slice(0, 300), shown, scopeOf(letter)),
      missingBytes: damage?.missingBytes ?? 0,
      replayed: this.of(letter),
      dismissed: this.dismissedOf(letter),
    };
  }

  /** The marks of letters at the moment at which someone decides about them. */
  seen(letters: readonly DeadLetter[]): Marks {
    return new Map(letters.map(({ id }) => [id, this.reader.state.get('letter', id) ?? null]));
  }

  /**
   * Marks the letters before they are sent, and restores the marks of those that were not sent. A letter whose mark is
   * not the one that was seen is left out: someone else is sending it, perhaps in another instance.
   */
  async around(
    user: CurrentUser,
    letters: readonly DeadLetter[],
    { seen, isEdited }: { seen: Marks; isEdited: boolean },
    send: (letters: readonly DeadLetter[]) => Promise<Replay>,
  ): Promise<ReplayResult> {
    const taken = await exclusively(this.reader.state, this.writer, 'letters', () =>
      this.mark(user, letters, seen, isEdited),
    );
    const left = letters.filter((letter) => !taken.includes(letter)).map((letter) => this.whyNot(letter));
    if (taken.length === 0) return { replayed: [], notReplayed: left, error: null };
    const before = new Map(taken.map(({ id }) => [id, seen.get(id) ?? null]));
    const { replayed, refused, error } = await send(taken).catch(async (failed: unknown) => {
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
      notReplayed: [...refused.map(({ letter, why }) => ({ id: letter.id, why })), ...left],
      error: error === undefined ? null : reasonOf(error),
    };
  }

  /** Marks those letters whose marks are still the ones that were seen, and returns them. */
  private async mark(
    user: CurrentUser,
    letters: readonly DeadLetter[],
    seen: Marks,
    isEdited: boolean,
  ): Promise<DeadLetter[]> {
    const now = this.seen(letters);
    const taken = letters.filter(({ id }) => now.get(id)?.at === seen.get(id)?.at);
    const at = new Date().toISOString();
    const marks = taken.map(({ id }): [string, LetterRecord] => [id, { id, at, by: user.id, isEdited }]);
    if (taken.length > 0) await this.writer.putAll('letter', new Map([...this.expired(), ...marks]));
    return taken;
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
export const scopeOf = ({ key, timestamp }: Pick<DeadLetter, 'key' | 'timestamp'>): TagScope => ({
  source: /^([A-Za-z0-9]+):/.exec(key?.toString() ?? '')?.[1] ?? '',
  at: new Date(timestamp).toISOString(),
});

/** Keys are `<source>:<user>` or `<source>:<entity>`; what comes after the source is masked like a user's id. */
function shownKey(key: string, view: PayloadView, scope: TagScope): string {
  const rest = scope.source === '' ? key : key.slice(scope.source.length + 1);
  const shown = view.value('user_id', view.value('key', rest, scope), scope);
  return scope.source === '' ? shown : `${scope.source}:${shown}`;
}
