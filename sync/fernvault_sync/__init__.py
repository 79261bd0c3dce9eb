"""Everything that crosses the vault's wall: the process that owns the unlocked vault, and its clients."""
