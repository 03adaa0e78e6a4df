import 'reflect-metadata';
import { runCommandLine } from './run-command-line.js';

// A reader may close the pipe early (`… | head -1`), which is not an unexpected error.
process.stdout.on('error', () => process.exit(1));

// Exits at once: after a failure, kafkajs retries for a while although nothing waits for it.
process.exit(await runCommandLine(process.argv.slice(2)));
