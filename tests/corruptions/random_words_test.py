"""Are the words Threefry's, and the numbers spread as they should be?"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from biases_jax.corruptions import random_words

KEY = jax.random.key(17)


def test_blocks_are_those_of_jaxs_own_generator():
    first, second = np.split(np.asarray(random_words.words(KEY, (1000,))), 2)
    # Its default form returns both words of a block, one xor the other.
    np.testing.assert_array_equal(first ^ second, jax.random.bits(KEY, (500,)))


def test_blocks_are_the_published_ones():
    """The vectors of Random123, the authors' library: zeros, and digits of pi."""
    zeros = jnp.zeros(2, jnp.uint32)
    found = random_words.threefry(zeros, zeros[:1], zeros[:1])
    assert [int(word[0]) for word in found] == [0x6B200159, 0x99BA4EFE]
    key = jnp.array([0x13198A2E, 0x03707344], jnp.uint32)
    counter = jnp.array([[0x243F6A88], [0x85A308D3]], jnp.uint32)
    found = random_words.threefry(key, *counter)
    assert [int(word[0]) for word in found] == [0xC4923A9C, 0x483DF7A0]


@pytest.mark.parametrize("shape", [(7,), (3, 5), (2, 4, 3)])
def test_shapes_may_have_an_odd_number_of_values(shape):
    assert random_words.words(KEY, shape).shape == shape
    assert random_words.halfwords(KEY, shape).shape == shape
    assert random_words.uniform(KEY, shape).shape == shape


def test_halfwords_are_the_halves_of_the_words():
    words = np.asarray(random_words.words(KEY, (100,)))
    halves = np.asarray(random_words.halfwords(KEY, (200,))).astype(np.uint32)
    assert halves.max() < 2**16
    np.testing.assert_array_equal(halves[::2] | halves[1::2] << 16, words)


def test_numbers_are_uniform():
    numbers = np.asarray(random_words.uniform(KEY, (200, 1000)), float)
    assert (numbers * 2**24 % 1 == 0).all() and numbers.min() >= 0 and numbers.max() < 1
    assert stats.kstest(numbers.ravel(), "uniform").pvalue > 1e-3


def test_numbers_are_normal_and_neighbours_independent():
    numbers = np.asarray(random_words.normal(KEY, (400, 1000)), float)
    assert stats.kstest(numbers.ravel(), "norm").pvalue > 1e-3
    tail = (np.abs(numbers) > 4).mean()
    expected = 2 * stats.norm.sf(4)
    assert abs(tail - expected) < 4 * (expected / numbers.size) ** 0.5
    for axis in (0, 1):
        neighbours = (numbers * np.roll(numbers, 1, axis)).mean()
        assert abs(neighbours) < 4 / numbers.size**0.5


def test_the_ends_are_finite(monkeypatch):
    for end in (0, 2**32 - 1):
        words = jnp.full(2, end, jnp.uint32)
        monkeypatch.setattr(random_words, "words", lambda *_, words=words: words)
        found = np.asarray(random_words.normal(KEY, (2,)))
        assert np.abs(np.abs(found) - stats.norm.isf(2**-25)).max() < 0.02
