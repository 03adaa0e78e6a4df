import { Logger } from '@nestjs/common';

// Tests print no log lines: a failing test shows what it expected.
Logger.overrideLogger(false);
