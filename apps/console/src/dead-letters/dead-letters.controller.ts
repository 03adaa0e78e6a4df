import { Body, Controller, Inject, Param, Query } from '@nestjs/common';
import {
  type Dismissal,
  type Dismissed,
  type DryRun,
  type EventPlace,
  type LetterDetail,
  type LetterList,
  type LetterPageQuery,
  type LetterSelection,
  type ReplayResult,
} from '@sluice/console-api';
import { header } from '@sluice/contracts';
import { type DeadLetter, summarizeLetter } from '@sluice/kafka';
import { findRequest, parseRequestId, replayLetters, selectLetters } from '@sluice/operations';
import { consoleConfig, type ConsoleConfig } from '../config.js';
import { invalid, notFound } from '../http/console-error.js';
import { Serves, ActingUser } from '../http/operation.js';
import { PerUser } from '../http/per-user.js';
import { shellWord } from '../http/shell.js';
import { Payloads } from '../payload/payloads.js';
import { Reads } from '../payload/reads.js';
import { type CurrentUser } from '../session/current-user.js';
import { Actions } from '../settings/actions.js';
import { type PayloadView, type TagScope } from '../payload/masks.js';
import { Letters } from './letters.js';
import { ReplayMarks, letterScope } from './replay-marks.js';
import { StoredLetters } from './stored-letters.js';

const maxLetters = 1_000;
const windowMs = 600_000;
const retrySeconds = 5;

/** Messages that could not be stored, and their way back. */
@Controller()
export class DeadLettersController {
  private readonly searches = new PerUser(1, 'Wait until your search for older letters has ended.', retrySeconds);

  constructor(
    @Inject(consoleConfig) private readonly config: ConsoleConfig,
    private readonly payloads: Payloads,
    private readonly reads: Reads,
    private readonly letters: Letters,
    private readonly marks: ReplayMarks,
    private readonly stored: StoredLetters,
    private readonly actions: Actions,
  ) {}

  @Serves('GET /api/dead-letters')
  async list(
    @Query() { limit = 100, after, older, ...filter }: LetterPageQuery,
    @ActingUser() user: CurrentUser,
  ): Promise<LetterList> {
    const readAt = new Date().toISOString();
    const options = (['topic', 'reason', 'source', 'from', 'to'] as const).flatMap((name) => {
      const value = filter[name];
      return value ? [`--${name} ${shellWord(value)}`] : [];
    });
    const command = ['npm run -s operator -- dead-letters list', ...options, `--limit ${limit}`].join(' ');
    const page = { limit, ...(after !== undefined && { after }) };
    const list =
      older === undefined
        ? await this.letters.list(filter, page)
        : await this.searches.run(user, () => this.letters.list(filter, { ...page, isOlder: true }));
    return { ...list, readAt, command };
  }

  @Serves('GET /api/dead-letters/:id')
  async show(@Param('id') id: string, @ActingUser() user: CurrentUser): Promise<LetterDetail> {
    const [letter] = await selectLetters(this.config, { ids: [id], limit: 1 });
    if (!letter) throw notFound(`There is no dead letter ${id}.`);
    const headers = Object.entries(letter.headers).flatMap(([name, values]) =>
      [values ?? ''].flat().map((value) => ({ name: name.slice(0, 200), value: value.toString().slice(0, 2_000) })),
    );
    const requestId = headers.find(({ name }) => name === header.requestId)?.value ?? null;
    const reader = await this.reads.as(user, { object: id });
    const view = this.payloads.chooseView(reader);
    const shownHeaders = headers
      .slice(0, 200)
      .map((letterHeader) => (view.isMasked ? maskedHeader(letterHeader, view, letterScope(letter)) : letterHeader));
    return {
      ...this.marks.view(letter, view),
      headers: shownHeaders,
      requestId,
      now: shownPlaces(await this.traceRequest(letter, requestId), view, letterScope(letter)),
      value: letter.value === null ? null : view.show(letter.value.toString()),
      command: `npm run -s operator -- dead-letters show ${shellWord(id)}`,
    };
  }

  /** Marks letters as needing no more attention. They stay where they are, and can still be sent back. */
  @Serves('POST /api/dead-letters/dismiss')
  async dismiss(@Body() { older, ...body }: Dismissal, @ActingUser() user: CurrentUser): Promise<Dismissed> {
    const { ids, why, ...filter } = body;
    if (older !== undefined) return this.dismissOldest(user, body);
    const { letters, remaining } = ids
      ? { letters: await this.letters.named(ids), remaining: 0 }
      : await this.letters.untreated(filter, maxLetters);
    if (letters.length === 0) return { letters: 0, remaining };
    const object = letters.length === 1 ? (letters[0]?.id ?? '') : `${letters.length} letters`;
    const details = { letters: letters.slice(0, 100).map(({ id }) => id), why, ...filter };
    await this.actions.record(user, { operation: 'dead-letters.dismiss', object, details }, () =>
      this.marks.dismiss(user, letters, why),
    );
    return { letters: letters.length, remaining };
  }

  /** Marks all letters that are too many to be listed, with one record. */
  private async dismissOldest(user: CurrentUser, { why, ...selection }: Omit<Dismissal, 'older'>): Promise<Dismissed> {
    if (Object.keys(selection).length > 0) throw invalid('older takes no ids and no filters: it is about all of them.');
    const { untreated, until } = this.letters.oldest;
    if (untreated === 0) return { letters: 0, remaining: 0 };
    const details = { letters: untreated, until: new Date(until).toISOString(), why };
    const action = { operation: 'dead-letters.dismiss', object: `the ${untreated} oldest letters`, details };
    await this.actions.record(user, action, () => this.marks.dismissUntil(user, until, why));
    return { letters: untreated, remaining: 0 };
  }

  @Serves('POST /api/dead-letters/dry-run')
  async dryRun(@Body() body: LetterSelection, @ActingUser() user: CurrentUser): Promise<DryRun> {
    const letters = await this.select(body);
    const stored = await this.stored.among(user, letters.map(summarizeLetter));
    const { isAgain = false } = body;
    const outcomes = letters.map((letter): DryRun['outcomes'][number]['outcome'] => {
      if (letter.damage) return 'damaged';
      if (stored.has(letter.id)) return 'already-stored';
      return !isAgain && this.marks.of(letter) ? 'replayed-before' : 'replayed';
    });
    return {
      letters: letters.map((letter) => this.marks.view(letter)),
      outcomes: (['replayed', 'already-stored', 'replayed-before', 'damaged'] as const).map((outcome) => ({
        outcome,
        letters: outcomes.filter((letterOutcome) => letterOutcome === outcome).length,
      })),
    };
  }

  @Serves('POST /api/dead-letters/replay')
  async replay(@Body() body: LetterSelection, @ActingUser() user: CurrentUser): Promise<ReplayResult> {
    const selection = await this.select(body);
    const expectedMarks = this.marks.readMarks(selection);
    const letters = body.isAgain === true ? selection : selection.filter((letter) => !this.marks.of(letter));
    const skipped = selection.filter((letter) => !letters.includes(letter)).map((letter) => this.marks.whyNot(letter));
    if (letters.length === 0) return { replayed: [], notReplayed: skipped, error: null };
    const object = letters.length === 1 ? (letters[0]?.id ?? '') : `${letters.length} letters`;
    const details = { letters: letters.slice(0, 100).map(({ id }) => id), count: letters.length };
    return this.actions.record(user, { operation: 'dead-letters.replay', object, details }, async () => {
      const result = await this.marks.around(user, letters, { expectedMarks, isEdited: false }, (markedLetters) =>
        replayLetters(this.config, markedLetters),
      );
      return { ...result, notReplayed: [...result.notReplayed, ...skipped] };
    });
  }

  private async select({ ids, limit = maxLetters, ...filter }: LetterSelection): Promise<DeadLetter[]> {
    const selected = ids ?? (await this.letters.select(filter, Math.min(limit, maxLetters))).map(({ id }) => id);
    if (selected.length === 0) return [];
    const letters = await selectLetters(this.config, { ids: selected, limit: selected.length });
    const missing = ids?.find((id) => !letters.some((letter) => letter.id === id));
    if (missing !== undefined) throw notFound(`There is no dead letter ${missing}; nothing was done.`);
    return letters;
  }

  /** Traces the messages of the letter's request. */
  private async traceRequest(letter: DeadLetter, requestId: string | null): Promise<EventPlace[]> {
    try {
      const request = parseRequestId(requestId ?? '');
      const window = Math.max(windowMs, letter.refusedAt - request.receivedAt + windowMs);
      return [...(await findRequest(this.config, request, { windowMs: Math.min(window, 7 * 86_400_000) })).events];
    } catch {
      return [];
    }
  }
}

/** Reasons may quote what a client sent. */
const shownPlaces = (places: readonly EventPlace[], view: PayloadView, scope: TagScope): EventPlace[] =>
  places.map(({ reason, ...place }) =>
    reason === undefined ? place : { ...place, reason: view.value('reason', reason, scope) },
  );

/** Headers that Sluice itself writes; values of all others are masked. */
const ownHeaders: ReadonlySet<string> = new Set([...Object.values(header), 'content-type']);

const maskedHeader = (
  { name, value }: { name: string; value: string },
  view: PayloadView,
  scope: TagScope,
): { name: string; value: string } => ({
  name: view.value('header', name, scope),
  value: ownHeaders.has(name) ? view.value('header', value, scope) : `‹header, ${value.length}›`,
});
