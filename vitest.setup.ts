import { Logger } from '@nestjs/common';

// A passing test prints nothing; a failing one says what it expected.
Logger.overrideLogger(false);
