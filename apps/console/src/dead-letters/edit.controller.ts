import { Body, Controller, Inject, Param } from '@nestjs/common';
import { type Sieve } from '@sluice/clickhouse';
import { type EditCheck, type EditedLetter, type ReplayResult } from '@sluice/console-api';
import { allTopics } from '@sluice/contracts';
import { type DeadLetter, sortByContract, summarizeLetter } from '@sluice/kafka';
import { findDestination, replayLetters, selectLetters, ServerUnreachableError } from '@sluice/operations';
import { consoleConfig, type ConsoleConfig } from '../config.js';
import { conflict, invalid, notAllowed, notFound } from '../http/console-error.js';
import { Serves, ActingUser } from '../http/operation.js';
import { type CurrentUser } from '../session/current-user.js';
import { Actions } from '../settings/actions.js';
import { edit } from './edited.js';
import { ReplayMarks } from './replay-marks.js';
import { StoredLetters } from './stored-letters.js';

/** Asks a table whether it can read a row: the check that decides about a message behind the gateway. */
export abstract class RowCheck {
  abstract unreadable: Sieve['unreadable'];
}

/** Changes the content of a dead letter, and sends it back. */
@Controller()
export class EditController {
  constructor(
    @Inject(consoleConfig) private readonly config: ConsoleConfig,
    private readonly marks: ReplayMarks,
    private readonly stored: StoredLetters,
    private readonly rows: RowCheck,
    private readonly actions: Actions,
  ) {}

  @Serves('POST /api/dead-letters/:id/check')
  async check(
    @Param('id') id: string,
    @Body() body: EditedLetter,
    @ActingUser() user: CurrentUser,
  ): Promise<EditCheck> {
    const edited = await this.edited(id, body, user);
    return this.checked(edited, user);
  }

  @Serves('POST /api/dead-letters/:id/edit')
  async edit(
    @Param('id') id: string,
    @Body() body: EditedLetter,
    @ActingUser() user: CurrentUser,
  ): Promise<ReplayResult> {
    const { letter, changed } = await this.edited(id, body, user);
    const expectedMarks = this.marks.readMarks([letter]);
    if (body.isAgain !== true && this.marks.of(letter))
      throw conflict(`The letter was not replayed: ${this.marks.whyNot(letter).why}.`);
    const { problems, isStored } = await this.checked({ letter, changed }, user);
    if (problems.length > 0) throw invalid(problems.join(' '));
    if (isStored) throw conflict('This message is already stored.');
    const action = { operation: 'dead-letters.edit', object: id, details: { changed } };
    return this.actions.record(user, action, () =>
      this.marks.around(user, [letter], { expectedMarks, isEdited: true }, (markedLetters) =>
        replayLetters(this.config, markedLetters),
      ),
    );
  }

  private async edited(
    id: string,
    { value }: EditedLetter,
    user: CurrentUser,
  ): Promise<{ letter: DeadLetter; changed: string[] }> {
    if (!user.payloads) throw notAllowed('To change a message you need the permission to read payloads unmasked.');
    const [letter] = await selectLetters(this.config, { ids: [id], limit: 1 });
    if (!letter) throw notFound(`There is no dead letter ${id}.`);
    if (letter.damage) throw conflict('Parts of this letter are missing, so it cannot be replayed.');
    return edit(letter, value);
  }

  private async checked(
    { letter, changed }: { letter: DeadLetter; changed: string[] },
    user: CurrentUser,
  ): Promise<EditCheck> {
    const table = findDestination(letter.topic)?.table ?? '';
    const [problems, stored] = await Promise.all([
      this.findProblems(letter, table),
      this.stored.among(user, [summarizeLetter(letter)]),
    ]);
    return { isReadable: problems.length === 0, problems, changed, isStored: stored.has(letter.id), table };
  }

  /** The checks of the consumer: the contract of the message, then whether ClickHouse reads the row. */
  private async findProblems(letter: DeadLetter, table: string): Promise<string[]> {
    const topic = allTopics.find(({ name }) => name === letter.topic);
    if (!topic) return [`There is no topic ${letter.topic}.`];
    const message = { ...letter, timestamp: String(letter.timestamp) };
    const { rows, rejections } = sortByContract(
      { id: letter.id, topic: letter.topic, partition: letter.partition, messages: [message], replay: false },
      topic,
    );
    if (rejections.length > 0) return rejections.map(({ reason }) => `${reason}.`);
    try {
      return [...(await this.rows.unreadable(table, rows)).values()].map((why) => `${why}.`);
    } catch (error) {
      throw new ServerUnreachableError('clickhouse', 'ClickHouse does not say whether it can read this.', {
        cause: error,
      });
    }
  }
}
