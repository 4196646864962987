"""resolve: turns checked documents into a frozen, typed Book: binds names, derives units, splits
ranges, orders the computation and rejects cycles. It knows nothing about outputs.
"""
