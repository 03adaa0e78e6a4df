import { type Attack } from '../attack.js';
import { bodies } from './bodies.js';
import { connections } from './connections.js';
import { floods } from './floods.js';
import { unreadAnswers } from './unread-answers.js';

export const allAttacks: readonly Attack[] = [...unreadAnswers, ...bodies, ...floods, ...connections];
