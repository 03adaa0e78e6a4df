import { type WorkerScope } from '../push/worker-scope.js';
import { PushWorker } from '../push/worker.js';

new PushWorker(globalThis as unknown as WorkerScope);
