# The 20 rules of audit_scale.py, as Rego for Open Policy Agent.
package site

import rego.v1

volumes := [[c, v] | some c in input.controllers; some v in c.volumes]
arrays := [[c, a] | some c in input.controllers; some a in c.arrays]
drives := [d | some c in input.controllers; some d in c.drives; count(object.get(d, "backing", [])) == 0]

deny contains sprintf("raid_level %s", [v.id]) if { some [_, v] in volumes; not v.raid_level in {"raid1", "raid6"} }
deny contains sprintf("battery %s", [v.id]) if { some [c, v] in volumes; not battery_ok(c) }
deny contains sprintf("write_cache %s", [v.id]) if { some [c, v] in volumes; not protected(c, v) }
deny contains sprintf("drive_cache %s", [v.id]) if { some [_, v] in volumes; v.cache.drive_caches != "off" }
deny contains sprintf("cache_split %s", [v.id]) if { some [c, v] in volumes; [c.cache.read_percent, c.cache.write_percent] != [25, 75] }
deny contains sprintf("status %s", [v.id]) if { some [_, v] in volumes; v.status != "ok" }
deny contains sprintf("strip_bytes %s", [v.id]) if { some [_, v] in volumes; not between(v.strip_bytes, 65536, 1048576) }
deny contains sprintf("database volumes %s", [v.id]) if { some [_, v] in volumes; database(v); not database_met(v) }
deny contains sprintf("firmware %s", [c.id]) if { some c in input.controllers; not firmware_met(c) }
deny contains sprintf("cache %s", [c.id]) if { some c in input.controllers; c.cache != null; not cache_met(c.cache) }
deny contains sprintf("battery of its own controller %s", [v.id]) if { some [c, v] in volumes; not charged(c) }
deny contains sprintf("one spare for each large array %s", [a.id]) if { some [_, a] in arrays; a.size_bytes >= 1000000000000; count(a.spares) < 1 }
deny contains sprintf("one model in an array %s", [a.id]) if { some [c, a] in arrays; count({d.model | some d in c.drives; d.id in a.drives}) != 1 }
deny contains "twelve drives" if count(drives) != 12
deny contains sprintf("drives are well %s", [d.id]) if { some d in drives; d.status != "ok" }
deny contains sprintf("no predicted failures %s", [d.id]) if { some d in drives; not errors_met(d.errors) }
deny contains sprintf("not too hot %s", [d.id]) if { some d in drives; d.temperature_celsius > 55 }
deny contains sprintf("fast disks %s", [d.id]) if { some d in drives; d.media == "hdd"; not fast(d) }
deny contains sprintf("drive write caches %s", [d.id]) if { some d in drives; d.role == "member"; d.write_cache != "disabled" }
deny contains sprintf("known models %s", [d.id]) if { some d in drives; not known(d) }

battery_ok(c) if { some b in c.batteries; b.status == "ok"; not b.replace }
protected(c, v) if { v.cache.write_active == "write_back"; v.cache.controller_cache == "protected"; battery_ok(c) }
between(value, low, high) if { value >= low; value <= high }
database(v) if { some m in v.mountpoints; startswith(m, "/srv/"); v.size_bytes >= 1000000000000 }
database_met(v) if { v.raid_level == "raid6"; v.cache.write_protected == true; v.cache.read_policy != "off" }
firmware_met(c) if { to_number(c.firmware) >= 8; c.status == "ok" }
cache_met(cache) if { cache.size_bytes >= 1073741824; cache.no_battery_write_cache == false; cache.unwritten_data == false }
charged(c) if { some b in c.batteries; b.status == "ok"; b.charge_percent >= 50 }
errors_met(errors) if { errors.predictive == 0; errors.media <= 10 }
fast(d) if { d.rpm >= 10000; d.link_gbps >= 6 }
known(d) if { glob.match("{HARBOR *,TALUS *}", [], d.model); d.firmware != "HB01" }
