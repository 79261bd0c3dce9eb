"""Speed, as a ratio to a floor or a peer in the same run."""
