import { AsyncLocalStorage } from 'node:async_hooks';
import { type Message, type Plugin } from '@sluice/sdk-core';
import { type CallOptions, type Person, type Scope } from './options.js';

/** Knows the person of each call: there is no current user on a server. */
export class People {
  private readonly scopes = new AsyncLocalStorage<Scope>();
  private person: Person = {};

  /** Sets the ids of each message to those of the call that made it. */
  readonly plugin: Plugin = (message: Message) => {
    const { userId, anonymousId } = this.person;
    if (userId === undefined && anonymousId === undefined) throw new Error('userId or anonymousId is missing');
    return { ...message, userId, anonymousId };
  };

  /** Runs `work` in a scope, which adds to the context of an outer scope and replaces the person, if it names one. */
  run<T>(scope: Scope, work: () => T): T {
    return this.scopes.run({ ...this.choosePerson(scope), context: this.mergeContext(scope) }, work);
  }

  /** Makes a call. If it has an id of its own, the scope's person does not count. */
  call<T>(options: CallOptions, work: (options: CallOptions) => T): T {
    const personBefore = this.person;
    this.person = this.choosePerson(options);
    try {
      return work({ timestamp: options.timestamp, context: this.mergeContext(options) });
    } finally {
      this.person = personBefore;
    }
  }

  /** Pairs the user with the call's anonymousId, else with the scope's, unless the scope is another user's. */
  pairIds(userId: string, { anonymousId }: Person): Person {
    const scope = this.scopes.getStore();
    const isSame = scope?.userId === undefined || scope.userId === userId;
    return { userId, anonymousId: anonymousId ?? (isSame ? scope?.anonymousId : undefined) };
  }

  private choosePerson({ userId, anonymousId }: Person): Person {
    // Null is not an id, as in most databases.
    const callIds = { userId: userId ?? undefined, anonymousId: anonymousId ?? undefined };
    if (callIds.userId !== undefined || callIds.anonymousId !== undefined) return callIds;
    const scope = this.scopes.getStore();
    return { userId: scope?.userId, anonymousId: scope?.anonymousId };
  }

  private mergeContext({ context }: Scope): object | undefined {
    const scopeContext = this.scopes.getStore()?.context;
    return scopeContext && context ? { ...scopeContext, ...context } : (context ?? scopeContext);
  }
}
