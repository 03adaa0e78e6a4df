import 'reflect-metadata';
import { limitYoungGeneration, runService } from '@sluice/service';
import { consoleVariables } from './config.js';

limitYoungGeneration();
// Loaded with the limit: to load it makes much garbage.
const { startConsole } = await import('./server.js');
await runService('console', consoleVariables, startConsole);
