import 'reflect-metadata';
import { runService } from '@sluice/service';
import { consoleVariables } from './config.js';
import { startConsole } from './server.js';

await runService('console', consoleVariables, startConsole);
