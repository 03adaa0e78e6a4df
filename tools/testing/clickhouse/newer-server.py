"""Runs the newer ClickHouse of PyPI's chdb-core: its `query` is `clickhouse local`, which reads config.xml of the present folder.

Arguments: the folder with config.xml, the folder of the data, the query that begins to listen. It serves HTTP and exits when its
standard input (a pipe) ends.
"""

import os
import signal
import sys

from chdb import _chdb

folder, path, query = sys.argv[1:]
os.chdir(folder)
# ClickHouse's own handlers would wait for the query, which waits for the end of standard input.
_chdb.set_signal_handlers_enabled(False)
signal.signal(signal.SIGTERM, signal.SIG_DFL)
_chdb.query(query, "TabSeparated", path=path)
