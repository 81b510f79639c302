"""A clinician's study, made with a fixed seed, and the files that people keep it in."""

import csv
import zipfile
from pathlib import Path
from typing import Any, Final
from xml.sax.saxutils import escape

import numpy as np

LEVELS: Final = ["none", "mild", "moderate", "severe"]
MODELS: Final = ("old", "new")
_CUTS: Final = np.array([0.0, 0.8, 1.6])  # of severity
_PATIENTS, _IMAGES = 640, 1350
_LACKING: Final = {"cad": 33, "reader_1": 8, "reader_2": 21, "old": 55, "new": 8}


def study(seed: int = 31) -> list[dict[str, Any]]:
    """640 patients with 1,350 images in three hospitals.

    Two models give probabilities, one labels, and two readers graded the images. Some values are
    missing.
    """
    rng = np.random.default_rng(seed)
    more = rng.multinomial(_IMAGES - _PATIENTS, np.full(_PATIENTS, 1 / _PATIENTS))
    patient = np.repeat(np.arange(_PATIENTS), 1 + more)
    hospital = rng.choice(3, _PATIENTS, p=[0.5, 0.3, 0.2])[patient]
    severity = rng.normal(0, 1, _PATIENTS)[patient] + rng.normal(0, 0.5, _IMAGES)

    def probabilities(noise: float, bias: float, slope: float) -> Any:
        z = severity + bias + 0.7 * noise * rng.normal(0, 1, _PATIENTS)[patient]
        z = z + 0.7 * noise * rng.normal(0, 1, _IMAGES)
        above = 1 / (1 + np.exp(-slope * (z[:, None] - _CUTS)))
        edges = np.column_stack([np.ones(_IMAGES), above, np.zeros(_IMAGES)])
        return np.round(-np.diff(edges, axis=1), 4)

    def graded(bias: float, noise: float) -> Any:
        return np.searchsorted(_CUTS, severity + rng.normal(bias, noise, _IMAGES))

    prob = {"old": probabilities(0.7, 0.25, 3.5), "new": probabilities(0.5, 0.0, 3.0)}
    labels = {"truth": np.searchsorted(_CUTS, severity), "cad": graded(0, 0.8)}
    labels |= {"reader_1": graded(0, 0.35), "reader_2": graded(0.12, 0.35)}
    rows = [
        {
            "image": f"IMG{i:04d}",
            "patient": f"P{patient[i]:03d}",
            "hospital": "ABC"[hospital[i]],
            **{name: LEVELS[x[i]] for name, x in labels.items()},
            **{f"{m}_{level}": float(p[i, j]) for m, p in prob.items()
               for j, level in enumerate(LEVELS)},
        }
        for i in range(_IMAGES)
    ]  # fmt: skip
    for name, lacking in _LACKING.items():
        columns = [f"{name}_{level}" for level in LEVELS] if name in MODELS else [name]
        for i in rng.choice(_IMAGES, lacking, replace=False):
            rows[i] |= dict.fromkeys(columns)
    return rows


def as_csv(rows: list[dict[str, Any]], path: Path) -> Path:
    """CSV as Excel writes it in half of the world: semicolons and decimal commas."""

    def field(value: Any) -> str:
        if value is None:
            return ""
        return f"{value:.4f}".replace(".", ",") if isinstance(value, float) else value

    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow(rows[0])
        writer.writerows([field(x) for x in row.values()] for row in rows)
    return path


def as_workbook(sheets: dict[str, list[list[Any]]], path: Path) -> Path:
    """A workbook with these rows in its sheets, as little of the format as Excel needs."""
    space = "http://schemas.openxmlformats.org"
    office, main = f"{space}/officeDocument/2006/relationships", f"{space}/spreadsheetml/2006/main"
    package = f"{space}/package/2006"
    head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
    names = list(enumerate(sheets, 1))
    listed = "".join(f'<sheet name="{escape(n)}" sheetId="{i}" r:id="r{i}"/>' for i, n in names)
    related = "".join(
        f'<Relationship Id="r{i}" Type="{office}/worksheet" Target="worksheets/sheet{i}.xml"/>'
        for i, _ in names
    )
    of_sheet = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = "".join(
        f'<Override PartName="/xl/worksheets/sheet{i}.xml" ContentType="{of_sheet}.worksheet+xml"/>'
        for i, _ in names
    )
    files = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"><Default Extension="rels" '
        f'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override '
        f'PartName="/xl/workbook.xml" ContentType="{of_sheet}.sheet.main+xml"/>{parts}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
        f'Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>{listed}'
        f"</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">{related}'
        f"</Relationships>",
    }
    for i, name in names:
        rows = "".join(_row(number, row) for number, row in enumerate(sheets[name], 1))
        files[f"xl/worksheets/sheet{i}.xml"] = (
            f'<worksheet xmlns="{main}"><sheetData>{rows}</sheetData></worksheet>'
        )
    with zipfile.ZipFile(path, "w") as made:
        for name, text in files.items():
            made.writestr(name, head + text)
    return path


def _row(number: int, values: list[Any]) -> str:
    cells = "".join(
        _cell(f"{_letters(j)}{number}", x) for j, x in enumerate(values) if x is not None
    )
    return f'<row r="{number}">{cells}</row>'


def _cell(place: str, value: Any) -> str:
    if isinstance(value, (int, float)):
        return f'<c r="{place}"><v>{value}</v></c>'
    return f'<c r="{place}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'


def _letters(j: int) -> str:
    return (chr(64 + j // 26) if j >= 26 else "") + chr(65 + j % 26)
