import { Body, Controller, Inject, Param, Query } from '@nestjs/common';
import {
  type DryRun,
  type EventPlace,
  type LetterDetail,
  type LetterList,
  type LetterView,
  type ReplayResult,
} from '@sluice/console-api';
import { header } from '@sluice/contracts';
import { type DeadLetter } from '@sluice/kafka';
import {
  destinationOf,
  findRequest,
  type LetterConditions,
  parseRequestId,
  reasonOf,
  replayLetters,
  selectLetters,
} from '@sluice/operations';
import { consoleConfig, type ConsoleConfig } from '../config.js';
import { notFound } from '../http/console-error.js';
import { Serves, User } from '../http/operation.js';
import { countOf, fieldsOf, optionalText, textsOf } from '../http/read.js';
import { Payloads } from '../payload/payloads.js';
import { Tables } from '../servers/tables.js';
import { type CurrentUser } from '../session/current-user.js';
import { Deeds } from '../settings/deeds.js';

const mostLetters = 1_000;
const windowMs = 600_000;

/** Messages that could not be stored, and their way back. */
@Controller()
export class DeadLettersController {
  constructor(
    @Inject(consoleConfig) private readonly config: ConsoleConfig,
    private readonly payloads: Payloads,
    private readonly tables: Tables,
    private readonly deeds: Deeds,
  ) {}

  @Serves('GET /api/dead-letters')
  async list(@Query() query: unknown): Promise<LetterList> {
    const conditions = conditionsOf(fieldsOf(query), 100);
    const letters = (await selectLetters(this.config, conditions)).map(viewLetter);
    const { topic, reason, limit } = conditions;
    const options = [...(topic ? [`--topic ${topic}`] : []), ...(reason ? [`--reason '${reason}'`] : [])];
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
    return {
      ...viewLetter(letter),
      ...{ headers: headers.slice(0, 200), requestId, now: await this.whereNow(letter, requestId) },
      value: letter.value === null ? null : this.payloads.show(letter.value.toString(), user),
      command: `npm run -s operator -- dead-letters show '${id}'`,
    };
  }

  @Serves('POST /api/dead-letters/dry-run')
  async dryRun(@Body() body: unknown, @User() user: CurrentUser): Promise<DryRun> {
    const letters = await this.select(body);
    const stored = await this.stored(user, letters);
    const count = (isOf: (letter: DeadLetter) => boolean): number => letters.filter(isOf).length;
    const isDamaged = ({ damage }: DeadLetter): boolean => damage !== undefined;
    const isStored = (letter: DeadLetter): boolean => !isDamaged(letter) && stored.has(letter.id);
    return {
      letters: letters.map(viewLetter),
      outcomes: [
        { outcome: 'replayed', letters: count((letter) => !isDamaged(letter) && !isStored(letter)) },
        { outcome: 'already-stored', letters: count(isStored) },
        { outcome: 'damaged', letters: count(isDamaged) },
      ],
    };
  }

  @Serves('POST /api/dead-letters/replay')
  async replay(@Body() body: unknown, @User() user: CurrentUser): Promise<ReplayResult> {
    const letters = await this.select(body);
    const object = letters.length === 1 ? (letters[0]?.id ?? '') : `${letters.length} letters`;
    const details = { letters: letters.slice(0, 100).map(({ id }) => id), count: letters.length };
    return this.deeds.record(user, { operation: 'dead-letters.replay', object, details }, async () => {
      const { replayed, refused, error } = await replayLetters(this.config, letters);
      return {
        replayed: replayed.map(viewLetter),
        notReplayed: refused.map(({ letter, why }) => ({ id: letter.id, why })),
        error: error === undefined ? null : reasonOf(error),
      };
    });
  }

  private async select(body: unknown): Promise<DeadLetter[]> {
    const fields = fieldsOf(body);
    const ids = fields['ids'] === undefined ? undefined : textsOf(fields, 'ids', { most: mostLetters, longest: 300 });
    const conditions = conditionsOf(fields, ids?.length ?? mostLetters);
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

  /** Ids of the letters whose message id is stored by now. */
  private async stored(user: CurrentUser, letters: readonly DeadLetter[]): Promise<ReadonlySet<string>> {
    const byTable = Map.groupBy(letters, ({ topic }) => destinationOf(topic));
    const found = new Set<string>();
    for (const [destination, ofTable] of byTable) {
      if (destination?.hasMessageId !== true) continue;
      const ids = new Map(ofTable.flatMap((letter) => idOf(letter)));
      const rows = await this.tables
        .select<{ id: string }>(
          user,
          `SELECT DISTINCT toString(message_id) AS id FROM ${destination.table} WHERE message_id IN ({ids:Array(UUID)})`,
          { ids: [...ids.keys()] },
        )
        .catch(() => []);
      for (const { id } of rows) found.add(ids.get(id) ?? '');
    }
    return found;
  }
}

function conditionsOf(fields: Record<string, unknown>, usual: number): LetterConditions {
  const [topic, reason] = [optionalText(fields, 'topic', 200), optionalText(fields, 'reason', 300)];
  const limit = countOf(fields, 'limit', { usual: Math.max(1, usual), most: mostLetters });
  return { ...(topic !== undefined && { topic }), ...(reason !== undefined && { reason }), limit };
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function idOf({ id, value }: DeadLetter): [messageId: string, letter: string][] {
  const text = /"message_id":"([0-9a-f-]{36})"/.exec(value?.toString() ?? '')?.[1] ?? '';
  return uuid.test(text) ? [[text, id]] : [];
}

const viewLetter = ({ id, topic, refusedAt, timestamp, reason, key, value, damage }: DeadLetter): LetterView => ({
  ...{ id, topic, refusedAt: new Date(refusedAt).toISOString(), takenAt: new Date(timestamp).toISOString() },
  ...{ reason: reason.slice(0, 2_000), key: key?.toString().slice(0, 300) ?? null, bytes: value?.length ?? 0 },
  missingBytes: damage?.missingBytes ?? 0,
});

function groupsOf(letters: readonly LetterView[]): LetterList['groups'] {
  const groups = Map.groupBy(letters, ({ topic, reason }) => `${topic}\n${reason}`);
  return [...groups.values()]
    .map((all) => ({
      ...{ topic: all[0]?.topic ?? '', reason: all[0]?.reason ?? '', letters: all.length },
      newest: all[0]?.refusedAt ?? '',
    }))
    .sort((a, b) => b.letters - a.letters);
}
