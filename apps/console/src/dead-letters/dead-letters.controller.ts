import { Body, Controller, Inject, Param, Query } from '@nestjs/common';
import {
  type Dismissal,
  type DryRun,
  type EventPlace,
  type LetterDetail,
  type LetterList,
  type LetterQuery,
  type LetterSelection,
  type LetterView,
  type ReplayResult,
} from '@sluice/console-api';
import { header } from '@sluice/contracts';
import { type DeadLetter } from '@sluice/kafka';
import { findRequest, parseRequestId, replayLetters, selectLetters } from '@sluice/operations';
import { consoleConfig, type ConsoleConfig } from '../config.js';
import { notFound } from '../http/console-error.js';
import { Serves, User } from '../http/operation.js';
import { shellWord } from '../http/shell.js';
import { Payloads } from '../payload/payloads.js';
import { Reads } from '../payload/reads.js';
import { type CurrentUser } from '../session/current-user.js';
import { Actions } from '../settings/actions.js';
import { type PayloadView, type TagScope } from '../payload/masks.js';
import { ReplayMarks, scopeOf } from './replay-marks.js';
import { StoredLetters } from './stored-letters.js';

const maxLetters = 1_000;
const windowMs = 600_000;

/** Messages that could not be stored, and their way back. */
@Controller()
export class DeadLettersController {
  constructor(
    @Inject(consoleConfig) private readonly config: ConsoleConfig,
    private readonly payloads: Payloads,
    private readonly reads: Reads,
    private readonly marks: ReplayMarks,
    private readonly stored: StoredLetters,
    private readonly actions: Actions,
  ) {}

  @Serves('GET /api/dead-letters')
  async list(@Query() { topic, reason, limit = 100 }: LetterQuery): Promise<LetterList> {
    // A reason is looked for in what is shown: a filter must not reveal what is masked.
    const read = await selectLetters(this.config, {
      ...(topic !== undefined && { topic }),
      limit: reason ? maxLetters : limit,
    });
    const letters = read
      .map((one) => this.marks.view(one))
      .filter((one) => one.reason.includes(reason ?? ''))
      .slice(0, limit);
    const options = [
      ...(topic ? [`--topic ${shellWord(topic)}`] : []),
      ...(reason ? [`--reason ${shellWord(reason)}`] : []),
    ];
    const command = ['npm run -s operator -- dead-letters list', ...options, `--limit ${limit}`].join(' ');
    return { letters, groups: groupsOf(letters), command };
  }

  @Serves('GET /api/dead-letters/:id')
  async show(@Param('id') id: string, @User() user: CurrentUser): Promise<LetterDetail> {
    const [letter] = await selectLetters(this.config, { ids: [id], limit: 1 });
    if (!letter) throw notFound(`There is no dead letter ${id}.`);
    const headers = Object.entries(letter.headers).flatMap(([name, values]) =>
      [values ?? ''].flat().map((value) => ({ name: name.slice(0, 200), value: value.toString().slice(0, 2_000) })),
    );
    const requestId = headers.find(({ name }) => name === header.requestId)?.value ?? null;
    const reader = await this.reads.as(user, { object: id });
    const view = this.payloads.viewOf(reader);
    const shown = headers.slice(0, 200).map((one) => (view.isMasked ? maskedHeader(one, view, scopeOf(letter)) : one));
    return {
      ...this.marks.view(letter, view),
      headers: shown,
      requestId,
      now: await this.whereNow(letter, requestId),
      value: letter.value === null ? null : view.show(letter.value.toString()),
      command: `npm run -s operator -- dead-letters show ${shellWord(id)}`,
    };
  }

  /** Marks letters as needing no more attention. They stay where they are, and can still be sent back. */
  @Serves('POST /api/dead-letters/dismiss')
  async dismiss(@Body() { ids, why }: Dismissal, @User() user: CurrentUser): Promise<LetterView[]> {
    const letters = await this.select({ ids });
    const object = letters.length === 1 ? (letters[0]?.id ?? '') : `${letters.length} letters`;
    const details = { letters: letters.slice(0, 100).map(({ id }) => id), why };
    await this.actions.record(user, { operation: 'dead-letters.dismiss', object, details }, () =>
      this.marks.dismiss(user, letters, why),
    );
    return letters.map((letter) => this.marks.view(letter));
  }

  @Serves('POST /api/dead-letters/dry-run')
  async dryRun(@Body() body: LetterSelection, @User() user: CurrentUser): Promise<DryRun> {
    const letters = await this.select(body);
    const stored = await this.stored.among(user, letters);
    const { isAgain = false } = body;
    const outcomes = letters.map((letter): DryRun['outcomes'][number]['outcome'] => {
      if (letter.damage) return 'damaged';
      if (stored.has(letter.id)) return 'already-stored';
      return !isAgain && this.marks.of(letter) ? 'replayed-before' : 'replayed';
    });
    return {
      letters: letters.map((one) => this.marks.view(one)),
      outcomes: (['replayed', 'already-stored', 'replayed-before', 'damaged'] as const).map((outcome) => ({
        outcome,
        letters: outcomes.filter((one) => one === outcome).length,
      })),
    };
  }

  @Serves('POST /api/dead-letters/replay')
  async replay(@Body() body: LetterSelection, @User() user: CurrentUser): Promise<ReplayResult> {
    const found = await this.select(body);
    const seen = this.marks.seen(found);
    const letters = body.isAgain === true ? found : found.filter((letter) => !this.marks.of(letter));
    const kept = found.filter((letter) => !letters.includes(letter)).map((letter) => this.marks.whyNot(letter));
    if (letters.length === 0) return { replayed: [], notReplayed: kept, error: null };
    const object = letters.length === 1 ? (letters[0]?.id ?? '') : `${letters.length} letters`;
    const details = { letters: letters.slice(0, 100).map(({ id }) => id), count: letters.length };
    return this.actions.record(user, { operation: 'dead-letters.replay', object, details }, async () => {
      const result = await this.marks.around(user, letters, { seen, isEdited: false }, (taken) =>
        replayLetters(this.config, taken),
      );
      return { ...result, notReplayed: [...result.notReplayed, ...kept] };
    });
  }

  private async select({ ids, topic, reason, ...asked }: LetterSelection): Promise<DeadLetter[]> {
    const limit = asked.limit ?? Math.max(1, ids?.length ?? maxLetters);
    const conditions = { ...(topic !== undefined && { topic }), ...(reason !== undefined && { reason }), limit };
    const letters = await selectLetters(this.config, { ...conditions, ...(ids && { ids }) });
    const missing = ids?.find((id) => !letters.some((letter) => letter.id === id));
    if (missing !== undefined) throw notFound(`There is no dead letter ${missing}; nothing was done.`);
    return letters;
  }

  /** Where the messages of the letter's request are now. */
  private async whereNow(letter: DeadLetter, requestId: string | null): Promise<EventPlace[]> {
    try {
      const request = parseRequestId(requestId ?? '');
      const window = Math.max(windowMs, letter.refusedAt - request.receivedAt + windowMs);
      return [...(await findRequest(this.config, request, { windowMs: Math.min(window, 7 * 86_400_000) })).events];
    } catch {
      return [];
    }
  }
}

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

function groupsOf(letters: readonly LetterView[]): LetterList['groups'] {
  const groups = Map.groupBy(letters, ({ topic, reason }) => `${topic}\n${reason}`);
  return [...groups.values()]
    .map((all) => ({
      topic: all[0]?.topic ?? '',
      reason: all[0]?.reason ?? '',
      letters: all.length,
      newest: all[0]?.refusedAt ?? '',
    }))
    .sort((a, b) => b.letters - a.letters);
}
