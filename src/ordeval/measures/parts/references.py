"""The literature that the measures come from. Facts only: who, when, what, where."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Reference:
    """Where a measure was published."""

    citation: str
    doi: str | None = None

    @classmethod
    def of(cls, reference: Reference | str) -> Reference:
        """A reference from a reference or from its text."""
        return cls(reference) if isinstance(reference, str) else reference

    def __str__(self) -> str:
        return self.citation + (f". doi:{self.doi}" if self.doi else "")


# fmt: off
ALTMAN_1994_PREDICTIVE = Reference(
    "Altman & Bland 1994, Diagnostic tests 2: predictive values, BMJ 309",
    "10.1136/bmj.309.6947.102",
)
ALTMAN_1994_SENSITIVITY = Reference(
    "Altman & Bland 1994, Diagnostic tests 1: sensitivity and specificity, BMJ 308",
    "10.1136/bmj.308.6943.1552",
)
AMIGO_2009 = Reference(
    "Amigó, Gonzalo, Artiles & Verdejo 2009, A comparison of extrinsic clustering evaluation "
    "metrics based on formal constraints, Information Retrieval 12", "10.1007/s10791-008-9066-8",
)
AMIGO_2013 = Reference(
    "Amigó, Gonzalo & Verdejo 2013, A general evaluation measure for document organization tasks, "
    "SIGIR", "10.1145/2484028.2484081",
)
AMIGO_2020 = Reference(
    "Amigó, Gonzalo, Mizzaro & Carrillo-de-Albornoz 2020, An effectiveness metric for ordinal "
    "classification: formal properties and experimental results, ACL",
    "10.18653/v1/2020.acl-main.363",
)
BACCIANELLA_2009 = Reference(
    "Baccianella, Esuli & Sebastiani 2009, Evaluation measures for ordinal regression, ISDA",
    "10.1109/ISDA.2009.230",
)
BRENNAN_1981 = Reference(
    "Brennan & Prediger 1981, Coefficient kappa: some uses, misuses, and alternatives, "
    "Educational and Psychological Measurement 41", "10.1177/001316448104100307",
)
BRIER_1950 = Reference(
    "Brier 1950, Verification of forecasts expressed in terms of probability, Monthly Weather "
    "Review 78", "10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2",
)
BRODERSEN_2010 = Reference(
    "Brodersen, Ong, Stephan & Buhmann 2010, The balanced accuracy and its posterior "
    "distribution, ICPR", "10.1109/ICPR.2010.764",
)
CARDOSO_2011 = Reference(
    "Cardoso & Sousa 2011, Measuring the performance of ordinal classification, International "
    "Journal of Pattern Recognition and Artificial Intelligence 25(8)", "10.1142/S0218001411009093",
)
COHEN_1960 = Reference(
    "Cohen 1960, A coefficient of agreement for nominal scales, Educational and Psychological "
    "Measurement 20", "10.1177/001316446002000104",
)
COHEN_1968 = Reference(
    "Cohen 1968, Weighted kappa: nominal scale agreement with provision for scaled disagreement "
    "or partial credit, Psychological Bulletin 70", "10.1037/h0026256",
)
CONGER_1980 = Reference(
    "Conger 1980, Integration and generalization of kappas for multiple raters, Psychological "
    "Bulletin 88; with gaps and weights Gwet 2014", "10.1037/0033-2909.88.2.322",
)
CRUZ_RAMIREZ_2014 = Reference(
    "Cruz-Ramírez, Hervás-Martínez, Sánchez-Monedero & Gutiérrez 2014, Metrics to guide a "
    "multi-objective evolutionary algorithm for ordinal classification, Neurocomputing 135",
    "10.1016/j.neucom.2013.05.058",
)
ELKAN_2001 = Reference(
    "Elkan 2001, The foundations of cost-sensitive learning, IJCAI",
)
EPSTEIN_1969 = Reference(
    "Epstein 1969, A scoring system for probability forecasts of ranked categories, Journal of "
    "Applied Meteorology 8", "10.1175/1520-0450(1969)008<0985:ASSFPF>2.0.CO;2",
)
FERNANDEZ_2010 = Reference(
    "Fernández Caballero, Martínez, Hervás & Gutiérrez 2010, Sensitivity versus accuracy in "
    "multiclass problems using memetic Pareto evolutionary neural networks, IEEE Transactions on "
    "Neural Networks 21", "10.1109/TNN.2010.2041468",
)
FERRER_2022 = Reference(
    "Ferrer 2022, Analysis and comparison of classification metrics, arXiv:2209.05355",
    "10.48550/arXiv.2209.05355",
)
FLEISS_1971 = Reference(
    "Fleiss 1971, Measuring nominal scale agreement among many raters, Psychological Bulletin 76; "
    "with gaps and weights Gwet 2014", "10.1037/h0031619",
)
GAUDETTE_2009 = Reference(
    "Gaudette & Japkowicz 2009, Evaluation methods for ordinal classification, Canadian AI",
    "10.1007/978-3-642-01818-3_25",
)
GEORGE_2016 = Reference(
    "George, Lu & Chang 2016, Cost-sensitive performance metric for comparing multiple ordinal "
    "classifiers, Artificial Intelligence Research 5(1)", "10.5430/air.v5n1p135",
)
GHOSH_2015 = Reference(
    "Ghosh et al. 2015, SemEval-2015 task 11: sentiment analysis of figurative language in "
    "Twitter, SemEval", "10.18653/v1/S15-2080",
)
GNEITING_2022 = Reference(
    "Gneiting & Walz 2022, Receiver operating characteristic (ROC) movies, universal ROC (UROC) "
    "curves, and coefficient of predictive ability (CPA), Machine Learning 111",
    "10.1007/s10994-021-06114-3",
)
GOODMAN_1954 = Reference(
    "Goodman & Kruskal 1954, Measures of association for cross classifications, Journal of the "
    "American Statistical Association 49", "10.1080/01621459.1954.10501231",
)
GOOD_1952 = Reference(
    "Good 1952, Rational decisions, Journal of the Royal Statistical Society B 14",
    "10.1111/j.2517-6161.1952.tb00104.x",
)
GORODKIN_2004 = Reference(
    "Gorodkin 2004, Comparing two K-category assignments by a K-category correlation coefficient, "
    "Computational Biology and Chemistry 28", "10.1016/j.compbiolchem.2004.09.006",
)
GWET_2014 = Reference(
    "Gwet 2014, Handbook of inter-rater reliability, 4th edition; AC1 is of Gwet 2008, Computing "
    "inter-rater reliability and its variance in the presence of high agreement, British Journal "
    "of Mathematical and Statistical Psychology 61", "10.1348/000711006X126600",
)
HANLEY_1982 = Reference(
    "Hanley & McNeil 1982, The meaning and use of the area under a receiver operating "
    "characteristic (ROC) curve, Radiology 143", "10.1148/radiology.143.1.7063747",
)
HARRELL_1982 = Reference(
    "Harrell, Califf, Pryor, Lee & Rosati 1982, Evaluating the yield of medical tests, JAMA 247",
    "10.1001/jama.1982.03320430047030",
)
HAYES_2007 = Reference(
    "Hayes & Krippendorff 2007, Answering the call for a standard reliability measure for coding "
    "data, Communication Methods and Measures 1", "10.1080/19312450709336664",
)
KENDALL_1938 = Reference(
    "Kendall 1938, A new measure of rank correlation, Biometrika 30", "10.1093/biomet/30.1-2.81",
)
KENDALL_1945 = Reference(
    "Kendall 1945, The treatment of ties in ranking problems, Biometrika 33",
    "10.1093/biomet/33.3.239",
)
KUBAT_1997 = Reference(
    "Kubat & Matwin 1997, Addressing the curse of imbalanced training sets: one-sided selection, "
    "ICML",
)
PEARSON_1895 = Reference(
    "Pearson 1895, Note on regression and inheritance in the case of two parents, Proceedings of "
    "the Royal Society of London 58", "10.1098/rspl.1895.0041",
)
PINTO_DA_COSTA_2014 = Reference(
    "Pinto da Costa, Alonso & Cardoso 2014, Corrigendum to The unimodal model for the "
    "classification of ordinal data, Neural Networks", "10.1016/j.neunet.2014.06.003",
)
SAKAI_2018 = Reference(
    "Sakai 2018, Comparing two binned probability distributions for information access evaluation, "
    "SIGIR", "10.1145/3209978.3210073",
)
SAKAI_2021 = Reference(
    "Sakai 2021, Evaluating evaluation measures for ordinal classification and ordinal "
    "quantification, ACL-IJCNLP", "10.18653/v1/2021.acl-long.214",
)
SCOTT_1955 = Reference(
    "Scott 1955, Reliability of content analysis: the case of nominal scale coding, Public "
    "Opinion Quarterly 19", "10.1086/266577",
)
SHANNON_1948 = Reference(
    "Shannon 1948, A mathematical theory of communication, Bell System Technical Journal 27",
    "10.1002/j.1538-7305.1948.tb01338.x",
)
SILVA_2018 = Reference(
    "Silva, Pinto & Cardoso 2018, A uniform performance index for ordinal classification with "
    "imbalanced classes, IJCNN", "10.1109/IJCNN.2018.8489327",
)
SOKOLOVA_2009 = Reference(
    "Sokolova & Lapalme 2009, A systematic analysis of performance measures for classification "
    "tasks, Information Processing & Management 45", "10.1016/j.ipm.2009.03.002",
)
SOMERS_1962 = Reference(
    "Somers 1962, A new asymmetric measure of association for ordinal variables, American "
    "Sociological Review 27", "10.2307/2090408",
)
SPEARMAN_1904 = Reference(
    "Spearman 1904, The proof and measurement of association between two things, American Journal "
    "of Psychology 15", "10.2307/1412159",
)
STUART_1953 = Reference(
    "Stuart 1953, The estimation and comparison of strengths of association in contingency "
    "tables, Biometrika 40", "10.2307/2333101",
)
VARGAS_2024 = Reference(
    "Vargas, Gutiérrez, Barbero-Gómez & Hervás-Martínez 2024, Improving the classification of "
    "extreme classes by means of loss regularisation and generalised beta distributions, "
    "arXiv:2407.12417", "10.48550/arXiv.2407.12417",
)
WAEGEMAN_2008 = Reference(
    "Waegeman, De Baets & Boullart 2008, ROC analysis in ordinal regression learning, Pattern "
    "Recognition Letters 29", "10.1016/j.patrec.2007.07.019",
)
WERMAN_1985 = Reference(
    "Werman, Peleg & Rosenfeld 1985, A distance metric for multidimensional histograms, Computer "
    "Vision, Graphics, and Image Processing 32", "10.1016/0734-189X(85)90055-6",
)
WILLMOTT_2005 = Reference(
    "Willmott & Matsuura 2005, Advantages of the mean absolute error (MAE) over the root mean "
    "square error (RMSE) in assessing average model performance, Climate Research 30",
    "10.3354/cr030079",
)
# fmt: on
