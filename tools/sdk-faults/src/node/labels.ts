import { type Labels } from '../browser/report.js';

export const labels: Labels = {
  tabs: 'processes',
  young: 'lost, made under a second before the machine ended',
  full: 'lost, made while the disk was full',
  waiting: 'batches that still wait',
};
