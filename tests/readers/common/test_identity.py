"""The keys of a run, by which copies of it are found."""

from __future__ import annotations

import hashlib

import pytest

from sitegen.model import BEGINNING
from sitegen.readers.common.identity import MAX_KEYS, MIN_ID, Identity
from sitegen.readers.common.records import digest_of_record

SESSION = "0198d070-4da7"


def identity_of(session: str | None = SESSION, records: int = 0) -> Identity:
    identity = Identity()
    identity.session_id = session
    for number in range(records):
        identity.add_record({"number": number}, has_usage=False)
    return identity


def names(identity: Identity, *, is_wrapped: bool = False) -> list[str]:
    keys = identity.beginnings(is_wrapped=is_wrapped)
    assert all(key.uuid.startswith(BEGINNING) for key in keys)
    assert all((key.cost_usd, key.wall_ms, key.turns) == (None, None, None) for key in keys)
    return [key.uuid for key in keys]


def test_a_key_is_of_a_session_and_of_what_identifies_an_answer_in_it() -> None:
    one, same, other = identity_of(), identity_of(), identity_of("other-session")
    for identity in (one, same, other):
        identity.add_key("prompt", 5, cost_usd=0.5)
    assert one.keys == same.keys != other.keys
    assert len(one.keys[0].uuid) == 16 and one.keys[0].cost_usd == 0.5
    one.add_key("prompt", 6)
    assert one.keys[1].uuid != one.keys[0].uuid and one.keys[1].cost_usd is None


def test_nothing_is_identified_by_what_is_unknown() -> None:
    identity = identity_of()
    identity.add_key("prompt", None)
    assert identity.keys == []
    nameless = identity_of(None)
    nameless.add_key("prompt", 5)
    assert nameless.keys == [] and nameless.session is None
    nameless.substitute = "task of today"
    nameless.add_key("prompt", 5)
    assert len(nameless.keys) == 1 and nameless.session == "task of today"
    nameless.session_id = SESSION
    assert nameless.session == SESSION


def test_a_run_has_a_bounded_number_of_keys() -> None:
    identity = identity_of()
    for number in range(MAX_KEYS + 5):
        identity.add_key(number)
    assert len(identity.keys) == MAX_KEYS


def test_a_copy_is_what_was_seen_before() -> None:
    identity = identity_of()
    assert [identity.is_copy(key) for key in ("a", 5, "a", 5, "b")] == [
        False,
        False,
        True,
        True,
        False,
    ]
    assert identity.known == {"a", 5, "b"}
    apart = identity_of()
    apart.known, apart.is_apart = identity.known, True
    assert not apart.is_copy("a") and not apart.is_copy(5)
    assert apart.is_copy("a") and apart.is_copy(5) and {"a", 5} < apart.known


def test_records_without_an_id_are_never_repeated() -> None:
    identity = identity_of()
    found = [
        identity.is_repeated(*parts) for parts in (("a", 1), ("a", 1), ("a", 2), (None,), (None,))
    ]
    assert found == [False, True, False, False, False]


def test_the_same_beginning_is_the_same_run_however_long_the_copy() -> None:
    assert names(identity_of(records=0)) == []
    one = names(identity_of(records=1))
    assert len(one) == 1
    short, long = names(identity_of(records=9)), names(identity_of(records=12))
    assert short == long[: len(short)] and len(short) == 8 and len(long) == 11
    # The newest record may be cut, so it is in no key where others are.
    cut = identity_of(records=9)
    cut.add_record({"number": 9, "text": "cut"}, has_usage=False)
    assert names(cut)[:8] == short


def test_of_many_records_few_digests_are_kept() -> None:
    kept = [len(names(identity_of(records=count))) for count in (16, 17, 32, 33, 64, 65)]
    assert kept == [15, 16, 23, 24, 31, 32]


def test_all_records_identify_a_run_without_a_session() -> None:
    one, other = identity_of(None, 3), identity_of(None, 4)
    assert len(names(one)) == len(names(other)) == 1
    assert names(one) != names(other)


def test_a_beginning_ends_with_what_counts() -> None:
    identity = identity_of(records=3)
    before = names(identity)
    identity.add_record({"number": 3}, has_usage=True)
    assert names(identity) == before
    nameless = identity_of(None, 3)
    before = names(nameless)
    nameless.add_record({"number": 3}, has_usage=True)
    assert names(nameless) != before
    identity.add_key("answer")
    identity.add_record({"number": 3}, has_usage=False)
    assert names(identity) == names(identity_of(records=3))


@pytest.mark.parametrize(
    ("session", "count"), [("s" * (MIN_ID - 1), 0), ("s" * MIN_ID, 2), (None, 1)]
)
def test_a_made_up_session_identifies_no_log(session: str | None, count: int) -> None:
    identity = identity_of(session, 3)
    assert len(names(identity, is_wrapped=True)) == count
    assert len(names(identity)) == (2 if session else 1)


def test_marks_are_those_of_earlier_caches() -> None:
    identity = identity_of()
    identity.add_key("prompt", 5)
    apart = Identity()
    apart.is_apart = True
    apart.is_copy(5)
    apart.is_copy("a")
    assert apart.known == {-5, "progress a"} and apart.is_apart
    assert (Identity().is_apart, Identity().session_id, Identity().substitute) == (
        False,
        None,
        None,
    )
    assert (MAX_KEYS, MIN_ID) == (500, 8)
    key = hashlib.blake2b(f"{SESSION}/prompt/5".encode(), digest_size=8).hexdigest()
    assert identity.keys[0].uuid == key
    record = {"number": 0}
    first = digest_of_record({"record": record, "before": ""})
    assert names(identity_of(records=1)) == [BEGINNING + first]
    second = digest_of_record({"record": {"number": 1}, "before": first})
    assert names(identity_of(None, 2)) == [BEGINNING + second]
