import { slowMs } from '../protocol/partition-steps.js';

/** A turn that was given and has not ended. */
interface Turn {
  readonly topic: string;
  isSlow: boolean;
}

interface TurnRequest {
  readonly topic: string;
  readonly begin: (end: () => void) => void;
}

interface Limits {
  /** Upper bound of turns of one topic, and of all without slow ones. The first turn of a topic is always given. */
  readonly atOnce: number;
  /** Duration after which a turn counts as slow. */
  readonly slowMs?: number;
}

/**
 * Lets a number of INSERTs run at once; the others wait in line. Every topic may have one at any time, and a slow one
 * takes a turn from its own topic only: a table that does not answer does not hold up other topics.
 */
export class Turns {
  private readonly running = new Set<Turn>();
  private waiting: TurnRequest[] = [];

  constructor(private readonly limits: Limits) {}

  /** Resolves in the topic's turn with the function that ends it; a second call does nothing. */
  take(topic: string): Promise<() => void> {
    return new Promise((begin) => {
      this.waiting.push({ topic, begin });
      this.giveOut();
    });
  }

  private giveOut(): void {
    const stillWaiting: TurnRequest[] = [];
    for (const request of this.waiting) {
      if (this.hasRoom(request.topic)) request.begin(this.give(request.topic));
      else stillWaiting.push(request);
    }
    this.waiting = stillWaiting;
  }

  private hasRoom(topic: string): boolean {
    const turns = [...this.running];
    const countOfTopic = turns.filter((turn) => turn.topic === topic).length;
    if (countOfTopic === 0) return true;
    return countOfTopic < this.limits.atOnce && turns.filter(({ isSlow }) => !isSlow).length < this.limits.atOnce;
  }

  private give(topic: string): () => void {
    const turn = { topic, isSlow: false };
    this.running.add(turn);
    const timer = setTimeout(() => {
      turn.isSlow = true;
      this.giveOut();
    }, this.limits.slowMs ?? slowMs).unref();
    return () => {
      clearTimeout(timer);
      if (this.running.delete(turn)) this.giveOut();
    };
  }
}
