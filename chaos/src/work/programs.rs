//! The tools that are programs, as real shell scripts and as simulations.

use serde_json::{Value, json};

/// A tool that is a program: it leaves marks in the ledger while it runs.
pub(crate) struct Program {
    pub(crate) name: &'static str,
    cost_class: &'static str,
    effects: &'static str,
    /// Signs of life, a tenth of a second apart.
    pub(crate) ticks: u32,
    /// Whether its first attempt asks for another one.
    pub(crate) asks_again: bool,
}

const fn program(name: &'static str, cost_class: &'static str, effects: &'static str, ticks: u32) -> Program {
    Program { name, cost_class, effects, ticks, asks_again: false }
}

/// All programs.
pub(crate) const PROGRAMS: [Program; 4] = [
    program("work", "cpu", "guarded", 2),
    program("labour", "model", "guarded", 50),
    program("pay", "io", "irrevocable", 2),
    Program { asks_again: true, ..program("pay-twice", "io", "irrevocable", 1) },
];

impl Program {
    /// Its manifest.
    pub(crate) fn manifest(&self) -> Value {
        json!({"cost_class": self.cost_class, "effects": self.effects, "retries": 20, "backoff": {"initial": "50ms", "max": "1s"}})
    }
}
