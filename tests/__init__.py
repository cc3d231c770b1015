"""Tests: they read like sentences about the game."""
