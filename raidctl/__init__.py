"""What RAID a Linux server really has, whether its cache is safe, and whether it is still so."""

__version__ = "0.1.0"
