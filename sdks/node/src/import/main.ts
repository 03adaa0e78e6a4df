#!/usr/bin/env node
import { runImport } from './run.js';

process.exitCode = await runImport(process.argv.slice(2), process.env, {
  out: (text) => console.log(text),
  err: (text) => console.error(text),
});
