import 'reflect-metadata';
import { runService, serviceVariables } from '@sluice/service';

// A shell until its topics and tables exist: it lives, says so, and stops when asked.
await runService('catalog', serviceVariables, () => Promise.resolve({ close: () => Promise.resolve() }));
