import 'reflect-metadata';
// Not the whole of Nest, which most specs do without.
import { Logger } from '@nestjs/common/services/logger.service.js';
import { vi } from 'vitest';

// Tests print no log lines: a failing test shows what it expected.
Logger.overrideLogger(false);

// Unit tests share a process: a spec begins without what the one before it has put in the place of something.
vi.unstubAllGlobals();
vi.unstubAllEnvs();
vi.restoreAllMocks();
vi.useRealTimers();
