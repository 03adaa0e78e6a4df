import { type WorkerScope } from '../push/worker-scope.js';
import { startWorker } from '../push/worker.js';

startWorker(globalThis as unknown as WorkerScope);
