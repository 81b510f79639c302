"""A real headless Chromium, from Debian's packages."""

from __future__ import annotations

import base64
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

MISSING = next(
    (f"{p} is not installed" for p in ("chromium", "chromedriver") if shutil.which(p) is None), ""
)


@contextmanager
def chromium(width: int = 1100, height: int = 900) -> Iterator[Any]:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.add_argument(f"--window-size={width},{height}")
    options.binary_location = str(shutil.which("chromium"))
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    driver.set_script_timeout(300)  # thousands of intervals, on a machine that does other work too
    try:
        yield driver
    finally:
        driver.quit()


def opened(driver: Any, path: Path, *, unfold: bool = True) -> None:
    """Open a page, with its collapsed parts open by default."""
    driver.get_log("browser")
    driver.get_log("performance")
    driver.get(path.as_uri())
    if unfold:
        driver.execute_script(
            "for (const x of document.querySelectorAll('details.fold')) x.open = true"
        )


def console(driver: Any) -> list[str]:
    return [entry["message"] for entry in driver.get_log("browser")]


def requests(driver: Any) -> list[str]:
    """Every address that was asked for, the page itself included."""
    messages = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    return [
        m["params"]["request"]["url"]
        for m in messages
        if m["method"] == "Network.requestWillBeSent"
        and not m["params"]["request"]["url"].startswith("data:")
    ]


def media(driver: Any, *, scheme: str = "light", kind: str = "screen") -> None:
    feature = {"name": "prefers-color-scheme", "value": scheme}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": kind, "features": [feature]})


def picture(driver: Any, path: Path, width: int = 1100) -> None:
    """The whole page as a picture."""
    height = driver.execute_script("return document.documentElement.scrollHeight")
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    shot = driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True})
    path.write_bytes(base64.b64decode(shot["data"]))


def printed(driver: Any) -> bytes:
    """The page as PDF."""
    made = driver.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})
    return base64.b64decode(made["data"])
