import { type Platform } from '../browser/report.js';

/** A phone runs one process of an app at a time. */
export const reactNative: Platform = {
  notDrawn: [
    ...(['browser killed', 'reload storm', 'many clients of a store at once'] as const),
    ...(['clock set by up to a day', 'batch refused for its size'] as const),
  ],
  clients: 'apps',
  young: 'lost, made under a second before the phone ended',
  full: 'lost, kept in memory because the store had failed',
  waiting: 'phones that still wait',
};
