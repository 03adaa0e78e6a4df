import { type FaultClass } from '../thousand/fault-class.js';
import { connectionClasses } from './connections.js';
import { consumerClasses } from './consumers.js';
import { messageClasses } from './messages.js';
import { serverClasses } from './servers.js';
import { storedBytesClasses } from './stored-bytes.js';
import { tableClasses } from './table.js';

/** Every class of faults. Clock jumps are missing, because the tests cannot change the clock of a process. */
export const faultClasses: readonly FaultClass[] = [
  ...tableClasses,
  ...messageClasses,
  ...consumerClasses,
  ...connectionClasses,
  ...serverClasses,
  ...storedBytesClasses,
];
