"""Are checkpoints and what is mistaken for them told apart by their first bytes?"""

import pytest
import safetensors.torch
import torch

from convert import errors, sniff

QUOTA = (
    "<!DOCTYPE html><html><head><title>Google Drive - Quota exceeded</title></head>"
    "<body>Sorry, too many users have viewed or downloaded this file recently."
    "<a href='https://accounts.google.com'>Sign in</a></body></html>"
)


@pytest.mark.parametrize("protocol", [2, 3, 4])
def test_what_torch_writes_is_accepted(save, state, protocol):
    start = save(state, pickle_protocol=protocol).read_bytes()[: sniff.START]
    assert sniff.container(start) in (sniff.ZIP, sniff.LEGACY)
    sniff.check_download(start)


def test_the_legacy_magic_is_the_one_that_torch_documents(tmp_path):
    path = tmp_path / "legacy.pth"
    torch.save({}, path, _use_new_zipfile_serialization=False)
    documented = bytes.fromhex("80028a0a6cfc9c46f9206aa85019")
    assert path.read_bytes().startswith(documented)
    assert documented[2:] == sniff.LEGACY_MAGIC


def test_safetensors_are_accepted(tmp_path, state):
    safetensors.torch.save_file(state, tmp_path / "model.safetensors")
    start = (tmp_path / "model.safetensors").read_bytes()[: sniff.START]
    assert sniff.container(start) == sniff.SAFETENSORS
    sniff.check_download(start)


@pytest.mark.parametrize("length", [0x5B80, 0x280, 0x04034B50 % 2**24])
def test_a_header_whose_length_looks_like_another_container_is_none(length):
    """One in 32 files: lengths are multiples of 8, and pickles begin with 0x80."""
    start = length.to_bytes(8, "little") + b'{"conv1.weight":'
    assert sniff.container(start) == sniff.SAFETENSORS


def test_a_framed_pickle_is_no_safetensors():
    start = b"\x80\x04\x95" + bytes(8) + b"}q\x00."  # a frame's length, a dict
    assert sniff.container(start) == sniff.LEGACY


def test_a_header_whose_length_looks_like_a_tag_is_no_page():
    start = (0x3C20).to_bytes(8, "little") + b'{"conv1.weight":'  # " <", then zeros
    assert sniff.container(start) == sniff.SAFETENSORS


@pytest.mark.parametrize(
    "text, cause",
    [
        (QUOTA, "titled 'Google Drive - Quota exceeded', not the file: .*quota"),
        ("<html><title>Sign in</title>", "login"),
        (
            "\ufeff \n<html>Google Drive can't scan this file: download anyway",
            "consent",
        ),
        ("<?xml version='1.0'?><Error><Code>AccessDenied</Code>", "denies access"),
        ("<html></html>", "quota, login or consent page, or a dead link"),
    ],
)
def test_a_page_is_an_error_that_names_the_cause(text, cause):
    with pytest.raises(sniff.PageError, match=cause):
        sniff.check_download(text.encode())


@pytest.mark.parametrize(
    "start, message",
    [
        (b"\x80\x02}q\x00.", "a pickle that torch.save did not write"),
        (b'{"error": "no such file"}', "unknown first bytes"),
        (b"\x1f\x8b\x08\0", "a gzip archive"),
        (b"", "unknown first bytes"),
    ],
)
def test_other_downloads_are_refused(start, message):
    with pytest.raises(errors.CheckpointError, match=message) as caught:
        sniff.check_download(start)
    assert not isinstance(caught.value, sniff.PageError)


@pytest.mark.parametrize(
    "text, cause",
    [
        ("<html><title>404 Not Found</title><a>Log in</a>", "no longer has it there"),
        ('<meta name="robots" content="none"><title>File</title>', "a quota, login or"),
        ("<title>Quota exceeded</title><a>Sign in</a>", "download quota"),
        ("<title>Drive</title> Too many users ... <a>Log in</a>", "download quota"),
    ],
)
def test_the_cause_is_the_pages_own_and_not_of_its_frame(text, cause):
    assert cause in str(sniff.page(text))
