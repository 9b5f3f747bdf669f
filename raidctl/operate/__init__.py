"""Work on arrays and drives beyond settings: removal, checks, spares. Pure, except for stored results."""
