"""Symbols as formulas write them: a letter or word, and its subscript."""

from __future__ import annotations

GREEK = {
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "epsilon": "ε",
    "zeta": "ζ",
    "eta": "η",
    "theta": "θ",
    "kappa": "κ",
    "lambda": "λ",
    "mu": "μ",
    "nu": "ν",
    "xi": "ξ",
    "pi": "π",
    "rho": "ρ",
    "sigma": "σ",
    "tau": "τ",
    "phi": "φ",
    "chi": "χ",
    "psi": "ψ",
    "omega": "ω",
    "Gamma": "Γ",
    "Delta": "Δ",
    "Theta": "Θ",
    "Lambda": "Λ",
    "Sigma": "Σ",
    "Phi": "Φ",
    "Psi": "Ψ",
    "Omega": "Ω",
}


def parts_of(symbol: str) -> tuple[str, str]:
    """`M_opt`, `M_{opt}` or `\\eta` as base and subscript, without their marks."""
    base, _, below = symbol.replace("{", "").replace("}", "").partition("_")
    return base.removeprefix("\\"), below.removeprefix("\\")


def split_symbol(symbol: str) -> tuple[str, str]:
    """Split a symbol, with Greek letters in place of their names."""
    base, below = parts_of(symbol)
    return GREEK.get(base, base), GREEK.get(below, below)
