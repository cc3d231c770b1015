"""The colours of pictures of the board: those that carry a meaning, then the nearest to all others.

The second part was found by `python -m tests.programs.board_palettes escape` and the first part.
"""

PALETTE = (
    "#000000", "#ffffff", "#fffdf5", "#0072b2", "#d55e00", "#f0e442", "#2c2418", "#2a7699",
    "#fff3b0", "#ffb3a7", "#d5c2ff", "#3d3222", "#6f7f45", "#a9bb7a", "#235068", "#272e21",
    "#2b799c", "#2d3e46", "#2e647e", "#33522c", "#438ca6", "#4b3a1e", "#4e6b38", "#514d3e",
    "#547276", "#57a0b7", "#6a634d", "#6caec0", "#70894e", "#719195", "#7b4d21", "#827c6a",
    "#84c0cd", "#92a8a9", "#939b6a", "#9e774d", "#accfd7", "#aea986", "#bc5506", "#c5c0a3",
    "#d4e2e1", "#dec747", "#e2d6b4", "#f1f3ec",
)  # fmt: skip
