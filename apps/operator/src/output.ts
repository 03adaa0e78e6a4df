import { Injectable } from '@nestjs/common';
import { CommandRunner, Option } from 'nest-commander';

export interface OutputOptions {
  json?: boolean;
}

/** Writes to stdout: text for people, or exactly one JSON value for programs. No command writes there by itself. */
@Injectable()
export class Output {
  print<T>(value: T, { json = false }: OutputOptions, toText: (value: T) => string): void {
    process.stdout.write(`${json ? JSON.stringify(value) : toText(value)}\n`);
  }
}

/** Writes a remark to stderr, such as what is waited for: stdout is for the result. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** A command that prints a result. */
export abstract class PrintingCommand extends CommandRunner {
  @Option({ flags: '--json', description: 'Print one JSON value instead of text' })
  asJson(): boolean {
    return true;
  }
}
