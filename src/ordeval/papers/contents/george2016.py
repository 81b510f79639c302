"""The passages of George, Lu & Chang 2016."""

from typing import Final

from ordeval.papers.contents._passage import passages

PASSAGES: Final = passages("""
1 // background // not: nothing to compute
Eq. 1 // accuracy // Table 2
Eq. 2 // AMAE // Table 2
Eq. 3 // τ_b // Equation 3; Table 2
Eq. 4 // the cost of an error // Section 2.2
2.2, matrix // the costs of classes of 10, 20 and 70 // Section 2.2
2.2, text // c(1, 2) is the highest cost // Section 2.2: Class 2
Eq. 5 // the total cost, and the trace // Equations: Eq. 5
Eq. 6 // the largest total cost as an optimisation // Equations: Eq. 6
2.2.2, text // constrOptim finds it // Table 4: One error; Table 4: A search
Eq. 7 // d, from 0 to √2 // Equations: d lies; Table 2
Figure 1 // the grid and the line of chance // Equations: |Acc
2.3, text // the distance from the line breaks ties // Table 4: (b) the tie-break; Equations: |Acc
3.1, data // gene expression of three cancers // Section 3.1: colon; Section 3.1: lung
3.1.3, data // that of the third // Section 3.1: ovarian
3.1, counts // patients by class // Table 1
Table 1 // ten confusion matrices // Table 1; Table 2
Table 2 // four measures of them // Table 2
Figure 2 // their performance grids // Figure 2
3.1.1, text // svm is best by all measures // Section 3.1: Colon
3.1.2, text // Rand24 is worst // Section 3.1: Lung: Rand24
3.1.2, text // Sig24 and Shuffle24 have the same accuracy // Section 3.1: Lung: Sig24
3.1.2, text // AMAE and τ_b conflict, d prefers Sig24 // Section 3.1: Lung: Shuffle24
3.1.3, text // p_1E-8 has the highest AMAE and a tied τ_b // Section 3.1: Ovarian
3.1.3, text // p_1E-8 wins by accuracy and cost // Figure 2: ovarian cancer: p_1E-8 has
Table 3 // four simulations // Table 3
3.2, text // the largest class is 0.25 in a balanced design // Table 3: Simulation 4, balanced
3.2, text // d scores perfectly // Table 3: Simulation 1, d; Table 3: Simulation 4, d
3.2, text // with balanced classes the cost is a multiple of AMAE // Equations: In a balanced
3.2, text // an empty predicted class explains 0.996 // Table 3: Simulation 4:
3.2, text // τ_b is best when balanced // Table 3: In print τ_b is best
3.2, text // τ_b falls with imbalance // Table 3: In print τ_b decreases
3.2, text // the gap is larger at accuracy 80 % // Table 3: In print the gap
3.2, text // AMAE is v-shaped // Table 3: In print AMAE
3.2, text // no dependence on items and classes // Table 3: In print the shares
3.2, text // the second study: lower accuracy at lower cost // Section 3.2: In some pairs
Table 4 // representative pairs // Table 4
3.2, text // (a) AMAE and τ_b prefer the other // Section 3.2: (a) AMAE; Table 4: (a) d prefers
3.2, text // the cost doubles // Section 3.2: (a) and (b)
3.2, text // (b) a tie, broken by 0.12 and 0.04 // Table 4: (b) d almost; Table 4: (b) the tie-break
4 // conclusions // not: nothing that is not said before
""")
