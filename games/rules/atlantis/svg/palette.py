"""The colours of pictures of the board: those that carry a meaning, then the nearest to all others.

The second part was found by `python -m tests.programs.board_palettes atlantis` and the first part.
"""

PALETTE = (
    "#000000", "#ffffff", "#fffdf5", "#0072b2", "#d55e00", "#f0e442", "#2c2418", "#2a7699",
    "#ffd23f", "#b23a52", "#f3c9cb", "#cfe0b8", "#d9dde3", "#e8cba6", "#bfe0f2", "#f7ebb0",
    "#a3abc0", "#276233", "#2b271d", "#33395f", "#336f94", "#408753", "#408aa7", "#506164",
    "#584221", "#5ba1b8", "#5f5336", "#716845", "#728785", "#7cb6c9", "#836325", "#858159",
    "#9f9868", "#a44159", "#a6cad7", "#a7aa83", "#adb1ad", "#b1863b", "#cdb37b", "#cedde2",
    "#dbceab", "#e7cd4a", "#efe1c7", "#f4f2e8",
)  # fmt: skip
