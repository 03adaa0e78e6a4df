export { parseBatchFile, type BatchFileContent } from './batch-file.js';
export { type Device, type StoredBatch } from './device.js';
export { MemoryQueue } from './memory-queue.js';
export { ModelServer } from './model-server.js';
export { summarizeBooks, seeded, Simulation } from './simulation.js';
export { runVector, type Filling, type SeenRequest } from './run-vector.js';
export { type Vector } from './vector.js';
export { vectorFiles } from './vectors.js';
export { type Mutant, mutants, mutated } from './mutants.js';
