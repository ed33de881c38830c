//! What the real binary promises, shown on real processes: one file for each rule.

mod cancel;
mod check;
mod cost_classes;
mod dev;
mod events;
mod explain;
mod forager_killed;
mod forager_lost;
mod forager_paused;
mod forager_twice;
mod given;
mod leader_killed;
mod leader_paused;
mod long_run;
mod no_quorum;
mod pause;
mod program;
mod queens_killed;
mod status;
mod submit;
mod swarm;
mod tool;
mod workflows;
