//! Specifications of the scheduler: one file for each rule, driven through `apply` and `decide` alone.

mod farm;

mod attempts;
mod back_off;
mod black_holes;
mod deadlines;
mod decisions;
mod drafts;
mod drains;
mod effects;
mod events;
mod explain;
mod foresight;
mod forgetting;
mod fuzz;
mod golden;
mod graphs;
mod histories;
mod leases;
mod members;
mod not_before;
mod prefetch;
mod quarantine;
mod ranges;
mod references;
mod registration;
mod retries;
mod round_robin;
mod submissions;
