import { slowMs } from '../protocol/steps.js';

/** A turn that was given and has not ended. */
interface Turn {
  readonly topic: string;
  isSlow: boolean;
}

interface Waiting {
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
  private readonly given = new Set<Turn>();
  private waiting: Waiting[] = [];

  constructor(private readonly limits: Limits) {}

  /** Resolves in the topic's turn with the function that ends it; a second call does nothing. */
  take(topic: string): Promise<() => void> {
    return new Promise((begin) => {
      this.waiting.push({ topic, begin });
      this.giveOut();
    });
  }

  private giveOut(): void {
    const stillWaiting: Waiting[] = [];
    for (const one of this.waiting) {
      if (this.hasRoom(one.topic)) one.begin(this.give(one.topic));
      else stillWaiting.push(one);
    }
    this.waiting = stillWaiting;
  }

  private hasRoom(topic: string): boolean {
    const turns = [...this.given];
    const ofTopic = turns.filter((turn) => turn.topic === topic).length;
    if (ofTopic === 0) return true;
    return ofTopic < this.limits.atOnce && turns.filter(({ isSlow }) => !isSlow).length < this.limits.atOnce;
  }

  private give(topic: string): () => void {
    const turn = { topic, isSlow: false };
    this.given.add(turn);
    const timer = setTimeout(() => {
      turn.isSlow = true;
      this.giveOut();
    }, this.limits.slowMs ?? slowMs).unref();
    return () => {
      clearTimeout(timer);
      if (this.given.delete(turn)) this.giveOut();
    };
  }
}
