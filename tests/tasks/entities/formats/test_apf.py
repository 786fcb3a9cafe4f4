"""ACE's APF."""

from __future__ import annotations

from pathlib import Path

from aune.contract import registry
from tests.tasks.formats import read as read_text

SAMPLES = Path(__file__).parent / "samples"
TASK = registry.task("entities")


APF = """<source_file URI="a.sgm"><document DOCID="a"><entity ID="E1" TYPE="PER" SUBTYPE="Group" CLASS="GEN">
<entity_mention ID="E1-1" TYPE="NOM" METONYMY_MENTION="TRUE"><extent><charseq START="10" END="21">x</charseq></extent>
</entity_mention></entity></document></source_file>"""


def test_entities_and_mentions() -> None:
    (text,) = read_text("entities", "apf", APF)
    assert (text.id, text.unit, text.triples()) == ("a", "character", [(10, 22, "PER.Group")])
    ((kind, subtype, sort, (mention,)),) = text.referents
    assert (kind, subtype, sort) == ("PER", "Group", "GEN") and (mention.type, mention.style) == ("NOM", "METONYMIC")
