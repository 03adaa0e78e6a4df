import 'reflect-metadata';
import { runOperator } from './run-operator.js';

// A reader that has seen enough (`… | head -1`) is no failure of ours.
process.stdout.on('error', () => process.exit(1));

// What still runs here has nobody who waits for it: kafkajs repeats its attempts for a while after a failure.
process.exit(await runOperator(process.argv.slice(2)));
