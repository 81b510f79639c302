"""Texts that hold a matrix and texts that hold none, for the command and for the explorer alike."""

import random
from typing import Final

ROWS: Final = (("26", "4", "1"), ("3", "5", "4"), ("0", "3", "10"))
_TABULAR: Final = r"""
\begin{table}\centering\caption{Model A}
\begin{tabular}{l@{}ccc|c} \toprule
 & \multicolumn{3}{c}{Predicted} \\ \cmidrule(lr){2-4}
Actual & I & II & III & Total \\ \midrule
I & \textbf{26} & $4$ & 1 & 31 \\[2pt] % as printed
II & 3 & \cellcolor{blue!20}5 & 4 & 12 \\ \hline
III & 0 & 3 & {10} & 13 \\ \bottomrule
\end{tabular}\end{table}
"""
_MARKDOWN: Final = "| |a|b|c|\n|:-|-:|-:|-:|\n|a|**26**|4|1|\n|b|3|5|4|\n|c|0|3|10|"
_CROSSTAB: Final = (
    "Predicted   1   2   3  All\nTrue\n1          26   4   1   31\n2           3   5   4   12\n"
    "3           0   3  10   13\nAll        29  12  15   56"
)
_BOX: Final = "  │ a │ b │ c\n──┼───┼───┼──\na │ 26 │ 4 │ 1\nb │ 3 │ 5 │ 4\nc │ 0 │ 3 │ 10"

# Counts with their shares of the class.
_BESIDE: Final = [
    ["26 (84%)", "4 (13%)", "1 (3%)"],
    ["3 (25%)", "5 (42%)", "4 (33%)"],
    ["0 (0%)", "3 (23%)", "10 (77%)"],
]
_NAMED: Final = [[name, *row] for name, row in zip("abc", _BESIDE, strict=True)]
_SUMS: Final = ["31 (100%)", "12 (100%)", "13 (100%)"]

# Each holds ROWS; beside it, the names of the levels.
ACCEPTED: Final = {
    "lines": ("26 4 1\n3 5 4\n0 3 10", ()),
    "windows": ("\ufeff26 4 1\r\n3 5 4\r\n\r\n0 3 10\r\n", ()),
    "semicolons": ("26 4 1; 3 5 4; 0 3 10", ()),
    "semicolons and lines": ("26 4 1;\n3 5 4;\n0 3 10;", ()),
    "commas": ("26,4,1\n3,5,4\n0,3,10\n", ()),
    "European CSV": ("26;4;1\n3;5;4\n0;3;10\n", ()),
    "spaces of a page": ("26\u00a04\u20091\n3 5 4\n0 3 10", ()),
    "Python": ("[[26, 4, 1], [3, 5, 4], [0, 3, 10]]", ()),
    "Python, said": ("cm = [\n  [26, 4, 1],\n  [3, 5, 4],\n  [0, 3, 10],\n]", ()),
    "tuples": ("((26, 4, 1), (3, 5, 4), (0, 3, 10))", ()),
    "NumPy": ("array([[26,  4,  1],\n       [ 3,  5,  4],\n       [ 0,  3, 10]])", ()),
    "NumPy, said": ("cm = np.array([[26,4,1],[3,5,4],[0,3,10]], dtype=np.int64)", ()),
    "NumPy, printed": ("[[26  4  1]\n [ 3  5  4]\n [ 0  3 10]]", ()),
    "a row on two lines": ("[[26\n  4 1]\n [ 3  5  4]\n [ 0  3 10]]", ()),
    "PyTorch": ("tensor([[26, 4, 1], [3, 5, 4], [0, 3, 10]], device='cuda:0')", ()),
    "MATLAB": ("[26 4 1; 3 5 4; 0 3 10]", ()),
    "MATLAB, said": ("C = [26, 4, 1\n     3 ...\n 5 4\n     0 3 10];", ()),
    "Mathematica": ("{{26, 4, 1}, {3, 5, 4}, {0, 3, 10}}", ()),
    "LaTeX": ("26 & 4 & 1 \\\\\n3 & 5 & 4 \\\\\n0 & 3 & 10 \\\\", ()),
    "LaTeX on a line": (r"\begin{pmatrix} 26 & 4 & 1 \\ 3 & 5 & 4 \\ 0 & 3 & 10 \end{pmatrix}", ()),
    "LaTeX, named": (
        "I & 26 & 4 & 1 \\\\\nII & 3 & 5 & 4 \\\\ \\hline\nR\\&D & 0 & 3 & 10", ("I", "II", "R&D"),
    ),
    "tabular": (_TABULAR, ("I", "II", "III")),
    "Markdown": (_MARKDOWN, ("a", "b", "c")),
    "box": (_BOX, ("a", "b", "c")),
    "pandas": (_CROSSTAB, ("1", "2", "3")),
    "R": (
        "     pred\ntruth  I II III\n  I   26  4   1\n  II   3  5   4\n  III  0  3  10",
        ("I", "II", "III"),
    ),
    "spreadsheet": ("\ta\tb\tc\na\t26\t4\t1\nb\t3\t5\t4\nc\t0\t3\t10", ("a", "b", "c")),
    "names above": ("x,y,z\n26,4,1\n3,5,4\n0,3,10", ("x", "y", "z")),
    "numbers above": ("1,2,3\n26,4,1\n3,5,4\n0,3,10", ("1", "2", "3")),
    "numbers to the left": ("4 26 4 1\n5 3 5 4\n6 0 3 10", ("4", "5", "6")),
    "numbers to the left, names above": ("a b c\n1 26 4 1\n2 3 5 4\n3 0 3 10", ("a", "b", "c")),
    "another case": (
        "\tLow\tMid\tTop\nlow\t26\t4\t1\nmid\t3\t5\t4\ntop\t0\t3\t10", ("Low", "Mid", "Top"),
    ),
    "sums called n": (
        "\ta\tb\tc\tn\na\t26\t4\t1\t31\nb\t3\t5\t4\t12\nc\t0\t3\t10\t13\nN\t29\t12\t15\t56",
        ("a", "b", "c"),
    ),
    "a level called n": ("\ta\tb\tn\na\t26\t4\t1\nb\t3\t5\t4\nn\t0\t3\t10", ("a", "b", "n")),
    "shares with decimal commas": (
        (";a;b;c;n\na;26 (83,9%);4 (12,9%);1 (3,2%);31\nb;3 (25,0%);5 (41,7%);4 (33,3%);12\n"
        "c;0 (0,0%);3 (23,1%);10 (76,9%);13"),
        ("a", "b", "c"),
    ),
    "ordeval, as text": (
        ("ConfusionMatrix of 56 items, rows truth, columns prediction\n"
        "    0  1   2\n0  26  4   1\n1   3  5   4\n2   0  3  10"),
        ("0", "1", "2"),
    ),
    "ordeval, as Markdown": (
        "## Confusion matrix\n\nConfusionMatrix of 56 items, rows truth, columns prediction\n\n"
        + _MARKDOWN,
        ("a", "b", "c"),
    ),
    "ordeval, as JSON": (
        ('{"kind": "ordeval.confusion_matrix", "scale": ["a", "b", "c"], '
        '"counts": [[26, 4, 1], [3, 5, 4], [0, 3, 10]]}'),
        ("a", "b", "c"),
    ),
    "case tells them apart": (",a,A,b\na,26,4,1\nA,3,5,4\nb,0,3,10", ("a", "A", "b")),
    "JAX": ("Array([[26, 4, 1], [3, 5, 4], [0, 3, 10]], dtype=int32)", ()),
    "names to the left": ("x 26 4 1\ny 3 5 4\nz 0 3 10", ("x", "y", "z")),
    "numbers for names": ("truth,1,2,3\n1,26,4,1\n2,3,5,4\n3,0,3,10", ("1", "2", "3")),
    "quoted": ('"very low" 26 4 1\n"a ""b""" 3 5 4\nhigh 0 3 10', ("very low", 'a "b"', "high")),
    "quoted commas": (
        'truth,"a, b",c,d\n"a, b",26,4,1\nc,3,5,4\nd,0,3,10', ("a, b", "c", "d"),
    ),
    "predicted and true": (
        ",pred a,pred b,pred c\ntrue a,26,4,1\ntrue b,3,5,4\ntrue c,0,3,10",
        ("pred a", "pred b", "pred c"),
    ),
    "a name is missing": (",a,,c\na,26,4,1\n,3,5,4\nc,0,3,10", ("a", "2", "c")),
    "usual corner": ("Actual\\Predicted,a,b,c\na,26,4,1\nb,3,5,4\nc,0,3,10", ("a", "b", "c")),
    "usual corner, swapped": (
        "Predicted → / Actual ↓,a,b,c\na,26,4,1\nb,3,5,4\nc,0,3,10", ("a", "b", "c"),
    ),
    "usual, above": (",Prediction,,\n,a,b,c\na,26,4,1\nb,3,5,4\nc,0,3,10", ("a", "b", "c")),
    "other words": ("Models\nstage,a,b,c\na,26,4,1\nb,3,5,4\nc,0,3,10", ("a", "b", "c")),
    "a title in words": (
        "The true cost of model A\n  a b c\na 26 4 1\nb 3 5 4\nc 0 3 10", ("a", "b", "c"),
    ),
    "levels that are such words": (
        "x,Predicted,Actual,Gold\nPredicted,26,4,1\nActual,3,5,4\nGold,0,3,10",
        ("Predicted", "Actual", "Gold"),
    ),
    "such words above": ("gold,silver,true\n26,4,1\n3,5,4\n0,3,10", ("gold", "silver", "true")),
    "such words to the left": ("pred 26 4 1\ntrue 3 5 4\nx 0 3 10", ("pred", "true", "x")),
    "a level in the corner": (
        "gold,gold,silver,bronze\ngold,26,4,1\nsilver,3,5,4\nbronze,0,3,10",
        ("gold", "silver", "bronze"),
    ),
    "levels above their counts": ("gold\n26 4 1\nsilver\n3 5 4\nbronze\n0 3 10", ()),
    "levels that share such a word": (
        ",model 1,model 2,model 3\nmodel 1,26,4,1\nmodel 2,3,5,4\nmodel 3,0,3,10",
        ("model 1", "model 2", "model 3"),
    ),
    "counts and shares": ("\n".join(map(" ".join, _BESIDE)), ()),
    "shares with a fraction": (
        "26 (83.9) 4 (12.9) 1 (3.2)\n3 (25.0) 5 (41.7) 4 (33.3)\n0 (0.0) 3 (23.1) 10 (76.9)", (),
    ),
    "shares first": (
        "84% (26),13% (4),3% (1)\n25% (3),42% (5),33% (4)\n0% (0),23% (3),77% (10)", (),
    ),
    "fractions first": (
        "83.9 (26) 12.9 (4) 3.2 (1)\n25.0 (3) 41.7 (5) 33.3 (4)\n0.0 (0) 23.1 (3) 76.9 (10)", (),
    ),
    "counts, shares and sums": (
        "\ta\tb\tc\tTotal\n"
        + "\n".join("\t".join([*row, n]) for row, n in zip(_NAMED, _SUMS, strict=True))
        + "\nTotal\t29\t12\t15\t56", ("a", "b", "c"),
    ),
    "blanks around shares": ("26 ( 84 % )\t4(13%)\t1 (3%)\n3\t5\t4\n0\t3\t10", ()),
    "shares in LaTeX": (
        " \\\\\n".join(" & ".join(row).replace("%", "\\%") for row in _NAMED), ("a", "b", "c"),
    ),
    "shares in Markdown": (
        "| |a|b|c|\n|-|-|-|-|\n" + "\n".join(f"|{'|'.join(row)}|" for row in _NAMED),
        ("a", "b", "c"),
    ),
    "JSON": (
        '{"levels": ["p", "q", "r"], "counts": [[26, 4, 1], [3, 5, 4], [0, 3, 10]]}',
        ("p", "q", "r"),
    ),
    "JSON of the page": ('{"counts": [[26, 4, 1], [3, 5, 4], [0, 3, 10]], "measures": {}}', ()),
}  # fmt: skip

_TURNED_TABULAR: Final = r"""
\begin{tabular}{lccc} \toprule
 & \multicolumn{3}{c}{True} & \\ \cmidrule(lr){2-4}
Predicted & I & II & III & Total \\ \midrule
I & 26 & 3 & 0 & 29 \\ II & 4 & 5 & 3 & 12 \\ III & 1 & 4 & 10 & 15 \\
\end{tabular}
"""
_LINES: Final = "\na,26,3,0\nb,4,5,3\nc,1,4,10"
_PRINTED: Final = "\na 26 3 0\nb 4 5 3\nc 1 4 10"
_MARKED: Final = "\n|-|-|-|-|" + "".join(f"\n|{x.replace(',', '|')}|" for x in _LINES.split())
_ENDED: Final = _LINES[1:].replace(",", " & ").replace("\n", " \\\\\n")

# Each holds ROWS with rows and columns swapped, and says so; beside it, the words that do.
TURNED: Final = {
    "caret": (
        "      Reference\nPrediction  a  b  c\n    a 26  3  0\n    b  4  5  3\n    c  1  4 10",
        "Reference, Prediction",
    ),
    "caret, titled": (f"Confusion Matrix and Statistics\n\n Reference\nPrediction a b c{_PRINTED}",
                      "Reference, Prediction"),
    "caret, truth values": (f" TRUTH\npred FALSE NA TRUE{_PRINTED}".replace("\na", "\nFALSE")
                            .replace("\nb", "\nNA").replace("\nc", "\nTRUE"), "TRUTH, pred"),
    "corner": (f"Predicted\\Actual,a,b,c{_LINES}", "Predicted\\Actual"),
    "corner, more words": (f"Predicted class / True class,a,b,c{_LINES}",
                           "Predicted class / True class"),
    "corner, arrows": (f"Actual → / Predicted ↓,a,b,c{_LINES}", "Actual → / Predicted ↓"),
    "corner, in brackets": (f"actual (columns) / forecast (rows),a,b,c{_LINES}",
                            "actual (columns) / forecast (rows)"),
    "left": (f"model output,a,b,c{_LINES}", "model output"),
    "above": (f",observed,,\n,a,b,c{_LINES}", "observed"),
    "label above": (f",Label,,\n,a,b,c{_LINES}", "Label"),
    "above plain numbers": ("Gold standard,,\n26,3,0\n4,5,3\n1,4,10", "Gold standard"),
    "in one line above": (f"Predicted,y_true,,\n,a,b,c{_LINES}", "Predicted, y_true"),
    "in words": (f"Confusion matrix (rows: predicted, columns: actual)\n   a b c{_PRINTED}",
                 "Confusion matrix (rows: predicted, columns: actual)"),
    "Markdown": (f"| Predicted | a | b | c |{_MARKED}", "Predicted"),
    "Markdown, bold": (f"| **Predicted** | a | b | c |{_MARKED}", "Predicted"),
    "pandas": (f"actual     a  b  c\npredicted         {_PRINTED}", "predicted, actual"),
    "pandas, rows called otherwise": (f"actual a b c\nforest{_PRINTED}", "actual"),
    "pandas, numbers": (
        "actual 1 2 3 All\npredicted\n1 26 3 0 29\n2 4 5 3 12\n3 1 4 10 15\nAll 31 12 13 56",
        "predicted, actual",
    ),
    "tabular": (_TURNED_TABULAR, "True, Predicted"),
    "multirow": (
        rf"\multirow{{2}}{{*}}{{Predicted}} & {{Stage}} \\ & a & b & c \\ {_ENDED}",
        "Predicted",
    ),
    "diagbox": (f"\\diagbox{{Predicted}}{{Actual}} & a & b & c \\\\\n{_ENDED}",
                "Predicted / Actual"),
    "LaTeX, arrows": (f"True $\\rightarrow$ Pred $\\downarrow$ & a & b & c \\\\\n{_ENDED}",
                      "True \\rightarrow Pred \\downarrow"),
    "names": (",true a,true b,true c\npred a,26,3,0\npred b,4,5,3\npred c,1,4,10", "pred, true"),
    "names to the left": (",a,b,c\npred_a,26,3,0\npred_b,4,5,3\npred_c,1,4,10", "pred"),
}  # fmt: skip

# What is said of each, in both; what is quoted is in other quotation marks on the page.
REFUSED: Final[dict[str, str]] = {
    "": "there are no numbers",
    "truth": "there are no numbers",
    "patient,stage,model\nP1,I,II\nP2,III,III": "there are no numbers",
    "1 2\n3": "must form a square, one row for each true level; the lengths of the rows: 2, 1.",
    "1 2 3\n4 5 6": "the lengths of the rows: 3, 3.",  # not names to the left: 1, 4
    "1 2 4\n26 4 1\n3 5 4\n0 3 10": "the lengths of the rows: 3, 3, 3, 3.",
    "1 2 3 4\n": "must form a square",
    "1 x\n3 4": "in row 1 is not a count",
    "x 2\n3 4": "in row 1 is not a count",
    "1,234 5\n6,789 8": "has a comma within, and blanks separate the counts: write 1234.",
    "1,234 5 6": "has a comma within, and blanks separate the counts: write 1234.",
    "7 8 9\n1 2 3\n4 5,678,901 6": "and blanks separate the counts: write 5678901.",
    "1,234 5 6\n7 8 9\n1 2 3": "in row 1 is not a count",
    "1 000,5\n6,7": "in row 1 is not a count",
    "84% 3% 13%\n2 3 4\n3 4 5": "these are percentages",
    "84% 13% 3%\n25% 42% 33%\n0% 23% 77%": "but counts are needed",
    ",a,b\na,84.5%,15.5%\nb,20%,80%": "these are percentages",
    "1,84%,16%\n2,20%,80%": "these are percentages",
    "84 % 16 %\n20 % 80 %": "these are percentages",
    "a & 84\\% & 16\\% \\\\\nb & 20\\% & 80\\% \\\\": "these are percentages",
    '{"counts": [["84%", "16%"], ["20%", "80%"]]}': "these are percentages",
    "1 2\n3 nan": "in row 2 is not a count",
    "1.234 5\n6 7.890": "a point between thousands, or be a fraction: write 1234 or 1.2340.",
    "1.234;5\n6;7": "may have a point between thousands",
    ",a,b\na,1.234,12\nb,5,7.890": "may have a point between thousands",
    "[[1.234, 5], [6, 7.890]]": "may have a point between thousands",
    "1.234.567 5\n6 7": "in row 1 is not a count",
    "1'234 5\n6 7": "in row 1 is not a count",
    "1 234\t5\n6\t7": "in row 1 is not a count",
    "1.234,5\t6\n7\t8": "in row 1 is not a count",
    "0.84 0.13 0.03\n0.25 0.42 0.33\n0 0.23 0.77": "ach row sums to 1: these are shares, but",
    "0.84 0.13 0.03\n0.25 0.42 0.34\n0 0 0": "ach row sums to 1",  # rounded; a class without items
    "0.9,0.3\n0.1,0.7": "ach column sums to 1: these are shares",
    "[[0.5, 0.1], [0.1, 0.3]]": "he matrix sums to 1: these are shares",
    "83.9 12.9 3.2\n25 41.7 33.3\n0 23.1 76.9": "ach row sums to 100: these are percentages, but",
    ",a,b\na,84.5,15.5\nb,20,80": "ach row sums to 100",
    "80 20\n10 90": "ach row sums to 100: these are percentages, but",
    "80 15 5\n10 80 9\n0 30 70": "ach row sums to 100",  # rounded
    "\tlow\thigh\tTotal\nlow\t80\t20\t100\nhigh\t10\t90\t100": "ach row sums to 100",
    "75,25\n25,75": "ach row sums to 100",
    "75 35\n25 65": "ach column sums to 100",
    "46.4 7.1\n21.5 25": "he matrix sums to 100: these are percentages",
    "12 (34) 5 (66)\n3 (30) 7 (70)": "does not say which number is the count: leave out the other.",
    "|12 (34)|5|\n|3|7|": "does not say which number is the count",
    "1 1_000\n3 4": "in row 1 is not a count",
    "1 ٣\n3 4": "in row 1 is not a count",
    "[[1, 2], [3, 4]": "the brackets do not close",
    "[[1, 2], [3, 4]]] 5": "the brackets do not close",
    "np.array([[1, 2], [3, 4]]": "the brackets do not close",
    "[[1, 2], 3, [3, 4]]": "something between the rows",
    "[[[1, 2], [3, 4]]]": "brackets within brackets within brackets",
    "[1, 2, 3, 4]": "the lengths of the rows: 4.",
    "{": "there are no numbers",
    '{"counts": 3}': "JSON must hold",
    '{"counts": []}': "JSON must hold",
    '{"counts"': "starts like JSON but is not valid",
    '{"counts": [[1, 2], [3, null]]}': "in row 2 is not a count",
    '{"counts": [[1, 2], [3, 4]], "levels": ["a"]}': "there are 1 names for 2 levels",
    ",a,b,c\na,1,2,3\nc,4,5,6\nb,7,8,9": "not in the same order",
    "\tlow\thigh\nHigh\t5\t1\nLow\t2\t30": "not in the same order",
    '," low",high,x\n"HIGH ",1,2,3\nLow,4,5,6\ny,7,8,9': "not in the same order",
    ",pred low,pred high\ntrue high,5,1\ntrue low,2,30": "not in the same order",
    ",low_pred,high_pred\nhigh,5,1\nlow,2,30": "not in the same order",
    ",a,A\nA,5,1\na,2,30": "not in the same order",
    "3 1 4\n4 6 10": "the first column may be names or counts: write names in words, or leave out",
    "1 1 2\n2 6 8": "the first column may be names or counts",
    "3 1 0.75\n4 6 0.6": "the first column may be names or counts",
    "3 4 1 8\n4 9 2 15\n5 0 7 12": "the first column may be names or counts",
    "low high\n3 1 4\n4 6 10": "the first column may be names or counts",
    "low\thigh\t\n3\t1\t4\n4\t6\t10": "the first column may be names or counts",
    "3 4\n1 2\n4 6": "the first row may be names or counts: write names in words, or leave out",
    "0 1\n5 2\n5 3": "the first row may be names or counts",
    "low\t1\t2\nhigh\t2\t3\n\t3\t5": "the first row may be names or counts",
    "5 1 0 6\n1 4 2 7\n0 2 9 11\n6 7 11 24": "are the sums of the others: call them total",
    "[[0.1, 0.2, 0.3], [0.3, 0.4, 0.7], [0.4, 0.6, 1]]": "are the sums of the others",
    "\ta\tb\t\na\t5\t1\t6\nb\t2\t30\t32\n\t7\t31\t38": "are the sums of the others",
    "np.transpose([[1,2],[3,4]])": "may change the counts: paste what it gives, not the call.",
    "x = np.linalg.inv(((1, 2), (3, 4)))": "may change the counts",
    "confusion_matrix([1, 2], [1, 2])": "may change the counts",
    "a,a,b\n1,2,3\n4,5,6\n7,8,9": "two levels are called",
    ",a,b,Total\na,1,2,3\nb,3,4,8\n": "the sum of row 2 is 7, where the text has",
    ",a,b\na,1,2\nb,3,4\nTotal,4,5\n": "the sum of column 2 is 6, where the text has",
}
_UNCLEAR: Final = "does not say clearly which side is the truth: rows must be true levels"
REFUSED.update(
    {
        f"Actual\nActual,a,b,c{_LINES}": _UNCLEAR,
        f" Prediction\nPredicted a b c{_PRINTED}": _UNCLEAR,
        f",Actual,,\n,Predicted,,\n,a,b,c{_LINES}": _UNCLEAR,
        f"Actual vs Predicted,a,b,c{_LINES}": _UNCLEAR,
        f"Predicted a b c{_PRINTED}": _UNCLEAR,  # pandas may mean the columns
        f"\\slashbox{{Predicted}}{{Actual}} & a & b & c \\\\\n{_ENDED}": _UNCLEAR,
    }
)
HOSTILE: Final = "<img src=x onerror=window.ran=1> 2\n<script>window.ran=1</script> 4"


def shuffled(seed: int, size: int) -> list[str]:
    """Texts near to those above: cut, doubled and mixed, of which some hold a matrix."""
    rng = random.Random(seed)
    known = [text for text, _ in ACCEPTED.values()] + list(REFUSED)
    letters = '0123456789.,;|&[](){}"\\\n\t e-+%*abx='
    found = []
    for _ in range(size):
        text = rng.choice(known)
        for _ in range(rng.randint(0, 3)):
            place = rng.randint(0, len(text))
            end = min(len(text), place + rng.randint(0, 3))
            text = text[:place] + "".join(rng.choices(letters, k=rng.randint(0, 2))) + text[end:]
        found.append(text)
    return found


def worded(seed: int, size: int) -> list[str]:
    """Tables with words at random in the corner, above, below the names and before them."""
    rng = random.Random(seed)
    words = ["Predicted", "actual", "TRUE", "label", "model", "rows", "columns", "→", "↓", "x",
             "vs", "class", "y_pred", "Gold", "é", "/", "(", "a", "2"]  # fmt: skip

    def phrase() -> str:
        return rng.choice([" ", "_", "/", ": "]).join(rng.choices(words, k=rng.randint(0, 3)))

    found = []
    for _ in range(size):
        by = rng.choice([",", " ", "\t", " & "])
        shared = [rng.choice(["", "", f"{rng.choice(words)}_"]) for _ in range(2)]
        lines = [by.join([name, *row]) for name, row in
                 zip((f"{shared[0]}{x}" for x in "abc"), ROWS, strict=True)]  # fmt: skip
        lines.insert(0, by.join([phrase(), *(f"{shared[1]}{x}" for x in "abc")]))
        for _ in range(rng.randint(0, 2)):
            title = rng.choice([phrase(), by.join([phrase(), phrase(), ""])])
            lines.insert(rng.choice([0, 0, 1, len(lines), rng.randint(0, len(lines))]), title)
        found.append((" \\\\\n" if by == " & " else "\n").join(lines))
    return found
