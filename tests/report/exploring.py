"""What a person does on the explorer's page, and what it then shows."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ordeval.measures import get_metric
from ordeval.report.explorer import MEASURES

COUNTS = [[26, 4, 1, 0], [3, 15, 4, 0], [0, 5, 18, 3], [0, 1, 3, 10]]
LEVELS = ["I", "II", "III", "IV"]


def shown(driver: Any, name: str, column: int = 1) -> str:
    row = f"#explore [data-measure={name}]"
    found: str = driver.execute_script(
        f"return document.querySelector('{row}').cells[{column}].textContent"
    )
    return found


def counts_in(driver: Any) -> list[str]:
    script = "return [...document.querySelectorAll('#explore [data-cell]')].map(x => x.value)"
    found: list[str] = driver.execute_script(script)
    return found


def do(driver: Any, what: str) -> None:
    driver.find_element("css selector", f"#explore [data-do={what}]").click()


def settled(driver: Any) -> None:
    """Wait for the intervals."""
    for _ in range(200):
        cells = [shown(driver, name, 2) for name in MEASURES]
        if "…" not in cells:
            return
        time.sleep(0.02)
    raise AssertionError("the intervals did not come")


def value(name: str, counts: Any) -> str:
    found = float(get_metric(name).values(np.array(counts)))
    return f"{found:.4f}".replace("-", "−")


def paste(driver: Any, text: str) -> None:
    driver.execute_script(
        "document.querySelector('#explore details').open = true;"
        "document.getElementById('explore-paste').value = arguments[0]", text,
    )  # fmt: skip
    do(driver, "paste")


def status(driver: Any) -> str:
    return str(driver.find_element("css selector", "#explore [role=status]").text)


def levels_in(driver: Any) -> list[str]:
    found: list[str] = driver.execute_script(
        "return [...document.querySelectorAll('[data-level]')].map(x => x.value)"
    )
    return found


def choose(driver: Any, part: str, text: str) -> None:
    from selenium.webdriver.support.ui import Select

    Select(driver.find_element("css selector", f"[data-part={part}]")).select_by_visible_text(text)


def rename(driver: Any, level: int, text: str, *after: str) -> None:
    from selenium.webdriver.common.keys import Keys

    name = driver.find_element("css selector", f"[data-level='{level}']")
    name.send_keys(Keys.BACKSPACE * 12, text, *after)


def said_of(driver: Any, part: str) -> str:
    return str(driver.find_element("css selector", f"#explore [data-part={part}]").text)
