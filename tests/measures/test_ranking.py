"""Measures of scores and probabilities say what is wrong with a cut."""

import pytest

import ordeval as oe


def test_a_cut_that_is_no_position_is_said_so_of_probabilities() -> None:
    with pytest.raises(oe.ParameterError, match="threshold must be an integer from 0 to 1"):
        oe.score(
            ["mild", "moderate", "severe"] * 2,
            [[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.1, 0.3, 0.6]] * 2,
            [oe.threshold_auc.with_params(threshold="moderate")],
            labels=["mild", "moderate", "severe"],
        )
