"""The page of the coverage simulation is made from its record, which can be renewed in parts."""

import re
import sys
from pathlib import Path

import pytest
from benchmarks.coverage import pages, record
from benchmarks.coverage.__main__ import by_part, main
from benchmarks.coverage.bounds import Amount, Bound, Rate
from benchmarks.coverage.record import Part
from benchmarks.coverage.tasks import Done, parts, tasks


def test_the_record_has_every_part() -> None:
    held = record.read()
    assert list(held) == parts()
    small = [name for name, part in held.items() if part.data_sets < 1000]
    assert set(small) <= {
        "audit",
        "versions",
        "fields",
        "few clusters",
        "judge kit",
        "tuned decisions",
    }
    assert min(part.data_sets for part in held.values()) >= 200


def test_the_page_says_what_the_record_says() -> None:
    assert record.PAGE.read_text(encoding="utf-8") == pages.as_page(record.read())


def test_every_table_can_be_downloaded(tmp_path: Path) -> None:
    pages.write_tables(record.read(), tmp_path)
    page = record.PAGE.read_text(encoding="utf-8")
    titles = [title for title, _ in pages._TABLES.values() if title]
    assert [t for t in titles if f"- **{t}.** " not in page] == []
    linked = set(re.findall(r"<_tables/([^>]+)>", page))
    assert linked == {file.name for file in tmp_path.iterdir()}
    rows = (tmp_path / "intervals-of-one-model-k-3.csv").read_text().splitlines()
    assert rows[0].startswith("measure,50 balanced,")
    assert rows[1].startswith("accuracy,0.9")
    assert len(page.partition(":::")[0].split()) < 420


def test_no_rate_of_the_record_breaks_its_bound() -> None:
    rates = [x for part in record.read().values() for x in part.found if isinstance(x, Rate)]
    assert len(rates) > 4000
    assert [r for r in rates if r.broken] == []


FOUND = [
    Rate("clusters", "accuracy", "10", 9, 10, Bound(0.9, 1.0, 'few "errors"')),
    Rate("clusters", "accuracy", "20", 8, 10),
    Rate("clusters", "cem_ord", "10", 0, 0, Bound(0.9, 1.0, 'few "errors"')),
    Amount("models that may be best", 'odd],"name', "M = 5", 1.84),
]


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "coverage.json"
    given = {"clusters": Part(10, FOUND[:3], seed=3), "many": Part(20, FOUND[3:])}
    record.write(given, ["many", "one", "clusters"], path)
    assert list(record.read(path).items()) == list(reversed(given.items()))
    assert record.read(tmp_path / "none.json") == {}


def test_what_tasks_find_is_gathered_by_part() -> None:
    chosen = [t for t in tasks(10) if t.name in ("clusters", "weights")][:4]
    assert [t.name for t in chosen] == ["clusters", "clusters", "clusters", "weights"]
    made = by_part(chosen, [Done([x], 0.0) for x in FOUND], 10)
    assert made == {"clusters": Part(10, FOUND[:3]), "weights": Part(10, FOUND[3:])}


def test_one_part_is_renewed_and_the_others_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, page = tmp_path / "coverage.json", tmp_path / "coverage.md"
    record.write({"clusters": Part(10, FOUND[:3]), "weights": Part(10, FOUND[:1])}, parts(), path)
    monkeypatch.setattr(record, "RECORD", path)
    monkeypatch.setattr(record, "PAGE", page)
    words = ["coverage", "--only", "weights", "--data-sets", "4", "--write"]
    monkeypatch.setattr(sys, "argv", words)
    main()
    held = record.read()
    assert held["clusters"] == Part(10, FOUND[:3])
    assert held["weights"].data_sets == 4
    assert len(held["weights"].found) == 48
    assert page.read_text(encoding="utf-8") == pages.as_page(held)
