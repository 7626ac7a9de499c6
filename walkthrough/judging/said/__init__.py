"""What is said beside the verdicts: what an author concludes from printed numbers, and what he probably did wrong."""
