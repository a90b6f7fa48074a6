"""Data as scripts: what a browser reads, and that no text can leave its string."""

import pytest

from sitegen.html.data_scripts import script, texts_script


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"a": 1, "b": [None, True]}, 'window.x=JSON.parse("{\\"a\\":1,\\"b\\":[null,true]}");\n'),
        ("é", 'window.x=JSON.parse("\\"é\\"");\n'),
        ("</script>&", 'window.x=JSON.parse("\\"\\u003c/script\\u003e\\u0026\\"");\n'),
        ("\u2028\u2029", 'window.x=JSON.parse("\\"\\u2028\\u2029\\"");\n'),
        ('"', 'window.x=JSON.parse("\\"\\\\\\"\\"");\n'),
    ],
)
def test_a_script_sets_its_name_to_the_escaped_value(value: object, expected: str) -> None:
    assert script("x", value) == expected.encode()


def test_a_number_that_json_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        script("x", float("nan"))


def test_long_texts_are_a_literal_that_is_escaped_too() -> None:
    written = texts_script("texts", {"a": "<é>", "b": "&"})
    assert written == 'window.texts={"a":"\\u003cé\\u003e","b":"\\u0026"};\n'.encode()
