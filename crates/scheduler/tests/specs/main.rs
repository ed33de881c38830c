//! Specifications of the scheduler: one file for each rule, driven through `apply` and `decide` alone.

mod farm;

mod attempts;
mod deadlines;
mod effects;
mod graphs;
mod histories;
mod leases;
mod references;
mod registration;
mod retries;
mod round_robin;
mod submissions;
