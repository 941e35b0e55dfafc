"""Is each process told apart, and none waited for in vain?"""

import pytest

from biases_jax import processes


def test_a_process_alone_leads_and_adds_up_to_itself():
    process = processes.Process()
    assert process.leads
    assert processes.total(process, 3) == 3


@pytest.mark.parametrize("text", ["0/1", "2/3", "7/8"])
def test_jobs_of_an_array_lead_themselves(text):
    process = processes.job(text)
    assert f"{process.index}/{process.count}" == text
    assert process.leads
    assert not process.linked


@pytest.mark.parametrize("text", ["", "1", "1/", "/2", "2/2", "-1/2", "a/b", "1/2/3"])
def test_other_jobs_are_refused(text):
    with pytest.raises(ValueError, match="expected index/count"):
        processes.job(text)


def test_only_the_first_of_linked_processes_leads():
    assert processes.Process(0, 2, linked=True).leads
    assert not processes.Process(1, 2, linked=True).leads
