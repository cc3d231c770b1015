"""Fair luck: the stream that the seed gives, checked by a second reading of its description."""

import hashlib
import hmac
from collections import Counter
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.rules.chance import SEED_BYTES, SeededChance, commitment, reveals

SEED = bytes(range(32))


class Reader:
    """The description of games.rules.chance, followed word by word."""

    def __init__(self, seed: bytes, seq: int) -> None:
        self.seed, self.seq, self.blocks, self.bytes = seed, seq, count(), b""

    def number(self) -> int:
        if not self.bytes:
            name = "atlantis-by-mail:" + str(self.seq) + ":" + str(next(self.blocks))
            self.bytes = hmac.new(self.seed, name.encode("ascii"), hashlib.sha256).digest()
        head, self.bytes = self.bytes[:4], self.bytes[4:]
        return head[0] << 24 | head[1] << 16 | head[2] << 8 | head[3]

    def below(self, n: int) -> int:
        largest = (2**32 // n) * n
        while (number := self.number()) >= largest:
            pass
        return number % n

    def shuffled(self, items: list[int]) -> tuple[int, ...]:
        for i in reversed(range(1, len(items))):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]
        return tuple(items)


@given(st.binary(min_size=32, max_size=32), st.integers(1, 999), st.integers(0, 110))
def test_shuffles_are_what_the_description_says(seed: bytes, seq: int, size: int) -> None:
    assert SeededChance(seed, seq).shuffle(range(size)) == Reader(seed, seq).shuffled(
        list(range(size))
    )


@given(st.binary(min_size=32, max_size=32), st.integers(1, 999), st.integers(1, 2**32))
def test_rolls_are_what_the_description_says(seed: bytes, seq: int, faces: int) -> None:
    chance, reader = SeededChance(seed, seq), Reader(seed, seq)
    assert [chance.roll(faces) for _ in range(20)] == [reader.below(faces) for _ in range(20)]


def test_a_known_shuffle_never_changes() -> None:
    assert SeededChance(SEED, 1).shuffle("ABCDEFGHIJ") == tuple("HFICAJEGBD")


def test_the_luck_of_one_move_does_not_touch_another() -> None:
    first = SeededChance(SEED, 7)
    first.shuffle(range(50))
    assert SeededChance(SEED, 8).shuffle(range(50)) == SeededChance(SEED, 8).shuffle(range(50))
    assert SeededChance(SEED, 8).shuffle(range(50)) != SeededChance(SEED, 7).shuffle(range(50))


def test_a_shuffle_leaves_its_items_alone() -> None:
    items = [3, 1, 2]
    assert sorted(SeededChance(SEED, 1).shuffle(items)) == [1, 2, 3]
    assert items == [3, 1, 2]


def test_every_order_is_as_likely() -> None:
    orders = Counter(SeededChance(SEED, seq).shuffle("abc") for seq in range(6000))
    assert len(orders) == 6
    assert all(850 < times < 1150 for times in orders.values())


@pytest.mark.parametrize("faces", [2, 3, 6])
def test_every_face_is_as_likely(faces: int) -> None:
    chance = SeededChance(SEED, 1)
    rolled = Counter(chance.roll(faces) for _ in range(6000))
    assert set(rolled) == set(range(faces))
    assert all(abs(times - 6000 / faces) < 200 for times in rolled.values())


def test_the_commitment_is_the_sha_256_of_the_seed() -> None:
    assert len(SEED) == SEED_BYTES
    assert commitment(SEED) == hashlib.sha256(SEED).hexdigest()
    assert reveals(SEED, commitment(SEED))
    assert not reveals(SEED[::-1], commitment(SEED))
