"""Pages fit windows of all widths, and axe finds no fault on them."""

from axe_playwright_python.base import AxeResults
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, ViewportSize

from tests.support.lengths import LONG, by_length

NARROW: ViewportSize = {"width": 360, "height": 740}
MIDDLE: ViewportSize = {"width": 768, "height": 1024}
WIDE: ViewportSize = {"width": 1280, "height": 900}
AXE = Axe()
Options = dict[str, object]
ALL_RULES: Options = {"resultTypes": ["violations"]}
FORM_RULES: Options = by_length(
    {
        **ALL_RULES,
        "runOnly": ["color-contrast", "link-in-text-block", "scrollable-region-focusable"],
    },
    ALL_RULES,
)
# Parts that do not lie wholly inside the window.
OUTSIDE = """selector => [...document.querySelectorAll(selector)].filter((part) => {
    const { top, bottom, left, right, width } = part.getBoundingClientRect()
    return !width || top < -0.5 || left < -0.5 || bottom > innerHeight + 0.5 || right > innerWidth + 0.5
}).map((part) => `${part.id} ${part.className.baseVal ?? part.className} ${part.textContent.trim()}`)"""


def look(
    page: Page, path: str, status: int = 200, *, audit: bool = True, dark: bool = LONG
) -> None:
    """Open the page and `check` it."""
    answer = page.goto(path)
    assert answer is not None and answer.status == status, f"{path}: {answer and answer.status}"
    assert page.url.partition("?")[0].endswith(path.partition("?")[0]), f"{path} led to {page.url}"
    check(page, audit=audit, dark=dark)


def check(page: Page, *, audit: bool = True, dark: bool = LONG) -> None:
    """The open page fits windows of all widths and, with `audit`, axe finds nothing on it.

    The widths begin with the one of the last page, as each change lays a page out anew. In the
    short form, pages without an audit are looked at in the widest and the narrowest window.

    All rules of axe run in the wide light form; with `dark`, in the narrow dark one, those that
    depend on layout or colours (in the long form of the test, all).
    """
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true })")
    if audit:
        page.evaluate(AXE.axe_script)
    forms: list[tuple[ViewportSize, str | None, Options]] = [
        (WIDE, "light" if audit else None, ALL_RULES),
        *([(MIDDLE, None, {})] if audit or LONG else []),
        (NARROW, "dark" if audit and dark else None, FORM_RULES),
    ]
    if page.viewport_size == NARROW:  # the window has this width already
        forms.reverse()
    for size, scheme, options in forms:
        page.set_viewport_size(size)
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, f"{page.url} is {wide} pixels too wide at {size['width']}"
        if scheme is not None:
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
            found = page.evaluate("options => axe.run(options).then(r => r.violations)", options)
            report = AxeResults({"violations": found}).generate_report() if found else ""
            assert not report, f"{page.url} {scheme}\n{report}"
