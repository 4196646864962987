"""Laws learned from one's own small runs: loss by size and data, throughput by size."""
