import { Injectable } from '@nestjs/common';
import { type LetterReplayed, type LetterView, type ReplayResult } from '@sluice/console-api';
import { type DeadLetter, type Replay } from '@sluice/kafka';
import { ConsoleReader, ConsoleWriter, type LetterRecord, reasonOf } from '@sluice/operations';
import { type CurrentUser } from '../session/current-user.js';

/** Time for which a mark is kept: longer than Kafka keeps most letters. */
const keptMs = 90 * 86_400_000;

/** Remembers in `console.v1` which letters were sent again, so that nobody does it twice by accident. */
@Injectable()
export class ReplayMarks {
  constructor(
    private readonly reader: ConsoleReader,
    private readonly writer: ConsoleWriter,
  ) {}

  of(letter: string): LetterReplayed | null {
    const known = this.reader.state.get('letter', letter);
    return known ? { at: known.at, by: known.by, isMended: known.isMended } : null;
  }

  whyNot(id: string): ReplayResult['notReplayed'][number] {
    const { at, by } = this.of(id) ?? { at: '', by: '' };
    return { id, why: `it was replayed at ${at} by ${by}` };
  }

  view(letter: DeadLetter): LetterView {
    const { id, topic, refusedAt, timestamp, reason, key, value, damage } = letter;
    return {
      ...{ id, topic, refusedAt: new Date(refusedAt).toISOString(), takenAt: new Date(timestamp).toISOString() },
      ...{ reason: reason.slice(0, 2_000), key: key?.toString().slice(0, 300) ?? null, bytes: value?.length ?? 0 },
      ...{ missingBytes: damage?.missingBytes ?? 0, replayed: this.of(id) },
    };
  }

  /** Marks the letters before they are sent, and takes the marks back of those that were not. */
  async around(
    user: CurrentUser,
    letters: readonly DeadLetter[],
    isMended: boolean,
    send: () => Promise<Replay>,
  ): Promise<ReplayResult> {
    const before = new Map(letters.map(({ id }) => [id, this.reader.state.get('letter', id) ?? null]));
    const at = new Date().toISOString();
    const marks = new Map(letters.map(({ id }): [string, LetterRecord] => [id, { id, at, by: user.id, isMended }]));
    await this.writer.putAll('letter', new Map<string, LetterRecord | null>([...this.expired(), ...marks]));
    const { replayed, refused, error } = await send().catch(async (failed: unknown) => {
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
      notReplayed: refused.map(({ letter, why }) => ({ id: letter.id, why })),
      error: error === undefined ? null : reasonOf(error),
    };
  }

  private expired(): [string, null][] {
    const until = new Date(Date.now() - keptMs).toISOString();
    return this.reader.state
      .list('letter')
      .filter(({ at }) => at < until)
      .map(({ id }) => [id, null]);
  }
}
