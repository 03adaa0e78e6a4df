import { attempt } from './attempt.js';
import { type Plugin, type PluginParts } from './client.js';
import { type Message } from './message.js';

/** The plugins of a client. One that fails to begin, or is not a function, is reported and stops nothing. */
export class Plugins {
  readonly #parts: PluginParts;
  readonly #plugins: Plugin[] = [];
  /** Plugins that returned something other than a message or null; reported once each. */
  readonly #wrong = new Set<Plugin>();

  constructor(parts: PluginParts) {
    this.#parts = parts;
  }

  /** Adds a list of plugins. All of them see the events that one of them makes when it begins. */
  add(given: unknown): void {
    const isList = Array.isArray(given);
    const plugins = isList ? given.filter((plugin) => this.#isPlugin(plugin)) : [];
    if (!isList) this.#parts.failed('plugins is not a list');
    this.#plugins.push(...plugins);
    // Excludes plugins that one of these adds by `use`, which begins them.
    for (const plugin of plugins) this.#begin(plugin, true);
  }

  /** Begins again, because messages may now be stored. */
  beginAgain(): void {
    for (const plugin of [...this.#plugins]) this.#begin(plugin, false);
  }

  end(): void {
    for (const plugin of this.#plugins.splice(0)) attempt(() => plugin.end?.());
  }

  /** The message as the plugins leave it; null if one of them leaves it out. @throws what a plugin throws */
  apply(message: Message): Message | null {
    return this.#plugins.reduce<Message | null>((seen, plugin) => seen && this.#applyOne(plugin, seen), message);
  }

  /** A result that is not a message of the same type, such as a promise, changes nothing. */
  #applyOne(plugin: Plugin, seen: Message): Message | null {
    const made: unknown = plugin({ ...seen });
    if (made === null) return null;
    if ((made as Message | undefined)?.type === seen.type) return made as Message;
    // A rejection that nobody waits for would be an error of the page.
    if (made instanceof Promise) made.catch(() => undefined);
    if (!this.#wrong.has(plugin)) {
      this.#parts.failed('a plugin returned neither a message nor null');
    }
    this.#wrong.add(plugin);
    return seen;
  }

  #begin(plugin: Plugin, isNew: boolean): void {
    const failed = (cause: unknown): void => {
      this.#parts.failed('a plugin failed', cause);
    };
    try {
      // A plugin may begin asynchronously; nothing waits for it.
      const begun: unknown[] = [isNew && plugin.setup?.(this.#parts.client), plugin.begin?.(this.#parts)];
      Promise.all(begun).catch(failed);
    } catch (cause) {
      failed(cause);
    }
  }

  #isPlugin(plugin: unknown): plugin is Plugin {
    if (typeof plugin === 'function') return true;
    this.#parts.failed('a plugin is not a function');
    return false;
  }
}
