//! What `--help` says beyond what stands at the commands themselves: a text for each command, and the overview.
//!
//! Each command attaches the file here that is called as it is: examples that can be pasted, exit status, environment and
//! what to see also. Tests hold every example to the real command line.

mod overview;
#[cfg(test)]
mod shell;
#[cfg(test)]
mod tests;

pub(crate) use overview::grouped;
