"""Does the report show the checkpoints that were measured, and no others?"""

import json

from humans import study

from biases_jax import results
from biases_jax.models import origin
from biases_jax.settings import DONE
from biases_jax.stages import analyse, evaluate


def convert(request, model, weights_sha256):
    """Leave what a conversion of such weights leaves, as far as reports read it."""
    verdict = {"status": "not the paper's weights", "verdict": "others"}
    manifest = {
        "model": model,
        "weights_sha256": weights_sha256,
        "stem_stride": 2,
        "fingerprint": verdict,
        "licence": "",
        "sources": {"backbone": {"file": "x.pth", "sha256": "12", "digits": 0}},
    }
    folder = request.checkpoints / model
    (folder / "arrays").mkdir(parents=True, exist_ok=True)
    (folder / "manifest.json").write_text(json.dumps(manifest))
    assert origin.identity(manifest) == weights_sha256


def test_a_checkpoint_is_shown_if_its_weights_are_those_of_the_rows(small):
    assert evaluate.run(small) == DONE
    row = results.read(small.results).verdicts()[0]
    convert(small, row.model, row.provenance["weights_sha256"])
    assert analyse.run(small) == DONE
    page = (small.report / "index.html").read_text()
    assert "x.pth" in page
    assert f"{row.model}: others. Its numbers do not stand for" in page
    convert(small, row.model, "0" * 64)  # converted anew, and not measured since
    assert analyse.run(small) == DONE
    assert "x.pth" not in (small.report / "index.html").read_text()


def test_trials_of_people_in_the_data_root_are_compared_with(small, tmp_path):
    assert evaluate.run(small) == DONE
    study.measure(tmp_path / "run", "a", "edge")
    assert analyse.run(small) == DONE
    page = small.report / "index.html"
    assert "Not compared: no trials of people are here" in page.read_text()
    study.show(tmp_path / "images" / "model-vs-human", "edge")
    assert analyse.run(small) == DONE
    assert "<caption>Error consistency with people" in page.read_text()
    assert (small.report / "people.csv").exists()
