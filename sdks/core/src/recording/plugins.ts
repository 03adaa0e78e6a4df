import { attempt } from '../ports/attempt.js';
import { type Plugin, type PluginParts } from '../client/client.js';
import { type Message } from '../message/message.js';

/** The plugins of a client. One that fails to begin, or is not a function, is reported and stops nothing. */
export class Plugins {
  readonly #parts: PluginParts;
  readonly #plugins: Plugin[] = [];
  /** Plugins that returned something other than a message or null; reported once each. */
  readonly #reportedPlugins = new Set<Plugin>();

  constructor(parts: PluginParts) {
    this.#parts = parts;
  }

  /** Adds a plugin or a list of them. All of them see the events that one of them makes when it begins. */
  add(pluginOrList: unknown): void {
    const plugins = [pluginOrList].flat().filter((plugin) => this.#isPlugin(plugin));
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
    return this.#plugins.reduce<Message | null>(
      (current, plugin) => current && this.#applyPlugin(plugin, current),
      message,
    );
  }

  /** A result that is not a message of the same type, such as a promise, changes nothing. */
  #applyPlugin(plugin: Plugin, message: Message): Message | null {
    const output: unknown = plugin({ ...message });
    if (output === null) return null;
    if ((output as Message | undefined)?.type === message.type) return output as Message;
    // A rejection that nobody waits for would be an error of the page.
    if (output instanceof Promise) output.catch(() => undefined);
    if (!this.#reportedPlugins.has(plugin)) {
      this.#parts.failed('a plugin returned neither a message nor null');
    }
    this.#reportedPlugins.add(plugin);
    return message;
  }

  #begin(plugin: Plugin, isNew: boolean): void {
    const failed = (cause: unknown): void => {
      this.#parts.failed('a plugin failed', cause);
    };
    try {
      // A plugin may begin asynchronously; nothing waits for it.
      const beginnings: unknown[] = [isNew && plugin.setup?.(this.#parts.client), plugin.begin?.(this.#parts)];
      Promise.all(beginnings).catch(failed);
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
