"""Every limit of reading, by name. What meets one is told in the notes, or in the error."""

from __future__ import annotations

MAX_PASSAGES = 50_000
"""Passages of one document; what follows is left out and said."""

MAX_ROWS = 1_000_000
"""Rows read of one table file."""

MAX_COLUMNS = 10_000
"""Cells read of one row of a table file."""

MAX_PAGES = 5_000
"""Pages read of one PDF."""

MAX_PAGE_CHARACTERS = 200_000
"""Characters read of one page of a PDF."""

MAX_FRONT_MATTER_CHARACTERS = 65_536
"""Characters between the lines that enclose front matter."""

MAX_MARKDOWN_CHARACTERS = 1_000_000
"""Characters of a Markdown file that is parsed as such; a longer one is read as plain text. Hostile text takes some
seconds a megabyte."""

MAX_NOTES = 40
"""Notes about one document; how many more there were is said in the last."""

MIN_PASSAGE_CHARACTERS = 200
MAX_PASSAGE_CHARACTERS = 100_000
"""The shortest and the longest passages that may be asked for."""

MAX_UNREADABLE_SHARE = 0.1
"""Share of replacement and control characters from which on a text counts as noise."""

MAX_PAPER_BYTES = 256 * 1024 * 1024
"""Bytes of a paper; a longer one is refused."""

MAX_PAPER_CHARACTERS = 16 * 1024 * 1024
"""Characters of the text of a paper; one that holds more is refused."""

MAX_OUTLINE_ENTRIES = 5_000
"""Entries read of the outline of a PDF."""

MAX_DRAWN_PIXELS = 16_000_000
"""Pixels of a page that is drawn; a larger one is drawn smaller."""

MAX_SCREENSHOT_PIXELS = 4_000_000
"""Pixels of the picture that is kept of a page without text."""

MAX_SCREENSHOTS = 200
"""Pages of one paper that are kept as pictures."""

MIN_IMAGE_PIXELS = 16
MIN_IMAGE_POINTS = 8.0
"""Pixels, and points on the page, that an image must have on each side; smaller ones are ornaments."""

MAX_PAGE_IMAGES = 40
MAX_PAPER_IMAGES = 500
"""Images taken of one page, and of one paper."""

MAX_IMAGE_PIXELS = 16_000_000
"""Pixels of one image that is kept; a larger one is made smaller."""

MAX_PAGE_IMAGE_PIXELS = 40_000_000
"""Pixels of all images that are kept of one page."""

MAX_SOURCE_PIXELS = 200_000_000
"""Pixels that one image, or all images on a page that is drawn, may have as they are stored."""

MAX_IMAGE_BYTES = 32 * 1024 * 1024
"""Bytes of a JPEG that is kept as it is."""

MAX_ASSET_BYTES = 256 * 1024 * 1024
"""Bytes of all pictures of one paper."""
