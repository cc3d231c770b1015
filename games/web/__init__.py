"""Views, forms and URLs. A GET never changes anything.

Selectors decide what a reader may see; services carry out what they ask for.
"""
