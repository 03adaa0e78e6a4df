// Runs ClickHouse as a process: libchdb's `chdb_query_cmdline` is all of `clickhouse local`.
// The arguments name a data folder and a port. It serves HTTP and exits when its standard input (a pipe) ends.
import { libchdbPath } from 'chdb/libchdb';
import { DataType, load, open } from 'ffi-rs';

open({ library: 'chdb', path: libchdbPath() });

// Do not add `local` after the first word: the call would return at once and nothing would listen.
const argv = ['clickhouse', ...process.argv.slice(2)];
load({
  library: 'chdb',
  funcName: 'chdb_query_cmdline',
  retType: DataType.External,
  paramsType: [DataType.I32, DataType.StringArray],
  paramsValue: [argv.length, argv],
});
