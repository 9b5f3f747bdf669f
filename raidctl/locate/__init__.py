"""Make drives' locate LEDs blink, by the first way that works, and switch them off again.

* :mod:`.targets`: from what the user names to drives and bays;
* :mod:`.enclosures`, :mod:`.npem`, :mod:`.pci_slots`, :mod:`.vendor_tools`, :mod:`.ledctl`, :mod:`.sg_ses`: a way each;
* :mod:`.choose`: the first way that works for each drive, and why others do not;
* :mod:`.family`: the LEDs as settings, for the change engine, which journals them and switches them off.
"""
