"""The arithmetic of docs/worked-example.md: parts, costs, the two jobs, and the blocks of the page."""
