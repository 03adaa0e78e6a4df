import 'reflect-metadata';
import { limitYoungGeneration, runService } from '@sluice/service';
import { consoleVariables } from './config.js';

limitYoungGeneration();
// Loaded after the limit is set, because loading makes much garbage.
const { startConsole } = await import('./server.js');
await runService('console', consoleVariables, startConsole);
