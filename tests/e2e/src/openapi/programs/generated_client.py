"""Imports every module of the generated client, looks at its types, and sends an event with it."""

import importlib
import os
import pkgutil
import typing

import attrs
import sluice_client
from sluice_client import AuthenticatedClient
from sluice_client.api.tracking_api import track
from sluice_client.models import FreeForm, Queued, TrackMessage

names = [module.name for module in pkgutil.walk_packages(sluice_client.__path__, "sluice_client.")]
for name in names:
    importlib.import_module(name)

fields = [field.name for field in attrs.fields(TrackMessage) if field.name != "additional_properties"]
assert fields == ["event", "properties", "user_id", "anonymous_id", "context", "timestamp"], fields
assert attrs.fields(TrackMessage).event.type == "str", attrs.fields(TrackMessage).event

properties = FreeForm.from_dict({"total": 49.9, "items": [{"id": 1}], "coupon": None})
message = TrackMessage(event="order_completed", user_id=os.environ["USER_ID"], properties=properties)
client = AuthenticatedClient(base_url=os.environ["GATEWAY"], token=os.environ["API_KEY"])
answer = track.sync_detailed(os.environ["SOURCE"], client=client, body=message)
assert answer.status_code == 200 and isinstance(answer.parsed, Queued), answer
print(len([name for name in names if name.startswith("sluice_client.api.") and name.count(".") == 3]))
