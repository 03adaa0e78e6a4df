// ClickHouse as a process of its own: libchdb's `chdb_query_cmdline` is the whole of `clickhouse local`.
// It is given the data folder and a port, serves HTTP, and ends when its standard input (a pipe) ends.
import { libchdbPath } from 'chdb/libchdb';
import { DataType, load, open } from 'ffi-rs';

open({ library: 'chdb', path: libchdbPath() });

// The first word must not be followed by `local`: with it the call returns at once and nothing listens.
const argv = ['clickhouse', ...process.argv.slice(2)];
load({
  library: 'chdb',
  funcName: 'chdb_query_cmdline',
  retType: DataType.External,
  paramsType: [DataType.I32, DataType.StringArray],
  paramsValue: [argv.length, argv],
});
