import { type DeadLetter, letterId } from './dead-letter.js';

/** Keeps the newest letter of each message: a replayed message that is refused again has several. */
export class NewestLetters {
  private readonly byId = new Map<string, DeadLetter>();
  /** Times of newest letters that are not selected, by message, for messages that can have older letters. */
  private readonly leftOut = new Map<string, number>();

  /**
   * @param matches selects letters; an older one does not stand in for the newest
   * @param identify the id by which letters count as the same
   */
  constructor(
    private readonly matches: (letter: DeadLetter) => boolean = () => true,
    private readonly identify: (letter: DeadLetter) => string = ({ id }) => id,
  ) {}

  get letters(): DeadLetter[] {
    return [...this.byId.values()];
  }

  add(letter: DeadLetter): void {
    const id = this.identify(letter);
    const newest = Math.max(this.byId.get(id)?.refusedAt ?? -Infinity, this.leftOut.get(id) ?? -Infinity);
    if (letter.refusedAt < newest) return;
    if (this.matches(letter)) {
      this.byId.set(id, letter);
      this.leftOut.delete(id);
    } else if (id !== letterId(letter)) {
      this.byId.delete(id);
      this.leftOut.set(id, letter.refusedAt);
    }
  }
}
