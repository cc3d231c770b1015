"""SVG drawings as PNG pictures: compositor, render worker and plain rasterising."""
