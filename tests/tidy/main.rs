//! The house rules as an ordinary test: what every file, every crate and every page of this repository keeps to.

mod crates;
mod decoders;
mod docs;
mod files;
mod incidents;
mod repository;
