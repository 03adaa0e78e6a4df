import { type RowBlock } from '../rows/encode-rows.js';
import { stateErrors } from '../rows/content-errors.js';

/** Failures of a block before it is cut or given up. Most restarts and reloads are over by then. */
const minFailures = 3;
/** Failures of a row alone before it is given up; each counts only with proof that the table takes other rows. */
const minRowFailures = 5;
/** The same bound once another row of the same block was given up for the same error. */
const minRepeatedRowFailures = 2;
/** Minimum time during which a row is refused, alone and in larger blocks, before it is given up. */
const timeoutMs = 10_000;
/** The same for errors about the state of the server. */
const longTimeoutMs = 10 * 60_000;
/** Time after which a block is cut although no accepted row is known to try for comparison. */
const blindTimeoutMs = 30_000;

/** A block that ClickHouse refused, with all its pieces. */
interface Suspect {
  readonly first: bigint;
  readonly last: bigint;
  readonly since: number;
  failures: number;
  /** ClickHouse can read all of its rows. */
  isReadable: boolean;
  /** The row that is being tried alone. */
  rowTrial?: { offset: bigint; failures: number; failedAt: number };
  /** Codes of the errors for which rows of the table were given up. */
  readonly givenUp: Set<string>;
}

/** Shows whether the table still takes a row that it took before; undefined when there is none to try. */
export type TryAcceptedRow = () => Promise<boolean | undefined>;

/**
 * Decides when a refused block is given up: a block of several rows is cut, a single row becomes a dead letter. The
 * decision rests on which INSERTs ClickHouse takes, not on its error text (docs/decisions/0025-refused-rows.md).
 */
export class Trials {
  /** Suspects by table and partition. */
  private readonly suspects = new Map<string, Suspect>();
  private readonly acceptedAt = new Map<string, number>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Records that the table took an INSERT. */
  noteAccepted(table: string, block: RowBlock): void {
    this.acceptedAt.set(table, this.now());
    const suspect = this.suspects.get(suspectKey(table, block));
    if (suspect && offsetRange(block).last >= suspect.last) this.suspects.delete(suspectKey(table, block));
  }

  /** Counts a failure. The result includes the failures and the time of larger blocks that this one was cut from. */
  countRefusal(table: string, block: RowBlock): { failures: number; sinceMs: number; isReadable: boolean } {
    const suspect = this.openSuspect(table, block);
    suspect.failures += 1;
    return { failures: suspect.failures, sinceMs: this.now() - suspect.since, isReadable: suspect.isReadable };
  }

  /** Records that ClickHouse can read all rows of the block, and therefore of its pieces. */
  noteReadable(table: string, block: RowBlock): void {
    this.openSuspect(table, block).isReadable = true;
  }

  /** True when the block is to be given up. Call it after `countRefusal`. */
  async judgeBlock(table: string, block: RowBlock, code: string, tryAcceptedRow: TryAcceptedRow): Promise<boolean> {
    const suspect = this.openSuspect(table, block);
    if (suspect.failures < minFailures) return false;
    return block.rows.length > 1
      ? this.isWorthCutting(table, suspect, tryAcceptedRow)
      : this.judgeRow(table, suspect, offsetRange(block).first, code, tryAcceptedRow);
  }

  /** A cut loses nothing and needs little proof. While the table takes no rows at all, it would only add INSERTs. */
  private async isWorthCutting(table: string, suspect: Suspect, tryAcceptedRow: TryAcceptedRow): Promise<boolean> {
    if (this.hasAcceptedSince(table, suspect.since)) return true;
    return (await tryAcceptedRow()) ?? this.now() - suspect.since >= blindTimeoutMs;
  }

  private async judgeRow(
    table: string,
    suspect: Suspect,
    offset: bigint,
    code: string,
    tryAcceptedRow: TryAcceptedRow,
  ): Promise<boolean> {
    const previous = suspect.rowTrial?.offset === offset ? suspect.rowTrial : { failures: 0, failedAt: suspect.since };
    const takesOthers = this.hasAcceptedSince(table, previous.failedAt) || (await tryAcceptedRow()) === true;
    // A failure while the table takes no other row proves nothing, so the count starts again.
    const failures = takesOthers ? previous.failures + 1 : 0;
    suspect.rowTrial = { offset, failures, failedAt: this.now() };
    const minFailuresAlone = suspect.givenUp.has(code) ? minRepeatedRowFailures : minRowFailures;
    const timeout = stateErrors.has(code) ? longTimeoutMs : timeoutMs;
    if (failures < minFailuresAlone || this.now() - suspect.since < timeout) return false;
    suspect.givenUp.add(code);
    return true;
  }

  private hasAcceptedSince(table: string, since: number): boolean {
    return (this.acceptedAt.get(table) ?? -Infinity) > since;
  }

  private openSuspect(table: string, block: RowBlock): Suspect {
    const { first, last } = offsetRange(block);
    const enclosing = this.suspects.get(suspectKey(table, block));
    if (enclosing && enclosing.first <= first && last <= enclosing.last) return enclosing;
    const suspect: Suspect = { first, last, since: this.now(), failures: 0, isReadable: false, givenUp: new Set() };
    this.suspects.set(suspectKey(table, block), suspect);
    return suspect;
  }
}

const suspectKey = (table: string, { partition }: RowBlock): string => `${table}:${partition}`;

function offsetRange({ rows }: RowBlock): { first: bigint; last: bigint } {
  return { first: BigInt(rows[0]?.offset ?? -1), last: BigInt(rows.at(-1)?.offset ?? -1) };
}
