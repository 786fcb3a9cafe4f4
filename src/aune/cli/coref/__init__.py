"""Chains, and simple systems that make them."""
