"""Takes the picture of the demo's report that the quickstart shows: its first screen and a half.

make demo && python docs/_tools/report_picture.py report.html docs/report.png
"""

from __future__ import annotations

import base64
import io
import shutil
import sys
from pathlib import Path

from PIL import Image
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

WIDTH, HEIGHT, EDGE = 1400, 1250, 2


def take(page: Path, picture: Path) -> None:
    """Open a page in Chromium and save its top."""
    options = webdriver.ChromeOptions()
    for flag in ("--headless=new", "--no-sandbox", "--hide-scrollbars", "--disable-gpu"):
        options.add_argument(flag)
    browser = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    try:
        browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False},
        )
        browser.get(page.resolve().as_uri())
        taken = browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
    finally:
        browser.quit()
    framed = Image.new("RGB", (WIDTH + 2 * EDGE, HEIGHT + 2 * EDGE), "#c9ced6")
    framed.paste(Image.open(io.BytesIO(base64.b64decode(taken["data"]))), (EDGE, EDGE))
    # Colours that few pixels have are kept too: each model has its own.
    framed.quantize(256, Image.Quantize.MAXCOVERAGE).save(picture, optimize=True)


if __name__ == "__main__":
    take(Path(sys.argv[1]), Path(sys.argv[2]))
