import { parentPort, workerData } from 'node:worker_threads';
import { type SpoolAnswer, type SpoolCall } from './spool-call.js';
import { SpoolFolder, type SpoolFolderOptions, type SpoolState } from './spool-folder.js';
import { isFull } from './sqlite-error.js';

// The thread in which the spool waits for its disk. One call after the other, answered in their order.
if (!parentPort) throw new Error('this is the program of a thread');
const port = parentPort;
const folder = new SpoolFolder(workerData as SpoolFolderOptions);
let state: SpoolState = folder.state;

function answer(call: SpoolCall): SpoolAnswer['taken'] {
  switch (call.kind) {
    case 'append':
      folder.append(call.messages);
      return [];
    case 'take':
      return folder.take(call.isDelivered, call.limits);
    case 'refuse':
      folder.refuse(call.messages, call.error);
      return [];
    case 'look':
      folder.look(call.isProbing);
      return [];
    case 'close':
      folder.close();
      return [];
  }
}

port.on('message', (call: SpoolCall) => {
  let result: Pick<SpoolAnswer, 'taken' | 'failure'>;
  try {
    result = { taken: answer(call) };
    state = folder.state;
  } catch (error) {
    result = { taken: [], failure: { message: String(error), isFull: isFull(error) } };
  }
  port.postMessage({ id: call.id, state, ...result } satisfies SpoolAnswer);
  if (call.kind === 'close') port.close();
});
