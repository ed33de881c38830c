//! When instances became ready and when their tools were called, as the logs of a queen and of foragers tell.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::Duration;

use anyhow::Context;

/// What is in the logs for this: beside what is always there, a line for each instance that becomes ready, and for each call.
pub(super) const LOG: &str = "info,openraft=error,antfarm_timing=trace";

/// Stands in these lines before what they say.
const SAID: &str = " TRACE antfarm_timing: ";

/// Graph, node and index, as numbers.
pub(super) type Instance = [u64; 3];

/// When something was said of each instance, on `CLOCK_MONOTONIC`; the first time, if it was said again.
pub(super) type Moments = BTreeMap<Instance, Duration>;

/// Reads when a log says that instances are `ready`, or that they were `called`.
pub(super) fn read(log: &Path, what: &str, moments: &mut Moments) -> anyhow::Result<()> {
    let file = File::open(log).with_context(|| format!("{} cannot be read", log.display()))?;
    for line in BufReader::new(file).lines() {
        let line = line.with_context(|| format!("{} cannot be read", log.display()))?;
        if let Some((instance, at)) = moment(&line, what) {
            moments.entry(instance).or_insert(at);
        }
    }
    Ok(())
}

fn moment(line: &str, what: &str) -> Option<(Instance, Duration)> {
    let (at, said) = line.split_once(SAID)?;
    let numbers = said.strip_prefix(what)?.split_ascii_whitespace().map(|number| number.parse().ok());
    let numbers: Vec<u64> = numbers.collect::<Option<_>>()?;
    Some((numbers.try_into().ok()?, Duration::from_micros(at.trim().parse().ok()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_happened_to_which_instance_and_when() {
        let line = "1234567 TRACE antfarm_timing: ready 12 3 45";
        assert_eq!(moment(line, "ready"), Some(([12, 3, 45], Duration::from_micros(1_234_567))));
        assert_eq!(moment(line, "called"), None);
        assert_eq!(moment("1234567  INFO antfarm_queen::office: ready", "ready"), None);
    }
}
