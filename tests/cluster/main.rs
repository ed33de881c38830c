//! What the real binary promises, shown on real processes: one file for each rule.

mod cancel;
mod check;
mod cost_classes;
mod dev;
mod events;
mod explain;
mod forager_killed;
mod forager_paused;
mod given;
mod hidden;
mod keeper_cancel;
mod keeper_leases;
mod keeper_restart;
mod leader_killed;
mod leader_paused;
mod no_quorum;
mod pause;
mod program;
mod queens_killed;
mod status;
mod submit;
mod tool;
mod workflows;
