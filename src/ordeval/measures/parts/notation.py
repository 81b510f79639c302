"""The letters that all formulas share. Pages that show a formula print them; nothing computes here.

A key is LaTeX: a symbol, or a symbol with its definition. Other letters are defined in the formula
that uses them.
"""

from __future__ import annotations

NOTATION = {
    r"K": "number of classes of the declared scale",
    r"i,\, j,\, k,\, l": (
        "positions of classes, 0 to K - 1; a sum, product, minimum or maximum runs over all of "
        "them, or over those that meet the condition below it"
    ),
    r"n_{ij}": "items of true class i that are predicted as class j, or their summed weight",
    r"N = \sum_{i,j} n_{ij}": "all items",
    r"r_i = \sum_j n_{ij}": "items of true class i",
    r"c_j = \sum_i n_{ij}": "items predicted as class j",
    r"d_{ij} = \left| i - j \right|": "steps of the scale between classes i and j",
    r"v_i": "number at which level i lies, where points are given",
    r"K_{\text{obs}} = \sum_{r_i > 0} 1": "number of classes that occur in the truth",
    r"C = \sum_{i < k} \sum_{j < l} n_{ij}\, n_{kl}": (
        "concordant pairs of items: the one with the higher true class is predicted higher"
    ),
    r"D = \sum_{i < k} \sum_{j > l} n_{ij}\, n_{kl}": (
        "discordant pairs of items: the one with the higher true class is predicted lower"
    ),
    r"T_t = \sum_i \sum_{j < l} n_{ij}\, n_{il}": "pairs of items tied in the truth only",
    r"T_p = \sum_j \sum_{i < k} n_{ij}\, n_{kj}": "pairs of items tied in the prediction only",
    r"P": (
        "path through the matrix from cell (0, 0) to cell (K - 1, K - 1): a set of cells, each "
        "one step to the right, down or diagonally down from the one before"
    ),
    r"W": (
        "connected set of cells that holds (0, 0) and (K - 1, K - 1); a cell is connected to its "
        "eight neighbours"
    ),
    r"u": "an item that several raters rate",
    r"g": "a rater",
    r"R": "number of raters",
    r"n_{ui}": "raters who give item u the level i",
    r"m_u = \sum_i n_{ui}": "ratings of item u",
    r"N_t = \sum_{m_u \ge t} 1": "items that have at least t ratings",
    r"q_{gi}": "share of level i among the ratings of rater g",
    r"x": "an item",
    r"y_x": "position of the true class of item x",
    r"p_{xj}": "predicted probability that item x is of class j",
    r"t_{xj}": "share of class j in the truth of item x, such as among its raters",
    r"S_{ij}": (
        "pairs of an item of class i and one of class j of which the second has the higher score, "
        "a tie counting half"
    ),
    r"[\, \cdot\, ]": "1 if what stands between the brackets holds, else 0",
}
