"""What tools print, kept: recordings, archives, pasted files, and what is removed from them."""
