"""The passages of Silva, Pinto & Cardoso 2018."""

from typing import Final

from ordeval.papers.contents._passage import passages

PASSAGES: Final = passages("""
I // introduction // not: nothing to compute
Eqs. 1 to 3 // MER, MSE and MAE // Table I
Eqs. 4 to 6 // R_s and τ_b // Table I
Eqs. 7 to 10 // r_int // Table I; Equations: equation 8
Eq. 11 // OC // Table I
Eqs. 12 and 13 // F1 and the G-mean // Section II
Eqs. 14 and 15 // MMAE and AMAE // Table I
Eqs. 16 to 19 // OC from shares // Section III: Eqs. 16
Eqs. 20 to 22 // UOC // Section III: Eqs. 20; Equations: equations 21
III-A, text // a metric for β ≥ 1 // Section III: For β ≥ 1 UOC
III-A, text // the diagonal is best for β ≥ 1 // Section III: For β ≥ 1 the best; Equations: For β
III-A, text // γ makes no great difference // not: for OC, see Cardoso & Sousa, section 4
Eq. 23 // A_UOC // Table I; Figure 1: AUOC
Figure 1 // UOC over β // Figure 1
Eqs. 24 and 25 // UOC from a matrix // Section III: Eqs. 20; Table I
Eqs. 26 to 28 // absent classes // Section III: Eqs. 26
III-C, text // absent classes as uniform or perfect // Section III: Taken
Figure 2 // one item by its distance // Figure 2
Figure 3 // tridiagonal matrices // Figure 3
Table I // thirteen measures of A to F // Table I
IV-B, text // A is perfect by all // Section IV: All measures
IV-B, text // τ_b is lowest for C // Section IV: Of B, C
IV-B, text // accuracy does not tell B from D // Remarks: All accuracy
IV-B, text // who is robust to imbalance // Section IV: Only MMAE
IV-B, text // E against D, and what MMAE and AMAE assume // Remarks: UOC and; Remarks: MMAE
V, data // items, features and classes // Section V: Data
Table II // three classifiers on two data sets // Table II
Figure 4 // confusion matrices, wine // Figure 4
Figure 5 // confusion matrices, ESL // Figure 5
V-A, text // the order of the classifiers, by measure // Section V: Wine
V-A, text // MMAE rests on one item of the lowest class // Section V: Wine: MMAE
V-A, text // β parts the classifiers, A_UOC is between // Remarks: Wine; Remarks: A_UOC lies
V-B, text // the order of the classifiers, by measure // Section V: ESL; Remarks: ESL: by order
V-B, text // MAE does not tell SVM from RF // Remarks: ESL: MAE
V-B, text // OC prefers SVM, UOC kNN // Remarks: ESL: OC
VI // conclusion // not: nothing that is not said before
""")
