import 'reflect-metadata';
// Not the whole of Nest, which most specs do without.
import { Logger } from '@nestjs/common/services/logger.service.js';

// Tests print no log lines: a failing test shows what it expected.
Logger.overrideLogger(false);
