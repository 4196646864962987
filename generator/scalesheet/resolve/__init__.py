"""resolve: from checked documents to a frozen, typed Book: names bound, units derived, ranges
split, the order found, cycles refused. It knows no output."""
