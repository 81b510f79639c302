"""Text that people and judges write: answers, and matrices as they are pasted."""
