"""What a person does to the hardware: which drive may be pulled. Pure."""
