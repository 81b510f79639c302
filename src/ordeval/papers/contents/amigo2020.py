"""The passages of Amigó, Gonzalo, Mizzaro & Carrillo-de-Albornoz 2020."""

from typing import Final

from ordeval.papers.contents._passage import passages

PASSAGES: Final = passages("""
1 // introduction // not: nothing to compute
Table 1 // which campaign used which measure // not: a matter of the campaigns' own reports
2.1, text // these measures were made for other tasks // Table 2: No measure
2.1, text // three items ranked perfectly, none right // Section 2.1: Very high
2.1, text // perfect correlation without a match // Section 2.1: An output
2.2 // earlier studies // not: nothing to compute
Figure 1 // proximity in two distributions of reviews // Figure 1
Eq. 1 // closeness information quantity, and prox // Section 3: Eq. 1; Figure 1
3.1, CEM // the measure // Appendix A
3.1, text // hits in rare classes weigh more // Section 3: A hit
Definition 1 // closeness for a scale type // Section 3: Definition 1; Section 3: The same for every
Proposition 1 // accuracy as CEM_NOM // Proposition 1
3.2, text // macro average accuracy as summed closeness // Section 3: Macro average
Proposition 2 // precision and recall as summed closeness // Proposition 2
3.2, text // an exact match once normalised // Proposition 2: Precision and recall
3.2, text // CEM_INT as a logarithmic MAE // Section 3: With classes of equal size
Figure 2 // the signs of the properties in pictures // Figure 2
Property 1 // ordinal invariance, with an example // Section 4.1; Table 2
Property 2 // ordinal monotonicity // Table 2
Property 3 // imbalance // Table 2
Table 2 // which measure has which property // Table 2
4.2, text // the loss of Rennie & Srebro is grounded on differences // Table 2: rennie_srebro_loss
4.2, text // CEM_ORD alone has all three // Table 2: CEM_ORD alone
5.1, UIR // unanimous improvement ratio, and coverage // Table 3
5.3, text // the design of the synthetic data // Section 5.3; Table 3
5.3, text // a total displacement and other trade-offs // Section 5.3: A total; Section 5.3: Random
Table 3 // coverage, synthetic and real // Table 3
5.3, text // CEM_ORD improves on all // Table 3: CEM_ORD covers
5.3, text // the flat CEM is worse // Table 3: The flat
5.4, text // samples and systems // Section 5.4
5.4, text // best in four, within 0.01 in two // Table 3: In print CEM_ORD
5.4, text // flat is worse but once // Table 3: In print the flat
5.4, text // Kappa is best once and very low once // Table 3: In print Kappa
5.4, text // robustness 0.57, 0.49 and 0.55 // Section 5.4: CEM_ORD; Section 5.4: MAEm
6 // conclusions // not: nothing that is not said before
Figure 3 // two systems and their CEM // Appendix A
Appendix A // the same, in words // Appendix A
Appendix B // counterexamples // Appendix B
Appendix C // proofs of closeness conditions and of CEM // Appendix C; Section 3: The same for every
""")
