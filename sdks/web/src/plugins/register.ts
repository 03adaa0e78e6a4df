import { type Message } from '@sluice/sdk-core';
import { type WebPlugin } from '../options.js';

export interface Registered extends WebPlugin {
  /** Adds properties to those of every later event; undefined removes one. */
  set(properties: object): void;
}

/** Adds properties to every event of this page. An event's own properties win. */
export function register(properties: object = {}): Registered {
  let common = { ...properties };
  const plugin = (message: Message): Message =>
    message.type === 'track' ? { ...message, properties: { ...common, ...message.properties } } : message;
  return Object.assign(plugin, {
    set(newProperties: object) {
      common = { ...common, ...newProperties };
    },
  });
}
