"""The conventions for entity scores, by name.

`optimal` pairs key and response entities so that the measure is best, whatever their order. `hipe` gives the
numbers of the HIPE scorer (and of the SemEval 2013 scorer that it comes from), which takes the first overlap,
folds the case of labels, and leaves out entities whose label the key does not have. The campaigns gave the scorer a
file of labels too: `hipe@2020` and `hipe@2022` leave out entities whose label is neither in the key nor in that file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

Undefined: TypeAlias = Annotated[Literal["zero", "one", "none"], "what a ratio without a denominator is worth"]

HIPE_2020 = (
    "comp.demonym", "comp.function", "comp.name", "comp.qualifier", "comp.title", "loc", "loc.add.elec", "loc.add.phys",
    "loc.adm.nat", "loc.adm.reg", "loc.adm.sup", "loc.adm.town", "loc.fac", "loc.oro", "loc.phys.astro", "loc.phys.geo",
    "loc.phys.hydro", "loc.unk", "org", "org.adm", "org.ent", "org.ent.pressagency", "pers", "pers.coll", "pers.ind",
    "pers.ind.articleauthor", "prod", "prod.doctr", "prod.media", "time", "time.date.abs", "time.hour.abs",
)  # fmt: skip
"""The labels of the tagset file of HIPE-2020."""
HIPE_2022 = (
    "building", "comp", "comp.demonym", "comp.function", "comp.name", "comp.qualifier", "comp.title", "date",
    "humanprod", "loc", "loc.add", "loc.add.elec", "loc.add.phys", "loc.adm", "loc.adm.nat", "loc.adm.reg",
    "loc.adm.sup", "loc.adm.town", "loc.admin.sup", "loc.fac", "loc.oro", "loc.phys", "loc.phys.astro", "loc.phys.geo",
    "loc.phys.hydro", "loc.unk", "object", "object.manuscr", "object.museum", "org", "org.adm", "org.ent",
    "org.ent.pressagency", "per", "per.author", "pers", "pers.author", "pers.coll", "pers.editor", "pers.ind",
    "pers.ind.articleauthor", "pers.myth", "pers.other", "prod", "prod.doctr", "prod.media", "scope", "street", "time",
    "time.date.abs", "work", "work.primlit", "work.seclit",
)  # fmt: skip
"""The labels of the tagset file of HIPE-2022, all data sets together."""

CONVENTIONS: Mapping[str, Mapping[str, Any]] = {
    "optimal": {"pairing": "optimal", "undefined": "zero"},
    "hipe": {"pairing": "first", "undefined": "zero", "case": "fold", "among": ("key",)},
    "hipe@2020": {"pairing": "first", "undefined": "zero", "case": "fold", "among": ("key", *HIPE_2020)},
    "hipe@2022": {"pairing": "first", "undefined": "zero", "case": "fold", "among": ("key", *HIPE_2022)},
}
