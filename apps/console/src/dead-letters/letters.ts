import { Injectable } from '@nestjs/common';
import { type LetterList, type LetterQuery, type StatusReport } from '@sluice/console-api';
import { compareLetters, type LetterIndex, type LetterSummary, withinDeadline } from '@sluice/kafka';
import { type ConsoleReader, isSelected, judgeLetters, ServerUnreachableError } from '@sluice/operations';
import { invalid, notFound } from '../http/console-error.js';
import { type PayloadView } from '../payload/masks.js';
import { type Payloads } from '../payload/payloads.js';
import { ReplayMarks, letterScope } from './replay-marks.js';
import { type StoredLetters } from './stored-letters.js';

export type LetterFilter = Omit<LetterQuery, 'limit'>;

const maxGroups = 20;
/** Time within which Kafka must have answered. A first reading that takes longer goes on for who asks next. */
const readLimitMs = 20_000;
/** Time for which a question waits for the first reading; then it is answered by what was read so far. */
const firstMs = 1_000;
/** Max number of letters that one reading of the status looks up in the tables. */
const maxLookedUp = 500;
/** Max number of distinct reasons that are remembered as shown. */
const maxReasons = 10_000;

/** All dead letters, filtered, in pages, and judged; read from Kafka once. */
@Injectable()
export class Letters {
  private readonly stored = new Set<string>();
  /** Reasons that no mask changes; a change of the masks begins again. */
  private plainReasons = { view: undefined as PayloadView | undefined, reasons: new Set<string>() };
  private judged: { key: string; status: StatusReport['deadLetters'] } | undefined;
  private lookedUp = 0;
  /** Whether all letters were read once. */
  private isWhole = false;

  constructor(
    private readonly index: LetterIndex,
    private readonly marks: ReplayMarks,
    private readonly tables: StoredLetters,
    private readonly reader: ConsoleReader,
    private readonly payloads: Payloads,
  ) {}

  async list(
    filter: LetterFilter,
    { limit, after, isOlder = false }: { limit: number; after?: string; isOlder?: boolean },
  ): Promise<Omit<LetterList, 'command' | 'readAt'>> {
    const isPartial = !(await this.isReadSoon());
    const isWanted = this.buildMatcher(filter);
    const selected = isOlder ? await this.index.readUnlisted(isWanted) : this.index.letters.filter(isWanted);
    const start = after === undefined ? undefined : parseCursor(after);
    const first = start === undefined ? 0 : selected.findIndex((letter) => compareLetters(letter, start) > 0);
    const page = first < 0 ? [] : selected.slice(first, first + limit);
    const last = page.at(-1);
    const isMore = last !== undefined && first + limit < selected.length;
    return {
      letters: page.map((letter) => this.marks.viewSummary(letter)),
      groups: this.listGroups(selected),
      found: selected.length,
      untreated: selected.filter((letter) => !this.isTreated(letter)).length,
      all: this.index.size,
      unlisted: this.index.unlisted,
      unlistedUntreated: this.unlistedUntreated,
      isPartial,
      next: isMore ? `${last.refusedAt}~${last.id}` : null,
    };
  }

  /** Letters that match, the newest first. */
  async select(filter: LetterFilter, limit = Number.POSITIVE_INFINITY): Promise<LetterSummary[]> {
    await this.refresh();
    const selected = this.index.letters.filter(this.buildMatcher(filter));
    return limit < selected.length ? selected.slice(0, limit) : selected;
  }

  /** A reason is looked for in what is shown: a filter must not reveal more. */
  private buildMatcher({ topic, reason, source, from, to }: LetterFilter): (letter: LetterSummary) => boolean {
    const conditions = {
      ...(topic && { topic }),
      ...(source && { source }),
      ...(from !== undefined && { from: Date.parse(from) }),
      ...(to !== undefined && { to: Date.parse(to) }),
    };
    return (letter) => isSelected(letter, conditions) && (!reason || this.shownReason(letter).includes(reason));
  }

  /** The next untreated letters that match, and how many there are after them. */
  async untreated(filter: LetterFilter, limit: number): Promise<{ letters: LetterSummary[]; remaining: number }> {
    const open = (await this.select(filter)).filter((letter) => !this.isTreated(letter));
    return { letters: open.slice(0, limit), remaining: Math.max(0, open.length - limit) };
  }

  /**
   * Letters by id; those that are too many to be listed are read from Kafka.
   * @throws ConsoleError 404 when one of them does not exist.
   */
  async named(ids: readonly string[]): Promise<LetterSummary[]> {
    await this.refresh();
    const missing = new Set(ids.filter((id) => !this.index.find(id)));
    const isOlder = missing.size > 0 && this.index.unlisted > 0;
    const olderLetters = isOlder ? await this.index.readUnlisted(({ id }) => missing.has(id)) : [];
    return ids.map((id) => {
      const letter = this.index.find(id) ?? olderLetters.find((older) => older.id === id);
      if (!letter) throw notFound(`There is no dead letter ${id}; nothing was done.`);
      return letter;
    });
  }

  /** All letters that are too many to be listed: how many are untreated, and when the newest of them was refused. */
  get oldest(): { untreated: number; until: number } {
    return { untreated: this.unlistedUntreated, until: this.index.unlistedUntil };
  }

  private get unlistedUntreated(): number {
    return this.index.countUnlistedUntreated(this.marks.dismissedUntil);
  }

  /** The verdict of the overview: dismissed, replayed and stored letters need nobody. */
  async status(): Promise<StatusReport['deadLetters']> {
    if (!(await this.isReadSoon())) {
      const summary = `not known yet: letters are read after the start, ${this.index.size} so far`;
      return { verdict: 'unknown', summary, topics: [] };
    }
    await this.lookUp();
    const key = `${this.index.version} ${this.reader.state.readUpTo} ${this.stored.size}`;
    if (this.judged?.key !== key) {
      const unlisted = { letters: this.index.unlisted, untreated: this.unlistedUntreated };
      this.judged = { key, status: judgeLetters(this.index.letters, unlisted, (letter) => this.isTreated(letter)) };
    }
    return this.judged.status;
  }

  /** Reads new letters. Resolves with whether all are read by now: a first reading may go on after this question. */
  private async isReadSoon(): Promise<boolean> {
    const reading = this.refresh().then(() => (this.isWhole = true));
    if (this.isWhole) return reading;
    const wait = Promise.withResolvers<false>();
    const timer = setTimeout(() => wait.resolve(false), firstMs);
    return Promise.race([reading, wait.promise]).finally(() => {
      clearTimeout(timer);
      // An error of a reading that is no longer awaited is that of the next question.
      reading.catch(() => undefined);
    });
  }

  private async refresh(): Promise<void> {
    // Letters that were dismissed together are not counted any more, before others are left out.
    this.index.countUnlistedUntreated(this.marks.dismissedUntil);
    try {
      await withinDeadline(this.index.refresh(), readLimitMs, 'not read');
    } catch (error) {
      throw new ServerUnreachableError('kafka', 'Kafka does not answer.', { cause: error });
    }
  }

  private isTreated(letter: LetterSummary): boolean {
    return this.stored.has(letter.id) || this.marks.isTreated(letter);
  }

  /** Looks some untreated letters up in the tables, others each time, until all were looked up; then again. */
  private async lookUp(): Promise<void> {
    const { letters } = this.index;
    if (this.stored.size > letters.length) this.stored.clear();
    const open = letters.filter((letter) => letter.messageId !== null && !this.isTreated(letter));
    if (this.lookedUp >= open.length) this.lookedUp = 0;
    const next = open.slice(this.lookedUp, this.lookedUp + maxLookedUp);
    this.lookedUp += maxLookedUp;
    for (const id of await this.tables.among({ id: 'status' }, next)) this.stored.add(id);
  }

  private shownReason(letter: LetterSummary): string {
    const view = this.payloads.masked;
    const cache = this.plainReasons;
    if (cache.view !== view || cache.reasons.size > maxReasons) this.plainReasons = { view, reasons: new Set() };
    if (this.plainReasons.reasons.has(letter.reason)) return letter.reason;
    const maskedReason = view.value('reason', letter.reason, letterScope(letter));
    if (maskedReason === letter.reason) this.plainReasons.reasons.add(maskedReason);
    return maskedReason;
  }

  private listGroups(letters: readonly LetterSummary[]): LetterList['groups'] {
    const groups = Map.groupBy(letters, (letter) => `${letter.topic}\n${this.shownReason(letter)}`);
    return Array.from(groups.values(), (all) => ({
      topic: all[0]?.topic ?? '',
      reason: all[0] ? this.shownReason(all[0]) : '',
      letters: all.length,
      newest: new Date(all[0]?.refusedAt ?? 0).toISOString(),
    }))
      .sort((a, b) => b.letters - a.letters)
      .slice(0, maxGroups);
  }
}

function parseCursor(text: string): Pick<LetterSummary, 'refusedAt' | 'id'> {
  const separator = text.indexOf('~');
  const refusedAt = Number(text.slice(0, separator));
  if (separator < 1 || !Number.isFinite(refusedAt)) throw invalid('This is not the end of a page.');
  return { refusedAt, id: text.slice(separator + 1) };
}
