//! Late attempts have no effect: the command `antfarm fence`, and every recipe of `docs/fencing.md` as it stands there.

mod command;
mod crash;
mod given;
mod late_attempt;
mod object_store;
mod recipe;
mod sql;
mod store;
