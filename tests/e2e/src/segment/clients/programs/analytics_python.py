import os
import sys
import time

import segment.analytics as analytics

user = os.environ["USER_ID"]
analytics.write_key = os.environ["WRITE_KEY"]
analytics.host = os.environ["HOST"]
failures = []
analytics.on_error = lambda error, items: failures.append(error)

analytics.identify(user, {"plan": "pro"})
analytics.page(user, name="Home")
analytics.screen(user, name="Cart")
analytics.group(user, "g-1", {"seats": 3})
analytics.alias(user + "-before", user)
for n in range(int(os.environ["COUNT"])):
    analytics.track(user, "Order Completed", {"n": n})
    time.sleep(0.01)
# The faults are over when stdin ends.
sys.stdin.read()
analytics.flush()
analytics.shutdown()
if failures:
    raise SystemExit(f"failed: {failures}")
