from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from aune.campaign.campaign import Campaign, NotVisibleError
from aune.campaign.ledger.state import Team
from aune.campaign.protocol.visibility import EVERYBODY, THE_ORGANISER, Viewer
from aune.campaign.runs.handouts import handout_zip, make_handout, read_handout
from aune.errors import InputError, UsageError


def test_texts_go_to_those_who_accepted_and_every_download_is_logged(campaign: Campaign) -> None:
    first_team = campaign.register("one")
    me = Viewer("participant", first_team.id)
    with pytest.raises(UsageError, match="licence"):
        make_handout(campaign, me, "try")
    campaign.accept_licence(first_team.id)
    files = make_handout(campaign, me, "try")
    assert files["try.tsv"] == b"A\t_\ndog\t_\nbarks\t_\n.\t_\n\nThe\t_\ncat\t_\nruns\t_\n.\t_\n\n"
    assert not any("key" in name for name in files)
    assert make_handout(campaign, me, "try") == files  # again within the hour, it is the same download
    [(_, team, dataset)] = campaign.state.downloads
    assert (team, dataset) == (first_team.id, "try")
    assert handout_zip(files) == handout_zip(make_handout(campaign, THE_ORGANISER, "try"))


def test_nobody_gets_texts_before_their_phase(campaign: Campaign, team: Callable[..., Team]) -> None:
    me = Viewer("participant", team(campaign, "one").id)
    for viewer in (me, EVERYBODY):
        with pytest.raises(NotVisibleError):
            make_handout(campaign, viewer, "final")
    with pytest.raises(NotVisibleError):
        make_handout(campaign, EVERYBODY, "try")


def test_training_texts_come_with_their_key(campaign: Campaign, team: Callable[..., Team]) -> None:
    files = make_handout(campaign, Viewer("participant", team(campaign, "one").id), "train")
    assert files["key/train.tsv"] == (campaign.folder / "keys/train.tsv").read_bytes()


def test_a_key_may_cover_a_part_of_what_is_handed_out(campaign: Campaign, team: Callable[..., Team]) -> None:
    """The key of the test is about one of two documents; nobody can tell which."""
    path = campaign.folder / "campaign.toml"
    text = path.read_text().replace('key = "keys/final.tsv"', 'key = "keys/part.conllu"\ntexts = "keys/all.conllu"')
    path.write_text(text.replace("[scoring.options]\n", '[scoring.options]\ndocuments = "newdoc"\n'))

    def sentence(name: str, word: str) -> str:
        return f"# newdoc id = {name}\n1\t{word}\t_\tNOUN\t_\t_\t_\t_\t_\t_\n\n"

    (campaign.folder / "keys/part.conllu").write_text(sentence("b", "dog"))
    (campaign.folder / "keys/all.conllu").write_text(sentence("a", "cat") + sentence("b", "dog"))
    campaign.begin_phase("dry adjudication")
    campaign.begin_phase("test")
    first_team = team(campaign, "one")
    texts = make_handout(campaign, Viewer("participant", first_team.id), "final")["final.conllu"].decode()
    assert "cat" in texts and "dog" in texts and "NOUN" not in texts
    from aune.campaign.runs.jobs import score_waiting

    campaign.receive(first_team.id, "final", "half", "a.conllu", sentence("b", "dog").encode())
    campaign.receive(first_team.id, "final", "all", "a.conllu", (sentence("a", "cat") + sentence("b", "dog")).encode())
    assert score_waiting(campaign) == {"refused": 1, "scored": 1}


def test_a_folder_that_was_not_handed_out(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no handout"):
        read_handout(tmp_path)


@pytest.mark.parametrize("name", ["../x.tsv", "/etc/passwd", "a/../../x", "", ".."])
def test_a_stranger_s_handout_names_no_file_outside_it(campaign: Campaign, tmp_path: Path, name: str) -> None:
    for path, content in make_handout(campaign, THE_ORGANISER, "try").items():
        (tmp_path / "handout" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "handout" / path).write_bytes(content)
    about = tmp_path / "handout" / "handout.json"
    about.write_text(about.read_text().replace('"try.tsv"', json.dumps(name)))
    with pytest.raises(InputError, match=r"found no handout .*\$\.texts"):
        read_handout(tmp_path / "handout")
