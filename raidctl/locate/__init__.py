"""Make drives' locate LEDs blink by the first working method. Switch them off again.

* :mod:`.targets`: from what the user names to drives and bays;
* :mod:`.enclosures`, :mod:`.npem`, :mod:`.pci_slots`, :mod:`.vendor_tools`, :mod:`.ledctl`, :mod:`.sg_ses`:
  one method each;
* :mod:`.choose`: the first working method for each drive, and why others do not work;
* :mod:`.family`: the LEDs as settings, for the change engine, which journals them and switches them off.
"""
