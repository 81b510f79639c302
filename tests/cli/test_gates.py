"""Gates: values, ends of intervals, and how many items may be dropped."""

from __future__ import annotations

import csv
from pathlib import Path
from xml.etree import ElementTree

import pytest
from commands import COLUMNS, GRADES, WINE, refused, run

import ordeval as oe

ONE = ["score", WINE, "--truth", "quality", "--pred", "forest", *GRADES]
# 20 items of 200 have a prediction, and those are right.
HOLES = "y,p,q,s\n" + "1,1,1,a\n2,2,2,b\n" * 10 + "1,,,a\n2,,,b\n" * 90
PAIR = ["--truth", "y", "--pred", "p", "--labels", "1,2", "--drop-missing"]


@pytest.fixture
def holes(tmp_path: Path) -> str:
    path = tmp_path / "holes.csv"
    path.write_text(HOLES)
    return str(path)


@pytest.mark.parametrize(
    ("gate", "code"),
    [
        ("cem_ord.low=0.74", 0),  # 0.7593 [0.743, 0.775]
        ("cem_ord.low=0.75", 1),
        ("average_mae.high=1.04", 0),  # 0.9421 [0.859, 1.031]
        ("average_mae.high=1.0", 1),
    ],
)
def test_a_gate_on_the_end_of_an_interval(gate: str, code: int) -> None:
    for command in ("score", "compare"):
        done = run(command, *ONE[1:], "--fail-under", gate)
        assert done.returncode == code
        name = gate.partition("=")[0]
        assert done.stderr.startswith(f"gate failed: forest has {name} ") is bool(code)


def test_a_gate_on_an_end_in_every_subgroup(tmp_path: Path) -> None:
    path = tmp_path / "sites.csv"
    path.write_text("s,y,p,q\n" + "a,1,1,1\na,2,2,2\nb,1,1,1\nb,2,1,2\n" * 30)
    by = [str(path), "--truth", "y", "--pred", "p", "--labels", "1,2", "--by", "s"]
    for command in ("score", "compare"):
        done = run(command, *by, "--fail-under", "accuracy.low=0.6")
        assert (done.returncode, done.stderr.count("\n")) == (1, 1)
        assert done.stderr.startswith("gate failed: p in b has accuracy.low 0.3")


def test_a_subgroup_that_has_no_value_fails_a_gate(tmp_path: Path) -> None:
    path = tmp_path / "sites.csv"
    path.write_text("s,y,p,q\n" + "a,1,1,1\na,2,2,2\n" * 30 + "b,1,,\n")
    by = [str(path), *PAIR, "--by", "s", "--pred", "q", "--fail-under", "accuracy=0.5"]
    for command in ("score", "compare"):
        done = run(command, *by)
        assert done.returncode == 1
        assert "no value of accuracy; 0.5 or better is required" in done.stderr


WRONG = {
    "cem_ord.high=0.7": "for cem_ord, higher is better: use cem_ord.low=VALUE, not cem_ord.high.",
    "average_mae.low=1": "lower is better: use average_mae.high=VALUE, not average_mae.low.",
    "mean_signed_error.low=0": "because closer to 0 is better.",
    "cem_ord.middle=0.7": "use cem_ord.low=VALUE, not cem_ord.middle.",
    "cem.low=0.7": "Did you mean cem_ord",
    "cem_ord.low": "--fail-under takes metric=value",
    "mean_absolute_error=inf": "a value that the measure can have",
}


@pytest.mark.parametrize(("gate", "message"), WRONG.items())
def test_a_gate_that_says_the_opposite(gate: str, message: str) -> None:
    for command in ("score", "compare", "report"):
        assert message in refused(command, *ONE[1:], "--fail-under", gate, "-o", "out.md")


def test_an_end_needs_an_interval() -> None:
    message = refused(*ONE, "--no-intervals", "--fail-under", "cem_ord.low=0.7")
    assert "cem_ord.low needs intervals: remove --no-intervals." in message
    # Weights alone give no interval, and one item none that is defined.
    done = run(
        "score", "-", "--confusion", "--fail-under", "accuracy.low=0.1", given="1.5 0; 0 1.5"
    )
    assert done.returncode == 1
    assert "has no value of accuracy.low; 0.1 or better" in done.stderr


def test_a_bias_is_judged_by_its_size() -> None:
    given = "10 10; 0 10"  # a third of a step too high
    gate = ["score", "-", "--confusion", "--metric", "accuracy", "--fail-under"]
    assert run(*gate, "mean_signed_error=0.4", given=given).returncode == 0
    assert run(*gate, "mean_signed_error=0.3", given=given).returncode == 1
    assert run(*gate, "mean_signed_error=-0.4", given=given).returncode == 0


def test_a_miss_too_small_to_see_is_shown() -> None:
    done = run("score", "-", "--confusion", "--fail-under", "accuracy=0.66667", given="2 0; 1 0")
    assert "has accuracy 0.6667; 0.66667 or better" in done.stderr
    done = run("score", "-", "--confusion", "--fail-under", "accuracy=0.6667", given="2 0; 1 0")
    assert "has accuracy 0.6666666666666666; 0.6667 or better" in done.stderr


@pytest.mark.parametrize("command", ["score", "compare"])
def test_a_gate_is_not_passed_by_dropping(command: str, holes: str) -> None:
    gate = [command, holes, *PAIR, "--fail-under", "weighted_kappa=0.9"]
    done = run(*gate)
    assert done.returncode == 1
    assert "180 of 200 items" in done.stderr
    assert "(90.0%) were dropped; --max-dropped allows 10%" in done.stderr
    assert run(*gate, "--max-dropped", "90%").returncode == 0
    assert run(command, holes, *PAIR).returncode == 0  # without a gate it is told, no more


def test_a_report_has_gates(holes: str, tmp_path: Path) -> None:
    out = tmp_path / "out.md"
    done = run(
        "report", holes, *PAIR, "--pred", "q", "-o", str(out), "--fail-under", "accuracy=0.5"
    )
    assert (done.returncode, out.exists()) == (1, True)
    assert "gate failed: 180 of 200 items (90.0%) were dropped" in done.stderr


@pytest.mark.parametrize(
    ("most", "code"),
    [
        ("90%", 0), ("89.9%", 1), ("0.9", 0), (".9", 0), ("0.89", 1), ("180", 0), ("179", 1),
        ("0", 1), ("0%", 1), ("100%", 0), (" 90 % ", 0), ("1", 1),
    ],
)  # fmt: skip
def test_how_much_may_be_dropped(most: str, code: int, holes: str) -> None:
    for command in ("score", "compare"):
        assert run(command, holes, *PAIR, "--max-dropped", most).returncode == code


@pytest.mark.parametrize("most", ["1.0", "1.5", "101%", "-1", "ten", "5 %%", "1e-2", "nan", "٥%"])
def test_what_is_no_amount(most: str, holes: str) -> None:
    for command in ("score", "compare", "report"):
        message = refused(command, holes, *PAIR, "--max-dropped", most, "-o", "out.md")
        assert "--max-dropped takes a share, such as 5% or 0.05, or a whole number" in message


def test_a_share_is_exact(tmp_path: Path) -> None:
    path = tmp_path / "third.csv"
    path.write_text("y,p\n" + "1,1\n2,2\n" * 35 + "2,2\n" + "1,\n" * 29)
    # 0.29 * 100 is a little less than 29 in floating point.
    assert run("score", str(path), *PAIR, "--max-dropped", "29%").returncode == 0
    assert run("score", str(path), *PAIR, "--max-dropped", "0.28").returncode == 1


@pytest.mark.parametrize("command", ["score", "compare"])
def test_everything_that_drops_counts(command: str, tmp_path: Path) -> None:
    path = tmp_path / "all.csv"
    rows = "1,1,1,a,k,1\n2,2,2,b,l,1\n1,1,1,a,m,1\n2,2,2,b,n,1\n" * 10
    path.write_text(
        f"y,p,q,s,c,w\n{rows}9,1,1,a,k,1\n1,9,1,a,k,1\n1,,1,a,k,1\n1,1,1,a,,1\n1,1,1,,k,1\n"
    )
    drop = [str(path), "--truth", "y", "--pred", "p", "--labels", "1,2", "--drop-missing",
            "--drop-unknown"]  # fmt: skip
    for more, dropped in (
        ([], 3), (["--weight", "w"], 3), (["--clusters", "c"], 4), (["--by", "s"], 4),
        (["--by", "s", "--clusters", "c"], 5),
    ):  # fmt: skip
        assert run(command, *drop, *more, "--max-dropped", str(dropped)).returncode == 0
        done = run(command, *drop, *more, "--max-dropped", str(dropped - 1))
        assert done.returncode == 1, more
        assert f"gate failed: {dropped} of 45 items" in done.stderr


def test_items_without_a_subgroup_are_told(tmp_path: Path) -> None:
    path = tmp_path / "sites.csv"
    path.write_text("s,y,p,q\n" + "a,1,1,1\nb,2,2,1\n" * 20 + ",1,1,1\n,2,2,1\n")
    by = ["compare", str(path), *PAIR, "--pred", "q", "--by", "s"]
    shown = " ".join(run(*by).stdout.split())
    assert "2 items without a value in s were dropped." in shown


def test_gates_of_a_comparison() -> None:
    done = run("compare", WINE, *COLUMNS, *GRADES, "--fail-under", "accuracy=0.6")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith("gate failed: logistic has accuracy 0.5966; 0.6 or better")


def test_a_gate_on_the_gain_over_a_reference() -> None:
    # forest against logistic: +0.0787 [+0.0618, +0.0952] by cem_ord
    words = ["compare", WINE, *COLUMNS, *GRADES, "--metric", "cem_ord", "--reference"]
    for gate, code in (("delta.low=0.06", 0), ("delta.low=0.07", 1), ("delta=0.07", 0)):
        assert run(*words, "logistic", "--fail-under", gate).returncode == code, gate
    done = run(*words, "forest", "--fail-under", "delta.low=-0.09")
    assert done.returncode == 1
    assert "gate failed: logistic against forest has delta.low -0.0952; -0.09 or" in done.stderr
    assert run(*words, "forest", "--fail-under", "delta.low=-0.1").returncode == 0


def test_a_gain_is_better_also_where_lower_is() -> None:
    words = ["compare", WINE, *COLUMNS, *GRADES, "--metric", "mean_absolute_error"]
    ahead = run(*words, "--reference", "logistic", "--fail-under", "delta.low=0", "--show-gates")
    assert ahead.returncode == 0
    assert "gate passed: forest against logistic has delta.low 0.0951; 0 or" in ahead.stderr
    behind = run(*words, "--reference", "forest", "--fail-under", "delta.low=0")
    assert behind.returncode == 1
    with open(WINE, newline="") as file:
        rows = list(csv.DictReader(file))
    y, a, b = ([int(row[c]) for row in rows] for c in ("quality", "forest", "logistic"))
    d = oe.paired_delta("mean_absolute_error", y, a, b, labels=oe.Scale.range(3, 8))
    assert round(-d.high, 4) == 0.0951


@pytest.mark.parametrize(
    ("gate", "message"),
    [
        ("delta.high=0", "higher is better: use delta.low=VALUE, not delta.high."),
        ("delta.low=nan", "--fail-under takes metric=value"),
        ("delta.low", "--fail-under takes metric=value"),
    ],
)
def test_a_gain_that_cannot_be_judged(gate: str, message: str) -> None:
    words = ["compare", WINE, *COLUMNS, *GRADES, "--reference", "forest", "--fail-under", gate]
    assert message in refused(*words)


def test_a_gain_needs_a_reference() -> None:
    for command in ("score", "compare"):
        message = refused(command, *ONE[1:], "--fail-under", "delta.low=0")
        assert "is the gain over a reference model" in message


SITES = "s,y,p,q\n" + "a,1,1,1\na,2,2,2\nb,1,1,1\nb,2,1,2\n" * 30


def test_a_gate_of_the_whole_beside_subgroups(tmp_path: Path) -> None:
    path = tmp_path / "sites.csv"
    path.write_text(SITES)
    by = [str(path), "--truth", "y", "--pred", "p", "--labels", "1,2", "--by", "s"]
    for command in ("score", "compare"):
        # 0.75 of all, 0.5 in b
        assert run(command, *by, "--fail-under", "accuracy=0.7").returncode == 1
        assert run(command, *by, "--fail-under", "whole:accuracy=0.7").returncode == 0
        done = run(command, *by, "--fail-under", "whole:accuracy.low=0.7")
        assert (done.returncode, done.stderr.count("\n")) == (1, 1)
        assert done.stderr.startswith("gate failed: p has accuracy.low 0.6")
    message = refused("compare", "-", *by[1:], "--fail-under", "whole:accuracy=0.7", given=SITES)
    assert "standard input cannot be used" in message
    assert run("score", "-", *by[1:], "--fail-under", "whole:accuracy=0.7", given=SITES)[0] == 0


def test_a_subgroup_called_whole_makes_a_gate_of_the_whole_ambiguous(tmp_path: Path) -> None:
    path = tmp_path / "sites.csv"
    path.write_text(SITES.replace("\na,", "\nwhole,"))
    by = [str(path), "--truth", "y", "--pred", "p", "--labels", "1,2", "--by", "s"]
    for command in ("score", "compare"):
        message = refused(command, *by, "--fail-under", "whole:accuracy=0.7")
        assert "means all items, but a subgroup is also called 'whole'. Rename" in message
        assert run(command, *by, "--fail-under", "b:accuracy=0.4").returncode == 0
    output = str(tmp_path / "report.html")
    message = refused("report", *by, "-o", output, "--fail-under", "whole:accuracy=0.7")
    assert "a subgroup is also called 'whole'" in message
    assert not Path(output).exists()


def test_a_gate_of_one_subgroup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "sites.csv"
    path.write_text(SITES.replace("\na,", "\na: x,"))
    by = [str(path), "--truth", "y", "--pred", "p", "--labels", "1,2", "--by", "s"]
    report = ["--pred", "q", "-o", str(tmp_path / "report.html")]
    for command, more in (("score", []), ("compare", []), ("report", report)):
        words = [command, *by, *more, "--show-gates", "--fail-under"]
        done = run(*words, "a: x:accuracy.low=0.9")
        assert done.returncode == 0
        told = done.stderr.splitlines()
        assert told[0].startswith("gate passed: p in a: x has accuracy.low 0.9")
        assert len([t for t in told if "accuracy" in t]) == (2 if more else 1)  # models
        done = run(*words, "b:accuracy=0.7")
        assert (done.returncode, "gate failed: p in b has accuracy 0.5000" in done.stderr) == (1, 1)
        done = run(*words, "bb:accuracy=0.7", "--junit", str(tmp_path / "gates.xml"))
        assert done.returncode == 1
        assert ("gate failed: subgroup 'bb' is not in the data (accuracy of 0.7 or better "
                "required). Did "
                "you mean b?") in done.stderr  # fmt: skip
        assert 'classname="bb:accuracy=0.7" name="bb"' in (tmp_path / "gates.xml").read_text()
        message = refused(command, *by[:-2], *more, "--fail-under", "b:accuracy=0.7")
        assert "is for subgroup 'b': add --by COL" in message
    pair = ["compare", *by, "--pred", "q", "--reference", "q", "--fail-under"]
    for many in (False, True):
        if many:
            monkeypatch.setattr("ordeval.evaluate._comparing_subgroups._IN_FULL", 0)
        assert run(*pair, "a: x:delta=-0.1").returncode == 0
        assert run(*pair, "a: x:accuracy=0.9").returncode == 0
        assert run(*pair, "b:delta=-0.1").returncode == 1
        assert run(*pair, "b:accuracy=0.9").returncode == 1


def test_a_gate_of_a_subgroup_of_several_columns_and_of_one_without_items(tmp_path: Path) -> None:
    path = tmp_path / "sites.csv"
    path.write_text("s,t,y,p\n" + "a,1,1,1\na,1,2,2\nb,1,1,2\nc,1,,1\n" * 9)
    words = ["compare", str(path), "--truth", "y", "--pred", "p", "--labels", "1,2",
             "--by", "s", "--by", "t", "--drop-missing", "--max-dropped", "30%",
             "--fail-under"]  # fmt: skip
    assert run(*words, "a / 1:accuracy=1").returncode == 0
    assert run(*words, "b / 1:accuracy=1").returncode == 1
    done = run(*words, "c / 1:accuracy=0.1")
    assert (done.returncode, "has no value of accuracy" in done.stderr) == (1, True)


def test_quietly(tmp_path: Path) -> None:
    path, out = tmp_path / "sites.csv", tmp_path / "out.csv"
    path.write_text(SITES)
    by = [str(path), "--truth", "y", "--pred", "p", "--labels", "1,2", "--by", "s"]
    report = ["--pred", "q", "-o", str(tmp_path / "report.html")]
    for command, more in (("score", []), ("compare", []), ("report", report)):
        words = [command, *by, *more, "--quiet", "--fail-under", "accuracy=0.4"]
        done = run(*words)
        assert (done.returncode, done.stdout) == (0, "")
        assert done.stderr.splitlines()[-1].endswith(" gates passed")
        assert len(done.stderr.splitlines()) == 1
        done = run(*words[:-1], "accuracy=0.6")
        assert (done.returncode, done.stdout) == (1, "")
        *failed, last = done.stderr.splitlines()
        assert failed == ["gate failed: p in b has accuracy 0.5000; 0.6 or better is required"]
        held, _, of = last.partition(" of ")
        assert int(of.split()[0]) - int(held) == 1
        message = refused(command, *by, *more, "--quiet")
        assert "--quiet needs a gate: add --fail-under." in message
    asked = ["score", *by, "-q", "--fail-under", "accuracy=0.4"]
    plain = run("score", *by, "--fail-under", "accuracy=0.4", "--format", "csv").stdout
    assert run(*asked, "--format", "csv").stdout == plain != ""
    assert run(*asked, "-o", str(out)).stdout == ""
    assert out.read_text() == plain


def test_gains_in_every_subgroup(tmp_path: Path) -> None:
    path = tmp_path / "sites.csv"
    path.write_text(SITES)
    words = ["compare", str(path), "--truth", "y", "--pred", "p", "--pred", "q", "--labels", "1,2",
             "--by", "s", "--metric", "accuracy", "--reference", "q"]  # fmt: skip
    done = run(*words, "--fail-under", "delta=-0.1", "--show-gates")
    assert done.returncode == 1
    assert "gate passed: p against q in a has delta 0.0000" in done.stderr
    assert "gate failed: p against q in b has delta -0.5000" in done.stderr
    whole = run(*words, "--fail-under", "whole:delta=-0.3", "--show-gates")
    assert whole.returncode == 0
    assert "gate passed: p against q has delta -0.2500; -0.3 or better" in whole.stderr


def test_names_in_junit_and_annotations_are_escaped(tmp_path: Path) -> None:
    path, xml = tmp_path / "odd.csv", tmp_path / "out.xml"
    odd = '100% <&> "\x1b\n::error::q'
    path.write_text('y,"' + odd.replace('"', '""') + '"\n' + "1,1\n2,1\n" * 9)
    words = ["score", str(path), "--truth", "y", "--pred", odd, "--labels", "1,2", "--ci", "github"]
    done = run(*words, "--fail-under", "accuracy=0.9", "--junit", str(xml))
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith(
        '::error title=ordeval gate::100%25 <&> "\\x1b\\n::error::q has accuracy'
    )
    case = ElementTree.parse(xml).getroot()[0][0]
    assert case.get("name") == '100% <&> "\\x1b\\n::error::q'
    assert str(case[0].get("message")).endswith("0.9 or better is required")


def test_junit_that_cannot_be(tmp_path: Path) -> None:
    out = str(tmp_path / "out.xml")
    assert "--junit needs a gate: add --fail-under." in refused(*ONE, "--junit", out)
    gate = [*ONE, "--fail-under", "accuracy=0.1"]
    assert "there is no such folder" in refused(*gate, "--junit", str(tmp_path / "no" / "out.xml"))
    message = refused(*gate, "--junit", out, "-o", out, "--format", "text")
    assert f"--junit {out!r} is given twice." in message
    assert "--ci must be github; got 'gitlab'." in refused(*gate, "--ci", "gitlab")
    assert not Path(out).exists()
