//! What the real binary promises, shown on real processes: one file for each rule.

mod cancel;
mod check;
mod completions;
mod cost_classes;
mod dev;
mod dev_cluster;
mod events;
mod examples;
mod explain;
mod first_hour;
mod follow;
mod forager_killed;
mod forager_paused;
mod given;
mod leader_killed;
mod leader_paused;
mod no_cluster;
mod no_quorum;
mod pause;
mod program;
mod queens_killed;
mod status;
mod submit;
mod tool;
mod workflows;
