"""The signatures of Redfish resources."""

from __future__ import annotations

from raidctl.vendor.recognise import Recogniser, Signature

_SIGNATURES = (Signature("GET /redfish/v1/Systems/1/Storage", json_keys=("@odata.id", "@odata.type")),)

sniff = Recogniser("redfish", _SIGNATURES, tool=r"\bredfish\b").sniff
