"""The words by which judges state a label, doubt it or take it back.

All words are in lower case. A phrase of several words is listed under its first word.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

WordLists = Mapping[str, tuple[tuple[str, ...], ...]]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _phrases(*lines: str) -> WordLists:
    """Phrases that are separated by commas, by their first word."""
    found = defaultdict(list)
    for phrase in ",".join(lines).split(","):
        first, *rest = phrase.split()
        found[first].append(tuple(rest))
    return {first: tuple(rests) for first, rests in found.items()}


def _combined(starts: Iterable[str], ends: str) -> str:
    return ",".join(f"{start} {end}" for start in starts for end in ends.split())


# How a label is stated: Final score: 4; my rating is 4; I would give this a 4; it deserves a 4.
SPACE_NOUNS: Final = _words("score rating result")  # nothing may stand between: Score 4
PLAIN_NOUNS: Final = _words("score rating grade verdict mark")  # they mean nothing else
# In other languages, where the word can mean nothing else.
FOREIGN_NOUNS: Final = _words(
    """
    bewertung puntuación puntaje calificación punteggio pontuação оценка рейтинг
    评分 得分 分数 スコア 점수
    """
)
GENERAL_NOUNS: Final = _words(
    """
    answer overall final choice decision judgment judgement assessment evaluation vote pick label
    finalscore overallscore finalrating overallrating
    """
)
NOUNS: Final = SPACE_NOUNS | PLAIN_NOUNS | GENERAL_NOUNS | FOREIGN_NOUNS
MODIFIERS: Final = _words(
    """
    the my our your its a an this that final overall total general quality holistic assigned
    verdict judgment judgement
    """
)
SUBJECTS: Final = _words(
    """
    this it the that answer response reply essay text summary output submission translation
    solution explanation story paper work one assistant's model's student's
    """
)
VERBS: Final = _words(
    """
    give gave giving rate rated rating score scored scoring grade graded grading assign assigned
    assigning award awarded awarding choose chose choosing pick picked select selected say
    settle go going
    """
)
STATES: Final = _words("gets deserves earns receives merits scores rates warrants is it's")
I_WORDS: Final = _words("i we")
I_WOULD: Final = _words("i'd i'll i'm we'd we'll")
MODALS: Final = _words("would will do shall am are")
ADVERBS: Final = _words("therefore thus hence clearly simply accordingly consequently now")
OBJECTS: Final = SUBJECTS | _words(
    """
    a an as at with on to of is it's assistant model student candidate one score rating grade
    mark give value solid strong clear firm quality overall final one's
    """
)
ARTICLES: Final = _words("a an solid strong clear firm")
UNITS: Final = _words("point points pt pts star stars ⭐")
OUT_OF: Final = _phrases("out of,of,sur,von,de,di,su,av,van,uit,из,z,od,dari")
ON_SCALE: Final = _phrases(
    "on a scale of,on a scale from,on the scale of,on the scale from,on a scale,from"
)
FILLERS: Final = _phrases(
    "a possible,possible,a maximum of,a maximum,a total of,the possible,max,maximum"
)

# What a remark between a noun and its label may say besides a range: Score (higher is better): 4.
REMARKS: Final = (
    MODIFIERS
    | UNITS
    | _words(
        """
    to is of and from on in out by where with best worst better higher lower poor good bad
    excellent low high max maximum min minimum scale be as each one ten five integer number
    """
    )
)

# What may come before a statement, in the same sentence.
CONCLUDING: Final = _words(
    """
    so thus therefore hence overall finally accordingly consequently conclusion summary verdict
    final result total
    """
)
LEADS: Final = CONCLUDING | _words(
    """
    in and ok okay all considered things as such then now to conclude sum up my the this here
    here's is judgment judgement evaluation assessment decision response sure certainly
    """
)
OPENING: Final = _words(
    """
    after even based considering given overall taking with for due because since as on while
    although in weighing looking despite
    """
)
# What may follow a label directly.
REASONS: Final = _phrases(
    """
    because, since, due to, based on, given the, given that, given its, given how, for the
    following, for these reasons, for being
    """,
    _combined(["as"], "it there they most some several"),
)
CONCESSIONS: Final = _phrases("but,though,although")

# Words that make a statement one about something else, or no statement.
UNREAL: Final = _words(
    """
    if unless would could might may should had were not no never cannot can't won't wouldn't
    couldn't shouldn't don't doesn't isn't wasn't didn't whether suppose when other others
    another someone somebody they he she previous previously first initial initially original
    originally reference human expected user student author reviewer rater says said say claims
    claim claimed wrote writes asks asked wants demands requires example examples format
    template prompt instruction instructions rubric maximum minimum max min highest lowest
    """
)
INTRODUCED: Final = UNREAL - _words("rubric reference instruction instructions prompt")
QUOTING: Final = UNREAL - _words("would could should first not no may when were had if")
# In the sentence of a label: it is supposed, doubted, or no longer so. REVISIONS say so too.
DOUBTS: Final = _phrases(
    """
    would, could, might, may, should, if, unless, were, provided, assuming, suppose, supposing,
    maybe, perhaps, possibly, probably, likely, about, around, roughly, approximately, approx,
    ish, arguably, preliminary, guess, guessing, borderline, almost, nearly, lean, leaning,
    somewhere, give or take, hesitant, at best, at most, at least, at worst, at the most, at the
    least, minimum, or rather, or thereabouts, rather, instead, actually, wait, sorry, scratch,
    hmm, hm, before, for now, so far, yet to, reduced, reduce, lowered, lower, raised, raise,
    higher, changed, change, corrected, correction, correcting, adjusted, adjusting, rounded,
    rounding, plus, deduction, deductions, penalty, penalties, bonus, previously, initially,
    originally, at first, formerly, first, generously, overly, too much, too optimistic, not my,
    not correct, not right, not valid, not real, not serious, not accurate, not the, which is
    wrong, which is not, that is not, that's not, is incorrect, example, template, format,
    hypothetical, hypothetically, lol, human, reference, by the author, by the user, others,
    allegedly, supposedly, according to the user, according to the author, said, says, and a
    half
    """,
    _combined(["or", "and", "nor"], "higher lower more less better worse so above below up down"),
)
# In any sentence behind a label: it is taken back. Reasons use more of the words above.
REVISIONS: Final = _phrases(
    """
    scratch that, scratch it, strike that, strike it, second thought, second thoughts, on
    reflection, then again, take that back, take it back, taking that back, changed my mind,
    change my mind, change that, change it, change my, changing my, my mistake, my bad,
    reconsider, reconsidering, reconsidered, revise, revised, revising, revision, retract,
    retracted, apologies, apologize, apologise, only if, only when, subject to, pending, until,
    wrong line, not exactly, deserves more, deserves less, deserve more, deserve less, to be
    safe, on a good day, rethink, rethinking, forget that, forget it, forget this, upon review,
    on review, slip of the pen, generous, harsh, lenient, unfair, doubtful, debatable,
    provisionally, tentatively, retracting, withdraw, withdrawn, make that, make it, let me
    correct, let me fix, let me change, let me think, let me adjust, never mind, nevermind,
    lower it, lower that, lower my, raise it, raise that, raise my, lowering, raising, bump,
    bumped, bumping, downgrade, downgraded, upgrade, upgraded, deduct, deducted, deducting,
    subtract, subtracted, minus, disregard, kidding, joking, a joke, a guess, a draft, a test, a
    lie, oops, was a typo, is a typo, placeholder, not my final, not the final, not my score,
    not my real, not the real, not final, not really, is not the score, that is wrong, that was
    wrong, that's wrong, this is wrong, score is wrong, score was wrong, would be fairer, would
    be better as, fairer, one less, one more, one lower, one higher, a notch, one down, one up,
    a point, half a, ignore that, ignore this, ignore it, ignore the above, ignore my, instead
    of, should be higher, should be lower, should be less, should be more, should be one, should
    have been, not sure, not certain, unsure, uncertain, tentative, provisional, too generous,
    too harsh, too lenient, too high, too low, too kind, too strict, too severe
    """,
    _combined(
        ["deserves", "warrants", "merits", "deserve", "is", "be"],
        "higher lower better worse less fairer",
    ),
    _combined(["deserves a", "warrants a", "merits a", "give a", "to a"], "higher lower better"),
    _combined(["the wrong", "not the right", "not the correct"], "score rating grade answer"),
)
# A judge that speaks of itself or of the label again says more than a reason.
SELF: Final = _words("i'd i'll i'm i've me my mine we we'd we'll our let's")
LABEL_NOUNS: Final = _words("score rating grade mark scores ratings")
NO_LABELS: Final = _words("perfect full top maximum max highest minimum lowest possible best for")
LABEL_REASONS: Final = _words(
    "justification rationale explanation reason reasons reflects breakdown"
)
POLITE: Final = _phrases("let me know,i hope this helps,hope this helps")
CONNECTIVES: Final = _words("but however and so though still yet also then")
# At the start of a later sentence.
REVISING: Final = _phrases(
    """
    actually, wait, no sorry, no wait, no make, nope, not so, not quite, hmm, hm, sorry,
    scratch, correction, edit, update, updated, or, maybe, perhaps, possibly, rather, strike,
    never, lower, higher, adjusted, well no, just kidding, if, unless, instead, alternatively,
    otherwise, at least, at most, at best, at worst, error, mistake, false, incorrect, plus,
    too, now it, new, later, that's
    """,
    _combined(["that"], "is was seems would could should might may feels looks appears"),
    _combined(["this", "it"], "seems would could should might may feels"),
)
# More doubts after "I would give it a 4".
CONDITIONS: Final = _phrases("but,had,except,only,though,although,however,until,when,once")

# Numbers in words, and numbers that are no labels.
NUMBER_WORDS: Final = {
    word: value
    for value, word in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    )
}
FORMS_OF_BE: Final = _words(
    "is was would could might may should seems looks feels fits sounds suits works instead then"
)
COUNTED: Final = _words(
    """
    error errors mistake mistakes fact facts claim claims source sources reference references
    citation citations paragraph paragraphs sentence sentences word words line lines page pages
    section sections part parts step steps example examples issue issues problem problems flaw
    flaws typo typos reason reasons argument arguments question questions requirement
    requirements criterion criteria detail details item items idea ideas approach approaches
    topic topics aspect aspects paper papers study studies omission omissions inaccuracy
    inaccuracies weakness weaknesses strength strengths suggestion suggestions feature features
    bullet bullets test tests case cases gap gaps instance instances statement statements
    keyword keywords instruction instructions constraint constraints method methods option
    options variable variables character characters figure figures table tables thing things
    year years month months day days week weeks hour hours minute minutes people person persons
    """
)
DESCRIBING: Final = _words(
    """
    minor major small factual serious key main important grammatical spelling logical of the its
    these those different additional more other clear short long good correct wrong missing
    relevant punctuation grammar big slight obvious supporting unsupported required given
    """
)
NUMBERED: Final = _words(
    """
    step steps line lines paragraph section page sentence question claim example figure table
    chapter part item criterion requirement source reference version rule turn gpt no paragraphs
    sections pages sentences questions claims examples figures tables
    """
)
MEASURED: Final = COUNTED | _words(
    """
    percent percentage km m cm kg g lb ft inch inches mile miles meter meters second seconds
    euro euros dollar dollars degrees times
    """
)
KEYS: Final = _words(
    """
    confidence certainty probability id index item version tokens count errors temperature words
    length seed line page year
    """
)
_NOT_EXPLAINING: Final = _words(
    """
    this it the that one year years month months day days week weeks hour hours minute minutes
    people person persons test tests thing things case cases option options
    """
)
I_EXPLAIN: Final = _words(
    """
    pass liked like enjoyed enjoy appreciate appreciated found noticed see saw checked verified
    """
)
OBJECTS_JUDGED: Final = _words(
    """
    code logic style tone grammar spelling language structure format formatting content plot
    ending introduction conclusion proof formula document author writer student assistant model
    candidate reasoning explanation examples evidence argument title design facts
    """
)
NEUTRAL: Final = _words(
    """
    the a an is are was were be been being and or but of in on at to for with by from as it its
    i this that these those there they them their he she his her has have had do does did not no
    very quite so also only just even more than then which who what how while although though
    almost without every way still yet into about after between one first second can will
    """
)
# What explains a label: a short remark without one of these may be about the label itself.
EXPLAINING: Final = (COUNTED | SUBJECTS | DESCRIBING - NEUTRAL) - _NOT_EXPLAINING | _words(
    """
    reason reasoning explanation justification rationale feedback comment comments analysis pros
    cons strength weakness confidence thanks thank helps grammar spelling style tone content
    structure format logic depth clarity accuracy quality language coverage coherence relevance
    relevant irrelevant evidence support supported unsupported knowledge context topic subject
    rest everything nothing most some all because since due given lack lacks lacking missing
    miss misses omit omits fails fail failed covers cover covered addresses address addressed
    answers follows follow ignores explains explain describes mentions contains contain includes
    include states gives has needs shows uses cites provides meets satisfies matches captures
    keeps reads flows good well great excellent perfect flawless fine fair poor bad weak strong
    solid decent adequate acceptable average mediocre outstanding superb impressive nice clear
    vague concise verbose brief short long wordy complete incomplete correct incorrect
    right wrong accurate inaccurate precise imprecise helpful unhelpful useful useless polite
    rude detailed thorough shallow superficial coherent incoherent consistent inconsistent
    fluent readable organised organized structured written argued reasoned factual student
    understanding remain remains contradicts contradict full easy read directly formatting
    honest works done met tidy minor major mostly partly partially largely fully entirely
    completely improved improve improvement improvements conclusion introduction plot ending
    deadline formula point points code better best worst recommended insightful convincing
    persuasive logical illogical sound plausible repetitive redundant dull boring engaging
    creative original understandable confusing misleading harmful safe unsafe harmless biased
    neutral appropriate inappropriate work job try attempt effort however although
    """
)
# A remark that begins so is about what was judged: it lacks, the answer is, all claims are.
PRONOUNS: Final = _words("it he she")
DETERMINERS: Final = _words("the this its their all some most both many several few every each two")
JUDGED: Final = (COUNTED | SUBJECTS | OBJECTS_JUDGED) - _NOT_EXPLAINING
LIMITS: Final = _words("max maximum top highest best possible full")
# What joins numbers: 4 or 5, 3 to 4, 4 (maybe 5).
JOINING: Final = UNITS | _words(
    """
    or to and a out of on over from scale maybe perhaps possibly possible even almost nearly
    rather than instead through but not no actually vs versus plus minus times x max maximum
    total
    """
)
# What joins a later one: 4, later revised to 3.
CHANGING: Final = JOINING | _words(
    "in later it then now should be is was revised changed lowered raised corrected"
)
