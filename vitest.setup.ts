import 'reflect-metadata';
// Not the whole of Nest, which most specs do without.
import { Logger } from '@nestjs/common/services/logger.service.js';
import { vi } from 'vitest';

// Tests print no log lines: a failing test shows what it expected.
Logger.overrideLogger(false);

// Unit tests share a process: undo what the previous spec stubbed or mocked.
vi.unstubAllGlobals();
vi.unstubAllEnvs();
vi.restoreAllMocks();
vi.useRealTimers();

if (process.env['TOPIC_PREFIX'] !== undefined)
  throw new Error('an earlier spec of this process set TOPIC_PREFIX: name it in ownInstallation of vitest.config.ts');
