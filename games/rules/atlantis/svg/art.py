"""The seven items as drawings: SVG fragments around (0, 0) in a box of 26 units, and their inks.

Only shapes; where they stand, how large and on what is for pieces and board. Colours are Paul
Tol's muted scheme, as near to the colours of the printed game as it goes; the muted scheme has no
brown and its grey is too near to the statue's white, so those two are mixed for the purpose. Every
item differs from the others by outline, by letter and by colour, in that order.
"""

from __future__ import annotations

from ..model import Item

LETTERS: dict[Item, str] = {item: item.value[0].upper() for item in Item}

# The field of a tile or a card behind its item.
FIELDS: dict[Item, str] = {
    Item.FLAG: "#f3c9cb",
    Item.OLIVE: "#cfe0b8",
    Item.HELMET: "#d9dde3",
    Item.AMPHORA: "#e8cba6",
    Item.RING: "#bfe0f2",
    Item.CROWN: "#f7ebb0",
    Item.STATUE: "#a3abc0",
}

# The strong colour of an item, for a card's frame and the like.
INKS: dict[Item, str] = {
    Item.FLAG: "#b23a52",
    Item.OLIVE: "#117733",
    Item.HELMET: "#6b7280",
    Item.AMPHORA: "#8a5530",
    Item.RING: "#332288",
    Item.CROWN: "#a8871c",
    Item.STATUE: "#5d6580",
}

DRAWINGS: dict[Item, str] = {
    Item.FLAG: (
        '<path d="M-8.6-11.5h2.2V13h-2.2z" fill="#7a5a3a" stroke="#4d3621" stroke-width=".7"/>'
        '<path d="M-6.4-11.6C-2-14.4 3.4-8.2 11.6-11L8.6-4.6 12 1.4C4 4.4-1.6-2-6.4 1z" '
        'fill="#cc5566" stroke="#7d1f46" stroke-width="1"/>'
        '<path d="M-6-3C-2-5.4 3-1 9.4-3.2l2 4C4-4.2-1.6-2-6 .4z" fill="#aa3a55"/>'
        '<path d="M-5.6-9.6C-2.4-11.4.6-9.2 4-8.6" fill="none" stroke="#f2b8bd" '
        'stroke-width="1.1"/>'
        '<circle cx="-7.5" cy="-11.7" r="1.9" fill="#ddcc77" stroke="#4d3621" stroke-width=".7"/>'
    ),
    Item.OLIVE: (
        '<path d="M-9.5 12C-7 4-1-4 9.5-11.5" fill="none" stroke="#5b4a1e" stroke-width="1.5"/>'
        '<g fill="#117733" stroke="#0b4d22" stroke-width=".7">'
        '<path d="M9.3-11.4C4.6-13-.8-11.6-2.6-6.6 2.6-5.6 7-7.6 9.3-11.4z"/>'
        '<path d="M-1.6-2.6c-.8-4.2-4.6-7-10-6.6 1 5 5 7.6 10 6.6z"/>'
        '<path d="M-6.6 5c-.2-3.6-2.4-6-6-6.6-.6 4 2 6.8 6 6.6z" fill="#44aa66"/>'
        '<path d="M3.4-6.6C7.4-7.6 11-6 12.4-1.6 8-.2 4.4-2.4 3.4-6.6z" fill="#44aa66"/>'
        '<path d="M-7.4 7.2C-3 5 1.6 6.4 3.8 11.6-1.4 13-5.8 11.4-7.4 7.2z"/></g>'
        '<g fill="#999933" stroke="#4f4f12" stroke-width=".8">'
        '<ellipse cx="6.6" cy="4.4" rx="3.5" ry="4.6" transform="rotate(-14 6.6 4.4)"/>'
        '<ellipse cx="-.4" cy="2.6" rx="3.1" ry="4.2" transform="rotate(10-.4 2.6)"/></g>'
        '<path d="M5.2 2.4q-.6 1.4-.2 3M-1.8.8q-.6 1.2-.4 2.6" fill="none" stroke="#e6e6a8" '
        'stroke-width="1"/>'
    ),
    Item.HELMET: (
        '<path d="M-8.4-6.4C-5-13.4 5-15 10.4-8.4 13.4-4 13 2.6 12.4 9.6L9 8.4C10 2 9.6-3 7-6 '
        '2.6-10-3.6-9-6.6-4.6z" fill="#5f6672" stroke="#33373f" stroke-width=".9"/>'
        '<path d="M-4.6-11.4l1.4 3.2M1.4-13l.3 3.4M7.2-11L5.2-7.8M11.3-6.4L8.2-4.6M12.9.6L9.6.9'
        'M12.6 5.4L9.6 5.2" stroke="#33373f" stroke-width=".7"/>'
        '<path d="M-8.6 1.2C-8.8-6-4.2-9.4.8-9.2 6.6-8.8 9.4-4 9 2.4 8.8 5.6 7.8 8 7.8 10.6'
        'L2.6 11.4C2.8 8.6 2.4 6.6.6 5.6-.4 8-1.2 10.4-3.4 12.6-6 11-7.6 8-8 4.6z" fill="#a3a9b4" '
        'stroke="#33373f" stroke-width="1"/>'
        '<path d="M-7.4-1.4C-4.6-2.8-1.2-2.4 1.4.2-.8 2.4-4 2.8-6 2.2L-5 7.6" fill="#33373f" '
        'stroke="#33373f" stroke-width=".9"/>'
        '<path d="M-4.8-5.6C-2.6-7.6.4-8 3-7" fill="none" stroke="#eef0f3" stroke-width="1.4"/>'
    ),
    Item.AMPHORA: (
        '<path d="M-3.6-10.4C-10-11.4-11-5-6.6-3M3.6-10.4C10-11.4 11-5 6.6-3" fill="none" '
        'stroke="#4e2c14" stroke-width="2.6"/>'
        '<path d="M-3.6-10.4C-10-11.4-11-5-6.6-3M3.6-10.4C10-11.4 11-5 6.6-3" fill="none" '
        'stroke="#a9683a" stroke-width="1"/>'
        '<path d="M-4.4-12.6h8.8v2.2H3.2c0 3 .2 4.4 1.6 5.4C10.4-1.6 8.4 5.6 2.8 9.8v1l2 2.2h-9.6'
        'l2-2.2v-1C-8.4 5.6-10.4-1.6-4.8-5c1.4-1 1.6-2.4 1.6-5.4h-1.2z" fill="#b06c3b" '
        'stroke="#4e2c14" stroke-width="1"/>'
        '<path d="M-8-.8h16v3.6H-7.8z" fill="#4e2c14"/>'
        '<path d="M-6.8 2V.2h3V2M-2.2 2V.2h3V2M2.4 2V.2h3V2" fill="none" stroke="#e9c9a0" '
        'stroke-width=".8"/>'
        '<path d="M-5.6 4.2h11.2" stroke="#4e2c14" stroke-width=".9"/>'
        '<path d="M-4.8-3.6q-1.6 1-1.9 2.2" fill="none" stroke="#f0d2ad" stroke-width="1.1"/>'
    ),
    Item.RING: (
        '<circle cy="4.6" r="7" fill="none" stroke="#221659" stroke-width="4.6"/>'
        '<circle cy="4.6" r="7" fill="none" stroke="#4f55b5" stroke-width="2.8"/>'
        '<path d="M-5.6 8.6A7 7 0 0 0 2 11.2" fill="none" stroke="#b5d9f2" stroke-width="1.2"/>'
        '<path d="M-3.8-1.6h7.6L5-3.6H-5z" fill="#221659"/>'
        '<path d="M-4.4-12.4h8.8l3.4 3.8L0-1.8l-7.8-6.8z" fill="#88ccee" stroke="#221659" '
        'stroke-width="1"/>'
        '<path d="M-7.8-8.6H7.8M-4.4-12.4l1.8 3.8L0-1.8l2.6-6.8 1.8-3.8M-2.6-8.6L0-12.4l2.6 3.8" '
        'fill="none" stroke="#221659" stroke-width=".7"/>'
        '<path d="M-4-11.6h3.2l-1.8 2.4z" fill="#f2fbff"/>'
    ),
    Item.CROWN: (
        '<path d="M-10.4 10.6L-12-4.4l6.6 5L0-9.4 5.4.6l6.6-5-1.6 15z" fill="#ddcc77" '
        'stroke="#6d5608" stroke-width="1"/>'
        '<path d="M-10.8 6.4h21.6l-.4 4.2h-20.8z" fill="#c2a02c" stroke="#6d5608" '
        'stroke-width=".9"/>'
        '<g fill="#f3e7a6" stroke="#6d5608" stroke-width=".9"><circle cx="-12" cy="-5.4" r="1.9"/>'
        '<circle cy="-10.6" r="2.2"/><circle cx="12" cy="-5.4" r="1.9"/></g>'
        '<path d="M0-5.4L3.4 2 0 4.8-3.4 2z" fill="#fff6c9" stroke="#6d5608" stroke-width=".6"/>'
        '<circle cx="-6" cy="8.5" r="1.3" fill="#cc6677"/><circle cy="8.5" r="1.3" '
        'fill="#44aa99"/><circle cx="6" cy="8.5" r="1.3" fill="#cc6677"/>'
    ),
    Item.STATUE: (
        '<path d="M-7.4 9.4h14.8l1.2 3.8H-8.6z" fill="#d7d9df" stroke="#3b4153" '
        'stroke-width=".9"/>'
        '<path d="M-2.6-.4C-2.4 1.4-3.2 2.4-5.6 3-8.8 3.8-9.8 6-9.6 9.4H9.6C9.8 6 8.8 3.8 5.6 3 '
        '3.2 2.4 2.4 1.4 2.6-.4z" fill="#fff" stroke="#3b4153" stroke-width=".9"/>'
        '<path d="M-5-6.4C-5.6-11.6-2.6-13.2.2-13.2c3 0 5.6 1.8 5 6.6C5-2.4 2.8.6.2.6S-4.6-2.2-5'
        '-6.4z" fill="#fff" stroke="#3b4153" stroke-width=".9"/>'
        '<path d="M-5.4-6C-7-9-5.6-13 .2-13.2 5.8-13 7-9.4 5.6-6 4.6-7.4 4.2-9 2-9.6-.6-8.6-3.6-9'
        '-5.4-6z" fill="#d2d6df" stroke="#3b4153" stroke-width=".8"/>'
        '<path d="M-2.8-5.4h1.6M1.8-5.4h1.6M.4-5l-.5 2.4h.9M-.9-1.2h2.2" fill="none" '
        'stroke="#3b4153" stroke-width=".8"/>'
        '<path d="M3-.2C3 1.6 3.6 2.8 5.6 3.4 8 4 9 6 9 9H3C4.6 6.6 2.6 3 3-.2z" fill="#d2d6df"/>'
        '<path d="M-6.4 4.6L1.4 9M-8.4 7L-5 9" stroke="#a9afc0" stroke-width=".8"/>'
    ),
}
