import { Injectable } from '@nestjs/common';
import { withinDeadline } from '@sluice/kafka';
import { type Audit } from '@sluice/operations';
import { type CurrentUser } from '../session/current-user.js';

/** Repeated reads within this time count as one: a page asks every few seconds, a stream shows many rows. */
const sameReadMs = 600_000;
const writeMs = 1_000;
const maxKnown = 10_000;

export interface Read {
  /** The id that is read, or `live`. */
  object: string;
  details?: Record<string, unknown>;
}

/** Filters that can name a person. */
const aboutPeople: readonly string[] = ['user', 'text'];

/**
 * Keeps that a filter was set, without its value: records stay for ever, and no erasure searches them
 * (docs/decisions/0074-erasure.md).
 */
const withoutPeople = (details: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(details).map(([name, value]) => [name, aboutPeople.includes(name) ? '…' : value]));

interface KnownRead {
  readonly until: number;
  readonly isWritten: Promise<boolean>;
}

/** Records who reads which payloads unmasked, before they are shown. */
@Injectable()
export class Reads {
  private recentReads = new Map<string, KnownRead>();

  constructor(private readonly audit: Audit) {}

  /** The user with the right to read now: masked if the read cannot be recorded. */
  async as<U extends CurrentUser>(user: U, read: Read): Promise<U> {
    if (!user.payloads) return user;
    const key = JSON.stringify([user.id, read]);
    const recentRead = this.recentReads.get(key);
    const isWritten = recentRead && recentRead.until > Date.now() ? recentRead.isWritten : this.write(key, user, read);
    return (await isWritten) ? user : { ...user, payloads: false };
  }

  private write(key: string, user: CurrentUser, read: Read): Promise<boolean> {
    const actor = { actor: user.id, role: user.role, face: 'console', origin: user.address } as const;
    const { object, details } = read;
    const writing = this.audit.note({
      ...actor,
      operation: 'payloads.read',
      object,
      ...(details && { details: withoutPeople(details) }),
    });
    const isWritten = withinDeadline(writing, writeMs, 'the read is not written down').then(
      () => true,
      () => {
        this.recentReads.delete(key);
        return false;
      },
    );
    this.forgetOld();
    this.recentReads.set(key, { until: Date.now() + sameReadMs, isWritten });
    return isWritten;
  }

  private forgetOld(): void {
    if (this.recentReads.size < maxKnown) return;
    const now = Date.now();
    this.recentReads = new Map([...this.recentReads].filter(([, { until }]) => until > now).slice(-maxKnown / 2));
  }
}
