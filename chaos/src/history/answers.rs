//! What queens say of themselves, read from their answers: real ones and simulated ones say it in the same words.

use serde_json::Value;

use super::record::{ForagerSeen, GraphShown, QueenStatus};

impl GraphShown {
    /// How a graph stands in an answer that shows one.
    pub(crate) fn read(body: &Value) -> Option<Self> {
        Some(Self {
            id: body["id"].as_str()?.to_owned(),
            number: body["number"].as_u64()?,
            digest: body["digest"].as_str()?.to_owned(),
            state: body["state"].as_str()?.to_owned(),
            finished: !body["finished_at"].is_null(),
        })
    }
}

impl ForagerSeen {
    /// All foragers of a page.
    pub(crate) fn read_all(page: &Value) -> Vec<Self> {
        let number = |value: &Value| u32::try_from(value.as_u64().unwrap_or(0)).unwrap_or(u32::MAX);
        let read = |one: &Value| {
            let open = &one["open_attempts"];
            Self {
                name: one["name"].as_str().unwrap_or_default().to_owned(),
                state: one["state"].as_str().unwrap_or_default().to_owned(),
                slots: number(&one["slots"]),
                open: number(&open["cpu"]) + number(&open["io"]) + number(&open["model"]),
                open_model: number(&open["model"]),
            }
        };
        page["foragers"].as_array().into_iter().flatten().map(read).collect()
    }
}

impl QueenStatus {
    /// What a queen's metrics say of its office.
    pub(crate) fn read(queen: u16, life: u32, metrics: &str) -> Option<Self> {
        let (epoch, leads) = (metric(metrics, "antfarm_epoch")?, metric(metrics, "antfarm_is_leader")? > 0);
        Some(Self { queen, life, epoch, leads })
    }
}

/// A metric without labels, if it is a whole number.
pub(crate) fn metric(metrics: &str, name: &str) -> Option<u64> {
    let value = metrics.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    value.and_then(|value| value.parse().ok())
}
