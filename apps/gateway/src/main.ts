import 'reflect-metadata';
import { runService } from '@sluice/service';
import { gatewayVariables } from './config.js';
import { startGateway } from './server.js';

await runService('gateway', gatewayVariables, startGateway);
