from pathlib import Path
RECORD = PAGE = Path("/tmp/tune_x")
