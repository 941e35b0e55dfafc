"""Does the program keep its promises as a user runs it: kill, resume, share, refuse?"""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

import numpy as np
import pyarrow.parquet as parquet
import pytest

ROOT = pathlib.Path(__file__).parents[1]
BENCHMARKS = ("natural/imagenet", "spectral/low_pass/0.2", "spectral/high_pass/0.5")
TABLES = ("wide.csv", "long.csv", "long.parquet")
# Blocks of 8 examples, so that two dozen photographs are several.
PROGRAM = (
    "import runpy, sys; from biases_jax import schedule; schedule.BLOCK = 8; "
    "sys.argv[0] = 'main.py'; runpy.run_path('main.py', run_name='__main__')"
)


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """Return the variables of the program's processes, with a compilation cache."""
    cache = tmp_path_factory.mktemp("compiled")
    variables = {
        "JAX_COMPILATION_CACHE_DIR": str(cache),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0.5",
        "JAX_PLATFORMS": "cpu",
        "XLA_FLAGS": "",
        "PYTHONPATH": str(ROOT / "tests"),
    }
    return os.environ | variables


def free_port():
    with socket.socket() as server:
        server.bind(("localhost", 0))
        return server.getsockname()[1]


def command(workdir, *flags, batch_size=4):
    return [
        sys.executable,
        "-c",
        PROGRAM,
        "--config=tests/small_config.py",
        f"--config.benchmarks={BENCHMARKS}",
        f"--config.batch_size={batch_size}",
        f"--workdir={workdir}",
        *flags,
    ]


def linked(environment, workdir, count, *flags, **options):
    """Run `count` linked processes; return their exit codes and output."""
    coordinator = f"--coordinator_address=localhost:{free_port()}"
    processes = [
        subprocess.Popen(
            command(
                workdir,
                "--distributed",
                coordinator,
                f"--process_count={count}",
                f"--process_index={index}",
                f"--expected_process_count={count}",
                *flags,
                **options,
            ),
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for index in range(count)
    ]
    outputs = [process.communicate(timeout=300)[0] for process in processes]
    return [process.returncode for process in processes], outputs


def run(environment, workdir, *flags, **options):
    return subprocess.run(
        command(workdir, *flags, **options),
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.fixture
def prepared(whole, tmp_path):
    """Return a folder with the files that were prepared for the whole run.

    The checkpoints are made by a network's answers, whose last bits may depend on the
    number of devices: runs to be compared start from the same ones.
    """
    for name in ("weights", "photographs"):
        shutil.copytree(whole / name, tmp_path / name)
    return tmp_path


def tables(workdir):
    return {name: (workdir / "report" / name).read_bytes() for name in TABLES}


def block_lines(workdir):
    lines = []
    for path in (workdir / "results").glob("*.jsonl"):
        for line in path.read_text().splitlines():
            try:
                entry = json.loads(line)
            except json.JSONDecodeError:
                continue  # torn by the kill
            if entry["kind"] == "block":
                lines.append(entry)
    return lines


def predictions(workdir):
    """Return {(model, benchmark, id): (predicted, margin)} of all records."""
    found = {}
    for path in (workdir / "records").glob("*.parquet"):
        for r in parquet.read_table(path).to_pylist():
            key = (r["model"], r["benchmark"], r["id"])
            assert key not in found
            found[key] = (r["predicted"], r["margin"])
    return found


@pytest.fixture(scope="module")
def whole(environment, tmp_path_factory):
    """Return the folder of an uninterrupted run of one process."""
    workdir = tmp_path_factory.mktemp("whole")
    result = run(environment, workdir)
    assert result.returncode == 0, result.stderr
    assert str(workdir / "report/index.html") in result.stdout
    return workdir


def test_a_run_leaves_rows_records_tables_and_a_report(whole):
    assert "<svg" in (whole / "report/index.html").read_text()
    wide = (whole / "report/wide.csv").read_text().splitlines()
    assert wide[0].startswith("model,top1_acc/imagenet")
    assert len(wide) == 3
    blocks = block_lines(whole)
    assert len(blocks) == 2 * len(BENCHMARKS) * 3
    assert sum(b["sums"]["count"] for b in blocks) == 2 * len(BENCHMARKS) * 24
    assert len(predictions(whole)) == 2 * len(BENCHMARKS) * 24
    # The read-out knows two of six crops of each photograph: far above chance, 1 %.
    top1 = [b["sums"]["top1"] for b in blocks if b["first"] == 0]
    assert sum(top1) > 0
    run_line = json.loads(
        next((whole / "results").glob("*.jsonl")).read_text().splitlines()[0]
    )
    assert {"libraries", "device_kind", "process_count", "prng"} <= set(run_line)
    cost = {name: sum(b["cost"][name] for b in blocks) for name in blocks[0]["cost"]}
    assert cost["forwards"] == 2 * len(BENCHMARKS) * 24
    assert cost["decodes"] == pytest.approx(24)  # one decode for both models


def test_a_second_run_measures_nothing_and_changes_nothing(environment, whole):
    before = tables(whole)
    lines = len(block_lines(whole))
    assert run(environment, whole).returncode == 0
    assert len(block_lines(whole)) == lines
    assert tables(whole) == before


def test_killed_and_started_again_gives_the_same_bytes(environment, whole, prepared):
    process = subprocess.Popen(
        command(prepared),
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 240
    while not block_lines(prepared):
        assert process.poll() is None, "the run ended before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    done = block_lines(prepared)
    assert 0 < len(done) < 2 * len(BENCHMARKS) * 3
    # What a kill can also leave: a torn line, an empty file, a half-written one.
    journal = next((prepared / "results").glob("*.jsonl"))
    with journal.open("a") as file:
        file.write('{"kind": "block", "fingerprint": "ab')
    (prepared / "results" / "empty.jsonl").touch()
    (prepared / "records" / "torn.part").write_bytes(b"PAR1")
    result = run(environment, prepared)
    assert result.returncode == 0, result.stderr
    assert tables(prepared) == tables(whole)
    resumed = block_lines(prepared)
    assert len(resumed) == 2 * len(BENCHMARKS) * 3  # nothing finished was redone


@pytest.mark.parametrize("flags", [(8, "shard_map"), (3, "pmap")])
def test_devices_change_no_count(environment, whole, prepared, flags):
    devices, sharding = flags
    several = environment | {
        "XLA_FLAGS": f"--xla_force_host_platform_device_count={devices}"
    }
    result = run(several, prepared, f"--config.sharding={sharding}", batch_size=1)
    assert result.returncode == 0, result.stderr
    assert_same_decisions(whole, prepared)


def assert_same_decisions(whole, other):
    ours, theirs = predictions(whole), predictions(other)
    assert ours.keys() == theirs.keys()
    margins = np.array([ours[key][1] for key in ours])
    close = np.array([theirs[key][1] for key in ours])
    spread = margins.max()
    # The numeric promise: another batch shape moves margins by 1e-4 of the logits'
    # spread at most, and only a decision that close to a tie may differ.
    np.testing.assert_allclose(close, margins, atol=1e-4 * spread)
    same = np.array([ours[key][0] == theirs[key][0] for key in ours])
    assert (same | (margins < 1e-4 * spread)).all()
    if same.all():
        assert tables(whole) == tables(other)


def test_other_numerics_are_recorded_and_not_compared_by_accident(
    environment, whole, tmp_path
):
    one = (
        "--config.models=('random_0={workdir}/weights/random_0.safetensors',)",
        "--config.benchmarks=('natural/imagenet',)",
    )
    result = run(environment, tmp_path, "--config.precision=bfloat16", *one)
    assert result.returncode == 0, result.stderr
    long = (tmp_path / "report/long.csv").read_text()
    assert "bfloat16" in long and "float32" not in long.replace("bfloat16", "")
    pair = ("--stage=compare", f"--compare={whole},{tmp_path}")
    refused = run(environment, tmp_path, *pair)
    assert refused.returncode == 2
    assert "precision" in refused.stdout + refused.stderr
    allowed = run(environment, tmp_path, *pair, "--allow_mixed_numerics")
    assert allowed.returncode == 0
    assert "flips" in allowed.stdout and "bfloat16" in allowed.stdout


@pytest.mark.parametrize("count", [2, 3])
def test_linked_processes_share_the_work_and_agree(environment, whole, prepared, count):
    # 24 examples in steps of 5: uneven shares, padded batches.
    codes, outputs = linked(environment, prepared, count, batch_size=5)
    assert codes == [0] * count, outputs
    assert len(list((prepared / "results").glob("*.jsonl"))) == count
    assert_same_decisions(whole, prepared)


def test_a_leader_that_cannot_start_ends_all_processes(environment, tmp_path):
    codes, outputs = linked(environment, tmp_path, 2, "--config.prepare=nomod:x")
    assert codes == [2, 2], outputs
    assert "nomod" in outputs[0]
    assert "another process" in outputs[1]


def test_a_linked_process_ends_when_it_is_told_to(environment, tmp_path):
    (tmp_path / "idle.py").write_text("import time\ndef wait(w): time.sleep(200)\n")
    paths = environment | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT / 'tests'}"}
    coordinator = f"--coordinator_address=localhost:{free_port()}"
    flags = ("--distributed", coordinator, "--process_count=1", "--process_index=0")
    process = subprocess.Popen(
        command(tmp_path / "run", *flags, "--config.prepare=idle:wait"),
        cwd=ROOT,
        env=paths,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 60
    while not (tmp_path / "run/logs/0.log").exists():  # linked by then
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.1)
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=20) == -signal.SIGTERM


@pytest.mark.slow
def test_processes_wait_for_a_leader_that_takes_long(environment, tmp_path):
    """Longer than connections may take to open: 30 seconds on a CPU."""
    (tmp_path / "slow_study.py").write_text(
        "import time\n"
        "import small_study\n"
        "def prepare(workdir):\n"
        "    time.sleep(45)\n"
        "    small_study.prepare(workdir)\n"
    )
    paths = environment | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT / 'tests'}"}
    prepare = "--config.prepare=slow_study:prepare"
    codes, outputs = linked(paths, tmp_path / "run", 2, prepare)
    assert codes == [0, 0], outputs


def test_unlinked_jobs_of_an_array_merge(environment, whole, prepared):
    for job in ("0/2", "1/2"):
        result = run(environment, prepared, f"--job={job}", "--stage=convert,evaluate")
        assert result.returncode == 0, result.stderr
    assert run(environment, prepared, "--stage=status,analyse").returncode == 0
    assert_same_decisions(whole, prepared)


def test_a_process_too_few_is_refused_in_time(environment, tmp_path):
    start = time.monotonic()
    result = run(environment, tmp_path, "--expected_process_count=2")
    assert result.returncode == 2
    assert "expected 2" in result.stdout + result.stderr
    result = run(
        environment,
        tmp_path,
        "--distributed",
        f"--coordinator_address=localhost:{free_port()}",
        "--process_count=2",
        "--process_index=0",
        "--distributed_timeout=5",
    )
    assert result.returncode not in (0, 3)
    assert time.monotonic() - start < 60
    assert not (tmp_path / "results").exists()


def test_a_single_process_never_links(whole):
    source = (ROOT / "biases_jax/processes.py").read_text()
    assert source.count("jax.distributed.initialize") == 1
    line = json.loads(
        next((whole / "results").glob("*.jsonl")).read_text().splitlines()[0]
    )
    assert line["process_count"] == 1


@pytest.mark.parametrize(
    ("flag", "message"),
    [
        ("--config.batchsize=3", "batchsize"),
        ("--config.models=('no_such_model',)", "no_such_model"),
        ("--config.benchmarks=('spectrum/*',)", "spectrum/*"),
        ("--config.precision=float16", "float16"),
        ("--config.sharding=pjit", "pjit"),
        ("--stage=measure", "measure"),
        ("--job=3/3", "3/3"),
        ("--no_such_flag", "no_such_flag"),
        ("--config.batch_size=0", "batch_size"),
        ("--config=configs/nope.py", "configs/nope.py"),
        ("--workdir=gs://bucket/run", "gs://bucket/run"),
        ("--process_count=8", "without --distributed"),
        ("--distributed", "no job to join"),
    ],
)
def test_wrong_usage_is_named_and_exits_with_2(environment, tmp_path, flag, message):
    result = run(environment, tmp_path, flag)
    assert result.returncode == 2
    assert message in result.stdout + result.stderr
    assert "Traceback" not in result.stderr


def test_corrupt_images_are_all_listed_and_their_source_publishes_nothing(
    environment, whole, prepared
):
    assert run(environment, prepared, "--stage=convert").returncode == 0
    folder = prepared / "photographs/val/n02123045"
    good = (folder / "chelsea_0.JPEG").read_bytes()
    (folder / "chelsea_0.JPEG").write_bytes(good[:500])
    (folder / "chelsea_1.JPEG").write_bytes(b"<html>quota</html>")
    result = run(environment, prepared)
    assert result.returncode == 3
    for name in ("chelsea_0.JPEG", "chelsea_1.JPEG"):
        assert name in result.stderr
        assert name in (prepared / "report/index.html").read_text()
        assert name in (prepared / "logs/0.log").read_text()
    wide = (prepared / "report/wide.csv").read_text().splitlines()
    assert len(wide) == 1  # no row of any model
    # Mended, the same command finishes what is missing.
    for name in ("chelsea_0.JPEG", "chelsea_1.JPEG"):
        (folder / name).write_bytes(
            (whole / f"photographs/val/n02123045/{name}").read_bytes()
        )
    assert run(environment, prepared).returncode == 0
    assert tables(prepared) == tables(whole)
