import { OperationError, describeFailure } from '@sluice/operations';
import { expect, it } from 'vitest';
import { explainError } from './errors.js';

const commanderError = (code: string, message: string, exitCode: number): Error =>
  Object.assign(new Error(message), { code, exitCode });

it('shows the message of an expected error unchanged', () =>
  expect(explainError(new OperationError('no such thing'))).toEqual({ message: 'error: no such thing', exitCode: 1 }));

it('shows an unexpected error in one line, with a way to learn more', () => {
  const { message, exitCode } = explainError(new TypeError('x is undefined\n  at y'));

  expect(message).toBe('error: x is undefined (unexpected; LOG_LEVEL=debug shows where)');
  expect(exitCode).toBe(1);
});

it('shows no message after help', () =>
  expect(explainError(commanderError('commander.helpDisplayed', '(outputHelp)', 0))).toEqual({
    message: '',
    exitCode: 0,
  }));

it('points to the help after a wrong option', () => {
  const { message } = explainError(commanderError('commander.unknownOption', "error: unknown option '--x'", 1));

  expect(message).toBe("error: unknown option '--x'\nAdd --help to see how it is used.");
});

it('finds the reason in an error that only contains other errors', () => {
  const refused = Object.assign(new Error(''), { code: 'ECONNREFUSED' });

  expect(describeFailure(new AggregateError([refused, new Error('no route')]))).toBe('ECONNREFUSED; no route');
});
