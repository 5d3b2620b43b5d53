"""Text of documents on its way to a model or a terminal: what could command either is taken out, and it is fenced.

A fence carries a name that is made from everything an answer quotes, names included, and stands nowhere in it, so no
document can close it, nor seem to in its title or tags.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import blake2b

# A whole sequence to a terminal: colours and cursor (CSI), titles and links (OSC, when it ends), two-letter ones.
_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b\]|\x9d)[^\x07\x1b\x9c\n]{0,1000}(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-Z\\-~]"
)
# Control characters but tab and line feed; what turns the direction of writing; invisible tag letters.
_HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]")
_LINE_END = re.compile("\r\n?|[\u2028\u2029\x85]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """Take out what a reader cannot see but a terminal or a model may obey; line ends become line feeds."""
    text = _LINE_END.sub("\n", _SEQUENCE.sub("", text))
    return _SURROGATE.sub("\ufffd", _HIDDEN.sub("", text))


def one_line(text: str) -> str:
    """Clean a text and put it on one line."""
    return " ".join(clean(text).split())


def fence_name(texts: Iterable[str]) -> str:
    """A name for the fence around these texts that occurs in none of them; the same texts get the same name."""
    held = "\0".join(texts)
    for attempt in range(1_000):
        name = blake2b(f"{attempt}\0{held}".encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
        if name not in held:
            return name
    raise AssertionError("a text cannot hold a thousand hashes of itself")


def fenced(text: str, name: str) -> str:
    """Put a cleaned text between the marks that say: quoted, untrusted."""
    return f"<untrusted {name}>{text}</untrusted {name}>"
