"""What only a training computes: dropout, the loss, the updates, and what it reports of itself."""
