import { type Attack } from '../attack.js';
import { bodies } from './bodies.js';
import { connections } from './connections.js';
import { brokenPaths } from './broken-paths.js';
import { floods } from './floods.js';
import { greedySources } from './greedy-sources.js';
import { unreadAnswers } from './unread-answers.js';

export const allAttacks: readonly Attack[] = [
  ...unreadAnswers,
  ...bodies,
  ...floods,
  ...connections,
  ...brokenPaths,
  ...greedySources,
];
