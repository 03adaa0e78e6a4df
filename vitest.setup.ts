import 'reflect-metadata';
// Not the whole of Nest, which most specs do without.
import { Logger } from '@nestjs/common/services/logger.service.js';
import { vi } from 'vitest';

// Tests print no log lines: a failing test shows what it expected.
Logger.overrideLogger(false);

// Specs share a process: undo what the previous spec stubbed or mocked.
vi.unstubAllGlobals();
vi.unstubAllEnvs();
vi.restoreAllMocks();
vi.useRealTimers();
