import { parentPort, workerData } from 'node:worker_threads';
import { type SpoolAnswer, type SpoolCall } from './spool-call.js';
import { SpoolFolder, type SpoolFolderOptions } from './spool-folder.js';
import { type SpooledBatch } from './spooled-message.js';
import { isFull } from './disk-error.js';

// The thread in which the spool waits for its disk. It answers calls in turn.
if (!parentPort) throw new Error('this is the program of a thread');
const port = parentPort;
const folder = new SpoolFolder(workerData as SpoolFolderOptions);
const nothing: SpooledBatch = { messages: [], place: undefined };

function answer(call: SpoolCall): SpooledBatch {
  switch (call.kind) {
    case 'append':
      folder.append(call.messages);
      return nothing;
    case 'take':
      return folder.take(call.delivered, call.limits);
    case 'refuse':
      folder.refuse(call.messages, call.error);
      return nothing;
    case 'look':
      folder.look(call.mustHaveRoom);
      return nothing;
    case 'close':
      folder.close();
      return nothing;
  }
}

let isCounting = false;

/** Counts the bytes of holders in segments of earlier processes, one between two calls, so that no call waits long. */
function countHeld(): void {
  isCounting = folder.countHeld();
  if (!isCounting) return;
  port.postMessage({
    id: undefined,
    state: folder.state,
    changes: folder.takeChanges(),
    batch: nothing,
  } satisfies SpoolAnswer);
  setImmediate(countHeld);
}

port.on('message', (call: SpoolCall) => {
  let result: Pick<SpoolAnswer, 'batch' | 'failure'>;
  try {
    result = { batch: answer(call) };
  } catch (error) {
    result = { batch: nothing, failure: { message: String(error), isFull: isFull(error) } };
  }
  // The state is sent also after a failure: a call may have found messages before it failed.
  const answered = { id: call.id, state: folder.state, changes: folder.takeChanges() };
  port.postMessage({ ...answered, ...result } satisfies SpoolAnswer);
  if (call.kind === 'close') port.close();
  else if (!isCounting) {
    isCounting = true;
    setImmediate(countHeld);
  }
});
