//! A forager against queens that say exactly what a test tells them to.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test names what it expects, and fails on anything else")]

mod attempts;
mod crash;
mod epochs;
mod journal;
mod leases;
mod queen;
mod sentries;
mod sessions;
mod winding_down;
