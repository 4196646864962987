"""lowering: documents become drafts, quantities whose formulas are still text and tree."""
