//! The client: finds a queen that answers, retries, and watches.
//!
//! Every request may be sent more than once and to several queens: a retry is always safe. [`Client`] is what the
//! command line and tests hold.

mod address;
mod answer;
mod client;
mod error;
mod events;
#[cfg(test)]
mod fuzz;
mod graph_watch;
#[cfg(test)]
mod scripted;
mod search;
mod sse;
mod transport;
pub mod views;

pub use answer::Answer;
pub use client::{Client, Page, Submitted};
pub use error::{ClientError, Fault, Problem};
pub use events::{EventStream, WatchedEvent};
pub use graph_watch::{GraphWatch, Seen};
pub use transport::Ask;
