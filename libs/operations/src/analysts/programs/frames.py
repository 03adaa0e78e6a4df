"""Runs the examples in Python of docs/analysts.md, in turn, and prints what they read as JSON."""

import json
import os
import re
import sys

import clickhouse_connect

page, since = sys.argv[1:]
connect = clickhouse_connect.get_client
server = {"host": "127.0.0.1", "port": int(os.environ["PORT"]), "database": os.environ["DATABASE"]}
clickhouse_connect.get_client = lambda **_: connect(**server)

names = {}
with open(page, encoding="utf-8") as file:
    for example in re.findall(r"^```python\n(.*?)^```$", file.read(), re.M | re.S):
        exec(example.replace("now() - INTERVAL 30 DAY", since), names)

orders, objects, frame = names["orders"], names["objects"], names["frame"]
whole = "SELECT message_id, properties FROM events FINAL ORDER BY message_id"
try:
    read = connect(**server).query_df(whole)
    is_whole_right = all(
        not isinstance(value, dict) or all("\x00" not in str(member) for member in value.values())
        for value in read["properties"]
    )
except UnicodeDecodeError:
    is_whole_right = False

report = {
    "times": [str(orders["timestamp"].dtype), str(frame["timestamp"].dtype)],
    "total": str(sum(value for value in orders["total"] if value is not None and value == value)),
    "orders": len(orders),
    "objects": {str(row.message_id): row.properties for row in objects.itertuples()},
    "frame": [json.loads(text) for text in frame["properties"].to_list()],
    "is_whole_right": is_whole_right,
}
print(json.dumps(report))
