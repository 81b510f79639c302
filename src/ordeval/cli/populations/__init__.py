"""Commands about populations of tasks and of items."""
