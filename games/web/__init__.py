"""The pages: each view is a function from a request to a page. A GET never changes anything.

Selectors decide what a reader may see, services do what a reader asks for.
"""
