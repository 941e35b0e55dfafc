"""What are the pieces of a page that needs nothing but itself?"""

import base64
import html
import math
from collections.abc import Iterable, Sequence

STYLE = """
:root { color-scheme: light dark; --line: #8886; --faint: #888; --shade: #8881; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 68rem;
  padding: 1rem; }
h1 { font-size: 1.6rem; line-height: 1.2; } h2 { font-size: 1.2rem; margin-top: 2em; }
h3 { font-size: 1.05rem; margin: 1.5em 0 0; }
a { color: LinkText; } figure { margin: 1rem 0; }
figcaption, .note { color: var(--faint); font-size: .85rem; }
.scroll { overflow-x: auto; } .scroll > table { min-width: 36rem; }
svg, img { max-width: 100%; height: auto; }
svg { display: block; width: 100%; }
table { border-collapse: collapse; font-size: .85rem;
  font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--faint); padding: .3rem 0; }
th, td { padding: .25rem .6rem; text-align: right; vertical-align: top;
  border-bottom: 1px solid var(--line); }
th { font-weight: 600; }
th:first-child, td:first-child, td.text { text-align: left; }
td small { color: var(--faint); display: block; white-space: nowrap; }
td small.reason { white-space: normal; min-width: 10rem; }
tbody tr:nth-child(even) { background: var(--shade); }
p.warning { border-left: .25rem solid #d55e00; padding-left: .6rem; }
details > summary { cursor: pointer; padding: .4rem 0; }
@media print {
  body { max-width: none; font-size: 10pt; } .scroll { overflow: visible; }
  figure, tr { break-inside: avoid; } details > summary { display: none; }
}
"""

BRIEF = 120  # characters of a reason that are shown


class Markup(str):
    """Text that is HTML already and must not be escaped again."""


def escape(value: object) -> str:
    """Return a value as HTML; `Markup` stays as it is."""
    return value if isinstance(value, Markup) else html.escape(str(value))


def document(title: str, body: Iterable[str]) -> str:
    """Return a whole page of these parts (HTML)."""
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title>",
            f"<style>{STYLE}</style>",
            "</head>",
            "<body>",
            *body,
            "</body>",
            "</html>\n",
        ]
    )


def table(
    header: Sequence[object], lines: Iterable[Sequence[object]], caption: str = ""
) -> Markup:
    """Return a table in a box that scrolls sideways where the window is narrow."""
    heading = "".join(f'<th scope="col">{_breakable(cell)}</th>' for cell in header)
    parts = ['<div class="scroll"><table>']
    if caption:
        parts.append(f"<caption>{escape(caption)}</caption>")
    parts.append(f"<thead><tr>{heading}</tr></thead><tbody>")
    parts += [f"<tr>{''.join(map(_cell, line))}</tr>" for line in lines]
    parts.append("</tbody></table></div>")
    return Markup("\n".join(parts))


def section(heading: str, *parts: str) -> Markup:
    """Return parts (HTML) under a heading."""
    return Markup("\n".join([f"<h2>{escape(heading)}</h2>", *parts]))


def heading(text: object) -> Markup:
    """Return a heading within a section."""
    return Markup(f"<h3>{escape(text)}</h3>")


def paragraph(text: object, kind: str = "") -> Markup:
    """Return a paragraph, of the style class `kind` if given."""
    style = f' class="{escape(kind)}"' if kind else ""
    return Markup(f"<p{style}>{escape(text)}</p>")


def folded(summary: str, *parts: str) -> Markup:
    """Return parts (HTML) that are shown when asked for."""
    opening = f"<details><summary>{escape(summary)}</summary>"
    return Markup("\n".join([opening, *parts, "</details>"]))


def figure(content: str, caption: str) -> Markup:
    """Return a picture (HTML) with its caption."""
    return Markup(
        f"<figure>{content}<figcaption>{escape(caption)}</figcaption></figure>"
    )


def picture(png: bytes, caption: str) -> Markup:
    """Return PNG bytes as an inlined picture with its caption."""
    data = base64.b64encode(png).decode()
    source = f"data:image/png;base64,{data}"
    return figure(f'<img src="{source}" alt="{escape(caption)}">', caption)


def number(value: float) -> str:
    """Return a number to be read: two decimals, four below 1, a dash for NaN."""
    if math.isnan(value):
        return "–"
    return f"{value:.2f}" if abs(value) >= 1 else f"{value:.4f}"


def brief(text: str) -> str:
    """Return a text, of a long one its beginning."""
    return text if len(text) <= BRIEF else text[: BRIEF - 3] + "..."


def _breakable(name: object) -> str:
    """Return a name that may be broken at its slashes, not within its words."""
    return escape(name).replace("/", "/<wbr>")


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"<td>{number(value)}</td>"
    if value is None:
        return "<td>–</td>"
    is_text = isinstance(value, str) and not isinstance(value, Markup)
    style = ' class="text"' if is_text else ""
    return f"<td{style}>{escape(value)}</td>"
