"""The normaliser of the Open ASR Leaderboard for English, in the state of August 2026.

It is Whisper's, with other fillers, without four of the contractions of the package whisper-normalizer, with
unified spellings of first names, with compounds and with acronyms. The facts (the words, not the program) are those
that the board publishes. Twenty of its spellings differ from Whisper's list.
"""

from __future__ import annotations

from collections.abc import Callable

from aune.tasks.speech.text.spelling import dated_spellings
from aune.tasks.speech.text.whisper import CONTRACTIONS, FILLERS, EnglishRules

MORE_FILLERS = "ah aha ahh ahm eh ehehe em hm huh hum mhum uhm umm uhuh"
IS_AFTER = "it he she what that who here there how when where why this"
COMPOUNDS = {
    "et cetera": "etc", "al right": "alright", "all right": "alright", "how ever": "however", "a m": "am", "p m": "pm",
    "o k": "okay",
} | {f"{first} fi": f"{first}fi" for first in ("wi", "hi", "lo", "sci")} | {
    f"{letter} {word}": letter + word
    for letter, word in (("e", "mail"), ("e", "book"), ("e", "commerce"), ("x", "ray"), ("t", "shirt"))
}  # fmt: skip
UNLISTED = ("archeological", "cancelation", "cancelations", "flyer / flier", "travelog", "travelogs")
"""Entries of Whisper's list that the board omits."""
OTHERWISE = {
    "ok": "okay", "kay": "okay", "etcetera": "etc", "mm": "hmm", "flyer": "flier", "archaeology": "archeology",
    "archaeological": "archeological", "cancellation": "cancelation", "cancellations": "cancelations",
    "pummelled": "pummeled", "pummelling": "pummeling", "snowploughs": "snowplows", "travelogue": "travelog",
    "travelogues": "travelogs",
}  # fmt: skip
"""Spellings that the board changes or adds."""
NAMES = """
aaron: aron; alfonso: alphonso; alison: allison alyson; allen: alan allan; anne: ann; anthony: antony; arthur: artur;
brett: bret; brian: bryan; bridget: bridgette; caitlin: kaitlin kaitlyn katelyn; carl: karl; carol: carole carrol
carroll; catherine: catharine katherine kathryn; cathy: kathy; charlie: charley charly; chris: kris; christina:
kristina; christopher: cristopher kristopher; colin: collin; deborah: devorah; dennis: denis; dominic: dominick;
douglas: douglass; dylan: dillon; eric: erick erik; fatima: fatimah; frederick: frederik fredrick; gail: gayle; gary:
garry; greg: gregg; henry: henri; ivonne: yvonne; jackie: jacky; jamie: jaime; jason: jayson; jeff: geoff; jeffrey:
geoffrey jeffery; joanne: joane joann; john: jon; jonathan: johnathan jonathon; joseph: josef; karen: caren caryn
karin; kelly: kelley kelli kellye; kevin: kevan; kristin: kristen; laurie: lori; lawrence: laurence; lee: leigh;
leslie: lesley; lily: lilly; linda: lynda; lindsay: lindsey linsey; louis: lewis; lucas: lukas; lynn: lynne; mark:
marc; martin: martyn; matthew: mathew; mcarthur: macarthur; mccarthy: macarthy maccarthy; mccartney: macartney;
mcdonald: macdonald; mcgowan: macgowan; mcintosh: macintosh; mcintyre: macintyre; mckay: mackay; mckenzie: mackenzie;
mclean: maclean; mcleod: macleod; mcmillan: macmillan; mcnamara: macnamara; megan: meghan; michael: micheal; michelle:
michele; miriam: myriam; mohammed: mahomet mohamad mohamed mohammad mouhamad mouhamed muhamad muhammad muhammed;
molly: mollie; natalie: nathalie; neil: neal; nicholas: nicolas; nicole: nikole; patrick: patrik; peter: pieter;
philip: phillip; rachel: rachael; rajiv: rajeev; rebecca: rebekah; rob: robb; robin: robyn; roger: rodger; ronda:
rhonda; russell: russel; sally: sallie; sarah: sara; sean: shaun shawn; shane: shayne; sherry: cheri sheri sherrie;
simon: symon; stacy: stacey stacie; steven: stephen; stuart: stewart; susanne: suzanne; teresa: theresa; terry: terri;
thomas: tomas; toby: tobey; tony: toni; tracy: tracey tracie; veronica: veronika; victor: viktor; victoria: viktoria;
walter: walther; yousef: yusef yusuf; zach: zak; zachary: zachery zackary
"""


def names() -> dict[str, str]:
    """The usual form of each variant of a name."""
    usual: dict[str, str] = {}
    for entry in NAMES.split(";"):
        name, _, variants = entry.strip().partition(":")
        usual |= dict.fromkeys(variants.split(), name)
    return usual


def _spelling(need: str, *, is_board: bool) -> Callable[[str], str]:
    spellings = dict(dated_spellings(need))
    if is_board:
        spellings = {word: spelling for word, spelling in spellings.items() if word not in UNLISTED} | OTHERWISE
    usual_names = names() if is_board else {}

    def spell(word: str) -> str:
        spelling = spellings.get(word, word)
        return usual_names.get(spelling, spelling)

    return spell


def board_rules() -> EnglishRules:
    """The rules of August 2026."""
    return EnglishRules(
        _spelling("open-asr@2026-08", is_board=True),
        fillers=(*FILLERS, *MORE_FILLERS.split()),
        contractions=CONTRACTIONS,
        is_after=IS_AFTER.split(),
        compounds=COMPOUNDS,
        joins_letters=True,
    )


def early_board_rules() -> EnglishRules:
    """The rules until April 2026: OpenAI's."""
    return EnglishRules(_spelling("open-asr@2025", is_board=False), contractions=CONTRACTIONS)
