import { type ServerResponse } from 'node:http';

const place = Symbol('place');
type Placed = ServerResponse & { [place]?: number };

/**
 * The answers that are owed. A list in which the last one takes the place of each that goes: a Set through which every
 * request passes makes V8 keep most of them until the next full collection. Its table is renewed again and again, and
 * the old ones, dead but not collected yet, hold on to what was in them (a gateway's heap grew by 2 KB a request, and
 * collecting took 8 of a request's 58 µs).
 */
export class OwedAnswers {
  private readonly answers: Placed[] = [];

  get size(): number {
    return this.answers.length;
  }

  add(answer: Placed): void {
    answer[place] = this.answers.push(answer) - 1;
  }

  /** Removes an answer that is in it. */
  delete(answer: Placed): void {
    const last = this.answers.pop();
    const free = answer[place];
    if (last === undefined || last === answer || free === undefined) return;
    this.answers[free] = last;
    last[place] = free;
  }

  [Symbol.iterator](): Iterator<ServerResponse> {
    return this.answers.values();
  }
}
