//! Prometheus' text format.

use std::fmt::{Display, Write as _};
use std::time::Duration;

use antfarm_replication::Timed;
use antfarm_storage::SyncTimes;

use super::family::Family;
use super::histogram::Histogram;

/// A page that is being written.
#[derive(Default)]
pub(super) struct Page {
    text: String,
    name: &'static str,
}

impl Page {
    pub(super) fn counter(&mut self, name: &'static str, meaning: &str) {
        self.begin(name, "counter", meaning);
    }

    pub(super) fn gauge(&mut self, name: &'static str, meaning: &str) {
        self.begin(name, "gauge", meaning);
    }

    fn begin(&mut self, name: &'static str, kind: &str, meaning: &str) {
        self.name = name;
        let _ = write!(self.text, "# HELP {name} {meaning}\n# TYPE {name} {kind}\n"); // writing to a String cannot fail
    }

    /// A value of the metric that was begun last. Labels hold no character that would have to be escaped.
    pub(super) fn value(&mut self, labels: &[(&str, &str)], value: impl Display) {
        self.line("", labels, value);
    }

    pub(super) fn family(&mut self, name: &'static str, meaning: &str, label: &str, family: &Family) {
        self.counter(name, meaning);
        for (key, value) in family.values() {
            self.value(&[(label, key)], value);
        }
    }

    pub(super) fn histogram(&mut self, name: &'static str, meaning: &str, histogram: &Histogram) {
        self.begin(name, "histogram", meaning);
        let (below, all) = histogram.cumulative();
        for (bound, count) in below {
            self.line("_bucket", &[("le", bound)], count);
        }
        self.histogram_end(all, histogram.sum());
    }

    pub(super) fn sync_times(&mut self, name: &'static str, meaning: &str, times: &SyncTimes) {
        self.begin(name, "histogram", meaning);
        let mut count = 0;
        for (bound, more) in SyncTimes::BOUNDS.iter().zip(times.counts) {
            count += more;
            self.line("_bucket", &[("le", &bound.as_secs_f64().to_string())], count);
        }
        self.histogram_end(times.counts.iter().sum(), times.total);
    }

    /// How often something was done, and how long that took.
    pub(super) fn summary(&mut self, name: &'static str, meaning: &str, timed: Timed) {
        self.begin(name, "summary", meaning);
        self.line("_sum", &[], timed.total.as_secs_f64());
        self.line("_count", &[], timed.number);
    }

    fn histogram_end(&mut self, all: u64, sum: Duration) {
        self.line("_bucket", &[("le", "+Inf")], all);
        self.line("_sum", &[], sum.as_secs_f64());
        self.line("_count", &[], all);
    }

    fn line(&mut self, suffix: &str, labels: &[(&str, &str)], value: impl Display) {
        self.text.push_str(self.name);
        self.text.push_str(suffix);
        let labels: Vec<String> = labels.iter().map(|(label, value)| format!("{label}=\"{value}\"")).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _ = writeln!(self.text, "{labels} {value}");
    }

    pub(super) fn finish(self) -> String {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn syncs_are_written_as_a_histogram() {
        let mut times = SyncTimes { total: Duration::from_millis(1003), ..SyncTimes::default() };
        (times.counts[1], times.counts[6], times.counts[12]) = (2, 1, 1);
        let mut page = Page::default();
        page.sync_times("sync_seconds", "Syncs.", &times);
        let text = page.finish();
        for line in [
            "# TYPE sync_seconds histogram\n",
            "sync_seconds_bucket{le=\"0.00005\"} 0\n",
            "sync_seconds_bucket{le=\"0.0001\"} 2\n",
            "sync_seconds_bucket{le=\"0.005\"} 3\n",
            "sync_seconds_bucket{le=\"1\"} 3\n",
            "sync_seconds_bucket{le=\"+Inf\"} 4\n",
            "sync_seconds_sum 1.003\n",
            "sync_seconds_count 4\n",
        ] {
            assert!(text.contains(line), "{line:?} is not in\n{text}");
        }
    }

    #[test]
    fn families_and_histograms_are_written_as_prometheus_reads_them() {
        let (family, histogram) = (Family::default(), Histogram::default());
        family.add("io", 2);
        family.add("cpu", 1);
        for millis in [1, 3, 20_000] {
            histogram.observe(Duration::from_millis(millis));
        }
        let mut page = Page::default();
        page.family("things_total", "Things.", "class", &family);
        page.histogram("wait_seconds", "Waits.", &histogram);
        let text = page.finish();
        assert!(
            text.starts_with(
                "# HELP things_total Things.\n# TYPE things_total counter\nthings_total{class=\"cpu\"} 1\n"
            )
        );
        for line in [
            "wait_seconds_bucket{le=\"0.0005\"} 0\n",
            "wait_seconds_bucket{le=\"0.001\"} 1\n",
            "wait_seconds_bucket{le=\"0.005\"} 2\n",
            "wait_seconds_bucket{le=\"10\"} 2\n",
            "wait_seconds_bucket{le=\"+Inf\"} 3\n",
            "wait_seconds_sum 20.004\n",
            "wait_seconds_count 3\n",
        ] {
            assert!(text.contains(line), "{line:?} is not in\n{text}");
        }
    }
}
