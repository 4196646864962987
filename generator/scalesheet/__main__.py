"""`python -m scalesheet`."""

from scalesheet.cli import main

raise SystemExit(main())
