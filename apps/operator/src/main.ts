import 'reflect-metadata';
import { runOperator } from './run-operator.js';

// A reader may close the pipe early (`… | head -1`), which is not an unexpected error.
process.stdout.on('error', () => process.exit(1));

// Exits at once: after a failure, kafkajs retries for a while although nothing waits for it.
process.exit(await runOperator(process.argv.slice(2)));
