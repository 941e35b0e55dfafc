"""Does the report show the checkpoints that were measured, and no others?"""

import json

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
