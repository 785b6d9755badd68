"""English: its finer rules are in `extract/instructions.py` and `extract/wording.py`."""

from __future__ import annotations

from cortex_core.base.text import STOP_WORDS
from cortex_core.extract import wording
from cortex_core.extract.grammar import Forms, Grammar, start, whole, within
from cortex_core.extract.instructions import FILLER

GRAMMAR = Grammar(
    code="en",
    empty=whole(*sorted(STOP_WORDS)),
    fillers=Forms(FILLER),
    remember_that=Forms(
        r"^(?:please |and |so )*(?:remember|memori[sz]e|keep|save|store|note"
        r"|don'?t forget)(?: (?:this"
        r"|that|it))(?: in mind| down| to (?:your |the )?memory| in (?:your "
        r"|the )?memory)?(?: (?:for"
        r"|in) (?:later|next time|the future|future|all|good|every \w+)[\w ]{0,20})?\W*$"
    ),
    standing=within("always|never|at all times|under no circumstances"),
    duty=within(
        r"must|required?|requires|requiring|only|needs?|need to|cannot|can't|should|enforc(?:es|ed"
        r"|ing)|mandatory|not allowed|forbidden|has to|have to|convention|source of truth"
    ),
    forbids=within(r"do(?:es)? not|don't|doesn't|must not|mustn't"),
    prefers=within(r"prefer(?:s|red)?"),
    contrast=within(r"instead of|rather than"),
    reason=within(
        r"because|since|so that|due to|to (?:avoid|prevent|guarantee|ensure)|instead of|rather than"
        r"|caused by|in favou?r of|otherwise"
    ),
    explains=start(r"because|otherwise|that way|the reason|this way", spaced=False),
    asks=Forms(wording.QUESTION_START),
    one_off=Forms(wording.ONE_OFF),
    hedges=Forms(wording.HEDGED),
    pronouns=Forms(wording.PRONOUN_START),
    away=Forms(wording.DEICTIC),
    objection=start(
        r"no|nope|wrong|incorrect|not quite|that'?s (?:not (?:right|true|correct|it)|wrong"
        r"|incorrect)"
    ),
    assent=whole(
        r"(?:yes|yeah|yep|yup|ok(?:ay)?|sure|right|correct|exactly|agreed|sounds good|looks good"
        r"|lgtm"
        r"|great|perfect|good|fine|go ahead|do it|please do|go for it|makes sense)(?:[\s,.!]+(?:yes"
        r"|please|thanks|thank you|go ahead|do it|sounds good|looks good|great))*"
    ),
    undecided=whole(
        r"you (?:decide|choose|pick)|your (?:call|choice)|whatever|up to you|either|any"
        r"|no preference|don'?t (?:care|know)|not sure|i don'?t know|skip|other|none|n/?a|later"
    ),
    concedes=within(
        r"you(?:'re| are) (?:absolutely |completely |totally |quite )?(?:right|correct)"
        r"|i apologi[sz]e|my (?:mistake|apologies|bad)|sorry (?:about|for) that|good (?:catch"
        r"|point)"
        r"|i (?:was wrong|misunderstood|misread|should have|shouldn't have)|fair point"
        r"|thanks for (?:the correction|correcting|clarifying|catching)"
    ),
    first_person=Forms(wording.FIRST_PERSON),
    second_person=within(r"you|your|yours|yourself|claude"),
    no_access=within(
        r"you (?:don'?t|do not|won'?t|can'?t|cannot) (?:have (?:access to|permission)|access|reach"
        r"|use"
        r"|see|run)|(?:there'?s|there is) no|(?:isn'?t|is not|aren'?t|are not) (?:installed"
        r"|available"
        r"|running|reachable)|no access to"
    ),
    everywhere=within(r"all my projects|every project|all projects|all my repos|globally"),
)
