"""Takes the picture of the demo's report that the README shows: its top, and its pictures.

make demo && python docs/_tools/report_picture.py report.html docs/report.png
"""

from __future__ import annotations

import io
import shutil
import sys
from pathlib import Path

from PIL import Image
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

WIDTH, HEIGHT, EDGE = 1040, 1080, 2


def take(page: Path, picture: Path) -> None:
    """Open a page in Chromium and save two views of it side by side."""
    options = webdriver.ChromeOptions()
    for flag in ("--headless=new", "--no-sandbox", "--hide-scrollbars", "--disable-gpu"):
        options.add_argument(flag)
    options.add_argument(f"--window-size={WIDTH},{HEIGHT + 200}")
    browser = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    try:
        views = [_view(browser, page.resolve().as_uri() + part) for part in ("", "#figures")]
    finally:
        browser.quit()
    both = Image.new("RGB", (2 * WIDTH + 3 * EDGE, HEIGHT + 2 * EDGE), "#c9ced6")
    for i, view in enumerate(views):
        both.paste(view, (EDGE + i * (WIDTH + EDGE), EDGE))
    small = both.resize((both.width * 2 // 3, both.height * 2 // 3), Image.Resampling.LANCZOS)
    # Colours that few pixels have are kept too: each model has its own.
    small.quantize(256, Image.Quantize.MAXCOVERAGE).save(picture, optimize=True)


def _view(browser: webdriver.Chrome, address: str) -> Image.Image:
    browser.get("about:blank")
    browser.get(address)
    return Image.open(io.BytesIO(browser.get_screenshot_as_png())).crop((0, 0, WIDTH, HEIGHT))


if __name__ == "__main__":
    take(Path(sys.argv[1]), Path(sys.argv[2]))
