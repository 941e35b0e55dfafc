"""Does the report say whose weights were measured?"""

from biases_jax.analysis import weights
from convert import fingerprint

PAPERS = fingerprint.Verdict(fingerprint.VERIFIED, "tv_resnet50", 0.0, "layer1.0.conv2")
OTHERS = fingerprint.Verdict(fingerprint.OTHER, "resnet50_dino", 0.5, "layer4.0.conv2")


def manifest(model, verdict, licence="mit", **files):
    sources = {
        part: {"file": file, "sha256": "ab" * 32, "digits": 8 * (part == "head")}
        for part, file in files.items()
    }
    return {
        "model": model,
        "licence": licence,
        "fingerprint": verdict.record(),
        "sources": sources,
    }


def test_each_file_has_its_line():
    manifests = [
        manifest("one", PAPERS, backbone="body<1>.pth", head="head.pth"),
        manifest("two", fingerprint.Verdict(fingerprint.NONE), "", backbone="two.pth"),
    ]
    text = weights.section(manifests)
    assert text.count("<tr>") == 4
    for cell in ("body&lt;1&gt;.pth", "ab" * 32, "not known", "8 of 64 digits", "own"):
        assert f">{cell}</td>" in text
    assert text.count(">verified</td>") == text.count(">not covered</td>") == 1
    assert weights.doubts(manifests) == []


def test_weights_that_are_not_the_papers_are_a_warning():
    (text,) = weights.doubts([manifest("one", OTHERS, backbone="a.pth")])
    assert text.startswith("one: not the paper's weights (differ most in layer4.0")
    assert weights.OTHER == fingerprint.OTHER


def test_without_checkpoints_there_is_no_section():
    assert weights.section([]) == ""
