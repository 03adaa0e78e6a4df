import { Logger } from '@nestjs/common';

// Tests print no log lines: a failing test tells what it expected.
Logger.overrideLogger(false);
