"""The passages of Cardoso & Sousa 2011."""

from typing import Final

from ordeval.papers.contents._passage import passages

PASSAGES: Final = passages("""
1, text // what ordinal classification is, and earlier work // not: nothing to compute
Eqs. 1 to 4, unnumbered // MAE and MSE, by labels and by the matrix // Table 1
1.1, text // MAE has no upper bound // Section 1.1: MAE has no upper bound
1.1, R_s // Spearman's coefficient with mean ranks // Table 1; Table 2
Definitions 1 to 3 // concordant, discordant and tied pairs // Section 1.1: By definitions
1.1, τ_b // τ_b from pairs, its extremes // Section 1.1: By definitions; Section 1.1: τ_b is 1
1.1, r_int // r_int lies in [−1, 1] // Section 1.1: r_int lies
Table 1 // seven measures of A to D // Table 1
2, text // R_s, τ_b and r_int do not tell A from B // Section 2: R_s, τ_b
2, text // 1 − R_s, 1 − τ_b and 1 − r_int are no metrics // Section 2: 1 − R_s
2, text // MER does not tell B from C // Section 2: Of the measures
2, text // MAE, and MSE likewise, do not tell B from D // Section 2: MAE and MSE
2, text // A before B before C is expected // Section 2: OC puts
2, text // C or D is better by what matters; Table 1 for two β // Section 2: A small β
Eq. 5, definition 4 // pairs that are not discordant // Section 3: Every monotone
Figure 1 // MER as a path; consistent paths // Section 3: MER is
3, text // every monotone path is consistent // Section 3: Every monotone
3, text // penalties by length, largest distance and area // Section 3: A penalty
Figure 2 // two paths that those penalties do not tell apart // Section 3: A penalty
Eq. 6 // the index before normalisation // Section 3: Eq. 6, which; Section 3.1: Without
3, text // eq. 6 is MER for β ≥ 1 // Section 3.1: Without
Figure 3 // leftover entries that eq. 6 does not see // Section 3: Eq. 6 does not; Section 3: Eq. 7
3, text // an added dispersion leaves [0, 1] // Section 3: Added
3, M // the dispersion in words // Section 3.1: dispersion M
Eq. 7 // the index // Table 1; Table 2; Table 3; Table 4; Table 5; Section 3.4
3, text // small β favours ranking, large β classification // Section 2: A small β
Eq. 8 // the general form // Section 3.1: In the general form
3.1, text // β₂ ≥ 1 gives eq. 7; OC(0; 0) = MAE / (1 + MAE) // Section 3.1: In the general form
3.2, text // rank coefficients have no value for one item // Section 3.2: R_s, τ_b
3.2, formula // the index of one item // Figure 4: One item; Section 3.2: OC of a single
Figure 4 // one item by its distance // Figure 4
3.2, text // MER from β = 0.5 on // Figure 4: At β; Section 3.2: For β
3.3, text // zero only for perfect predictions, in [0, 1], symmetric // Section 3.3
3.4, w and W // the recursion // Section 3.4: W at; Appendix B
3.4, text // cost O(K²) // Section 3.4: Its cost
3.4, text // counting costs most; τ_b and r_int cost no less // not: depends on the program
4, text // conclusions do not differ for other γ // Section 4: The conclusions
4.1, matrix // tridiagonal matrices // Figure 5
Figure 5 // their measures by K, and the limits // Figure 5
4.1, text // OC at 0.75 improves with K // Section 4: On tridiagonal; Section 4: OC (β₁)
Table 2 // CM1 and CM2 // Table 2; Section 4.2: All but R_s
Table 3 // CM3 and CM4 // Table 3; Section 4.2: All but r_int
Table 4 // CM5 and CM6 // Table 4; Section 4.2: All but MER
4.2, text // CM6 is almost random // not: a matter of opinion
4.3, formula // the class of a synthetic item // Figure 6: the class
Figure 6 // 100 synthetic items // Figure 6
4.3, text // data replication, and Frank and Hall // Section 4.3
Algorithm 1 // how models are selected and tested // Table 6; Section 4.3
Table 5 // CM10, CM11 and CM12 // Table 5; Section 4.2: All put CM10
4.3, text // order hardly tells CM11 from CM12, OC does // Section 4.2: R_s, τ_b
Figure 7 // class frequencies; sizes in the text // Figure 7
Table 6 // OC of three classifiers on five data sets // Table 6
4.4, text // the ordinal methods are superior // Table 6: In print both
4.4, text // oSVM never loses to Frank and Hall // Table 6: In print oSVM
4.4, text // oSVM has the simpler models // not: a matter of opinion
5 // conclusion // not: nothing that is not said before
Appendix A // a metric for β ≥ 1/(N + 1), none for small β // Appendix A
Listing 1 // the program // Appendix B
""")
