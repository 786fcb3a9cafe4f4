"""British spellings and their American equivalents, by families of words.

Source: the published rules of Whisper's English normaliser (Radford et al. 2022, appendix C), which name the list of
British and American spellings at tysto.com. The list is stored here as families (a stem, an ending, the part that
changes), which cover a few more forms. Errors of the list (`pummelled` becomes `pummel`,
`archaeology` ends in a tag, `mhm` is British) are not reproduced. The original list is in the package
whisper-normalizer (`listed_spellings`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from aune.errors import UsageError


class Family(NamedTuple):
    """Words with the same change: stem + british + ending becomes stem + american + ending."""

    british: str
    american: str
    endings: str
    """`-` means no ending."""
    stems: str


FAMILIES = (
    Family(
        "is", "iz", "e ed es ing ingly er ers ation ations ational able ably ement",
        (
            "accessor acclimat aggrand agon amort anglic annual antagon apolog appet author bapt bastard bowdler "
            "brutal canal cannibal canon capital caramel carbon categor cauter central character circular civil "
            "collectiv colon commercial compartmental computer conceptual contextual criminal critic crystall "
            "custom decentral decriminal dehuman demilitar demobil democrat demon demoral denational deodor "
            "depersonal deput desensit destabil digit disorgan dramat econom editorial empath emphas energ epitom "
            "equal eulog evangel exorc extempor external factor familiar fantas femin fertil fictional final "
            "formal fossil fratern galvan general ghetto glamor global harmon homogen hospital human hybrid "
            "hypnot hypothes ideal idol immobil immortal immun individual industrial initial institutional "
            "intellectual internal international ion italic item jeopard legal legitim liberal lion liquid local "
            "magnet marginal material maxim mechan memor memorial mesmer metabol militar miniatur minim mobil "
            "modern moistur monopol moral motor national natural neutral normal optim organ ostrac overemphas "
            "oxid particular passiv pasteur patron pedestrian penal personal philosoph plagiar polar politic "
            "popular pressur priorit privat professional propagand proselyt public pulver radical random rational "
            "real recogn regular reorgan revital revolution rhapsod ritual romantic sanit satir scandal scrutin "
            "secular sensational sensit sentimental serial sermon signal social sodom solemn special stabil "
            "standard steril stigmat subsid summar symbol sympath synchron synthes systemat tantal tempor tender "
            "terror theor transistor traumat trivial tyrann unauthor uncivil underutil union unorgan unrecogn "
            "urban util vandal vapor verbal victim visual vocal vulcan vulgar western woman"
        ),
    ),
    Family(
        "ys", "yz", "e ed es ing er ers",
        "anal breathal catal paral psychoanal",
    ),
    Family(
        "our", "or", (
            "- s ed edly eds ing ings er ers ful fully less able ably al ant ants hood hoods ies ism ist ists ite "
            "ites itism ize ized izes izing liness ly some y"
        ),
        (
            "arb ard arm behavi belab cand clam clang col demean discol disfav dishon enam endeav fav ferv flav "
            "harb hon hum lab misbehavi misdemean multicol neighb od parl ranc rig rum sav savi splend succ "
            "technicol tricol tum unfav unsav val vap vig watercol"
        ),
    ),
    Family(
        "ll", "l", "ed ing ingly er ers est or ors ist ists ous ously",
        (
            "backpeda bedevi bejewe beve cance caro cavi channe chise counci counse crue cudge dia disembowe "
            "disheve drive due ename funne gambo grave grove grue impane imperi initia jewe labe leve libe marsha "
            "marve mode pane parce peda penci pumme quarre rave refue remode reve riva shove shrive signa snive "
            "snorke spira squirre stenci swive tasse towe trave tria tunne unequa unrave unriva untramme wease "
            "woo yode"
        ),
    ),
    Family(
        "ll", "l", "y en ens ies",
        "woo",
    ),
    Family(
        "l", "ll", "- s ment ments",
        "appa disti enro enthra fulfi insta insti",
    ),
    Family(
        "re", "er", "- s fold folds piece pieces glass goer goers",
        (
            "amphitheat calib cent centilit centimet epicent fib goit kilomet lacklust lit louv lust meag met "
            "micromet millilit millimet mit reconnoit sab saltpet scept sepulch somb spect theat"
        ),
    ),
    Family(
        "r", "er", "ed ing",
        "cent louv reconnoit",
    ),
    Family(
        "ae", "e", "-",
        (
            "bougainvill@a bougainvill@as c@sarean c@sareans chim@ra chim@ras f@cal f@ces leuk@mia medi@val "
            "orthop@dic orthop@dics pr@sidium pr@sidiums prim@val tox@mia an@mia an@mic @on @ons @tiology"
        ),
    ),
    Family(
        "oe", "e", "-",
        "diarrh@a ed@ma gonorrh@a pharmacop@ia pharmacop@ias @strogen",
    ),
    Family(
        "ogue", "og", "- s",
        "anal catal dial epil monol prol",
    ),
    Family(
        "me", "", "- s",
        "aerogram centigram gram kilogram milligram program",
    ),
    Family(
        "ence", "ense", "- s d less",
        "def lic off pret",
    ),
    Family(
        "te", "", "- s",
        "epaulet omelet",
    ),
    Family(
        "c", "k", "- s",
        "dis videodis",
    ),
    Family(
        "ss", "s", "ed ing es",
        "bia bu ga minibu",
    ),
    Family(
        "pp", "p", "ed ing er ers",
        "worshi",
    ),
    Family(
        "x", "ct", "ion ions",
        "conne infle",
    ),
)  # fmt: skip
BEGINNINGS = {
    "aesthet": "esthet", "manoeuvred": "maneuvered", "outmanoeuvred": "outmaneuvered", "anaesthetise": "anesthetize",
    "anaesthetising": "anesthetizing", "anaesth": "anesth", "archaeolog": "archeolog", "baulk": "balk",
    "behov": "behoov", "cataloguing": "cataloging", "catalogued": "cataloged", "cheque": "check",
    "chequer": "checker", "cosi": "cozi", "cosy": "cozy", "cypher": "cipher", "draught": "draft",
    "encyclopaed": "encycloped", "flautist": "flutist", "foet": "fet", "gaol": "jail", "grey": "gray",
    "groyne": "groin", "gryphon": "griffin", "gynaecolog": "gynecolog", "haemat": "hemat", "haemo": "hemo",
    "homoeopath": "homeopath", "manoeuvre": "maneuver", "manoeuvr": "maneuver", "outmanoeuvre": "outmaneuver",
    "outmanoeuvr": "outmaneuver", "mould": "mold", "moult": "molt", "moustach": "mustach", "oesophag": "esophag",
    "paed": "ped", "palaeo": "paleo", "plough": "plow", "practis": "practic", "pyjama": "pajama", "remould": "remold",
    "sceptic": "skeptic", "smoulder": "smolder", "snowplough": "snowplow", "sulph": "sulf", "syphon": "siphon",
    "tranquillis": "tranquiliz", "tranquilliz": "tranquiliz", "waggon": "wagon", "yoghourt": "yogurt",
    "yoghurt": "yogurt",
}  # fmt: skip
SINGLE_WORDS = {
    "accoutrements": "accouterments", "aeroplane": "airplane", "aeroplanes": "airplanes", "ageing": "aging",
    "almanack": "almanac", "almanacks": "almanacs", "aluminium": "aluminum", "archeological": "archaeological",
    "artefact": "artifact", "artefacts": "artifacts", "axe": "ax", "bannister": "banister", "bannisters": "banisters",
    "battleax": "battleaxe", "bevvies": "bevies", "bevvy": "bevy", "bingeing": "binging", "calliper": "caliper",
    "callipers": "calipers", "callisthenics": "calisthenics", "cancelation": "cancellation",
    "cancelations": "cancellations", "chilli": "chili", "clarinettist": "clarinetist",
    "clarinettists": "clarinetists", "crenelated": "crenellated", "fillet": "filet", "filleted": "fileted",
    "filleting": "fileting", "fillets": "filets", "gage": "gauge", "gaged": "gauged", "gages": "gauges",
    "gaging": "gauging", "gipsies": "gypsies", "glamor": "glamour", "glueing": "gluing", "jewellery": "jewelry",
    "judgement": "judgment", "licencing": "licensing", "likeable": "likable", "misspelt": "misspelled",
    "philtre": "filter", "philtres": "filters", "phoney": "phony", "pouffe": "pouf", "pouffes": "poufs",
    "pzazz": "pizzazz", "recognisance": "recognizance", "sheikh": "sheik", "storey": "story", "storeys": "stories",
    "tonne": "ton", "tonnes": "tons", "tranquillity": "tranquility", "tranquilly": "tranquilly",
    "travelog": "travelogue", "travelogs": "travelogues", "tyre": "tire", "tyres": "tires",
}  # fmt: skip


@cache
def _spellings() -> dict[str, str]:
    """The American spelling of every word of the families; `@` in a stem marks the position of the change."""
    spellings = dict(SINGLE_WORDS)
    for family in FAMILIES:
        for stem in family.stems.split():
            for ending in family.endings.replace("-", "@").split(" ") if "@" not in stem else ["@"]:
                shape = stem if "@" in stem else f"{stem}@{ending.strip('@')}"
                spellings.setdefault(shape.replace("@", family.british), shape.replace("@", family.american))
    return spellings


def american(word: str) -> str:
    """The American spelling of a word in small letters.

    >>> american("organised"), american("colours"), american("advise"), american("haemoglobin")
    ('organized', 'colors', 'advise', 'hemoglobin')
    """
    known = _spellings().get(word)
    if known is not None:
        return known
    for size in range(len(word), 3, -1):
        if word[:size] in BEGINNINGS:
            return BEGINNINGS[word[:size]] + word[size:]
    return word


PACKAGE = "whisper-normalizer"
EXTRA = "pip install 'aune[whisper]'"
LIST_DIGEST = "44424a714cc24667"
"""The digest of the list on which the dated conventions are based."""


def package_version(need: str) -> str:
    """The version of the package with Whisper's list; raises `UsageError` if it is not installed."""
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - few calls look for the package

    try:
        return version(PACKAGE)
    except PackageNotFoundError:
        raise UsageError(f"{need} needs the spelling list of the package {PACKAGE}: install it with {EXTRA}") from None


@cache
def listed_spellings(need: str) -> Mapping[str, str]:
    """British words and their American spellings, as in the package; `need` names what needs them."""
    from importlib.resources import files  # noqa: PLC0415 - as above

    package_version(need)
    spellings: dict[str, str] = json.loads(
        files("whisper_normalizer").joinpath("normalizers/english.json").read_bytes()
    )
    return spellings


def dated_spellings(need: str) -> Mapping[str, str]:
    """The same list; refused if the package's list differs from that on the date of a convention."""
    spellings = listed_spellings(need)
    if list_digest(spellings) != LIST_DIGEST:
        raise UsageError(
            f"{need}: {PACKAGE} {package_version(need)} has another spelling list than the one of that date: install "
            f"version 0.1.15 of the package"
        )
    return spellings


def list_digest(spellings: Mapping[str, str]) -> str:
    """The beginning of the SHA-256 of a list, independent of its order."""
    return hashlib.sha256(json.dumps(sorted(spellings.items())).encode()).hexdigest()[:16]
