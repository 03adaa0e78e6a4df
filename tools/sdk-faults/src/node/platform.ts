import { type Platform } from '../browser/report.js';

/** A server has no browser; its store is shared by at most four processes, whose clocks agree. */
export const node: Platform = {
  notDrawn: ['browser killed', 'reload storm', 'clock set by up to a day', 'batch refused for its size'],
  clients: 'processes',
  young: 'lost, made under a second before the machine ended',
  full: 'lost, made while the disk was full',
  waiting: 'batches that still wait',
};
