"""Two classifiers of lung cancer stage that accuracy cannot tell apart.

The matrices are those of George, Lu & Chang 2016, Table 1(b): 56 patients in three stages, and
predictions from 24 genes (Sig24) and from the same predictions shuffled (Shuffle24).
"""

from __future__ import annotations

import ordeval as oe

STAGES = ["stage 1", "stage 2", "stage 3"]
SIG24 = oe.ConfusionMatrix([[26, 4, 1], [3, 5, 4], [0, 3, 10]], labels=STAGES)
SHUFFLE24 = oe.ConfusionMatrix([[16, 4, 11], [0, 12, 0], [0, 0, 13]], labels=STAGES)
MEASURES = [
    oe.accuracy,
    oe.mean_absolute_error,
    oe.average_mae,
    oe.weighted_kappa,
    oe.kendall_tau_b,
    oe.oc_index,
    oe.auoc,
    oe.cem_ord,
    oe.cost_accuracy_distance,
]


def main() -> None:
    print(f"Sig24: {SIG24}\n\nShuffle24: {SHUFFLE24}\n")
    first, second = oe.score(SIG24, metrics=MEASURES), oe.score(SHUFFLE24, metrics=MEASURES)
    print(f"{'measure':<24}{'Sig24':>9}{'Shuffle24':>11}   prefers")
    for metric in MEASURES:
        a, b = first[metric.name], second[metric.name]
        gain = metric.utility(a) - metric.utility(b)
        choice = "neither" if abs(gain) < 1e-12 else "Sig24" if gain > 0 else "Shuffle24"
        print(f"{metric.name:<24}{a:>9.3f}{b:>11.3f}   {choice}")
    print(
        "\nAccuracy sees no difference. Shuffle24 sends 11 patients of stage 1 two stages up, which"
        "\nevery measure of order or distance over all patients punishes; the averages over classes"
        "\nforgive it, because stage 1 is one class of three and the other two are perfect."
    )


if __name__ == "__main__":
    main()
