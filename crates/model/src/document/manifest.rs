//! A tool's manifest as a document, for TOML files and JSON bodies.

use serde::{Deserialize, Serialize};

use crate::{Backoff, CostClass, EffectClass, Fault, InvalidSpan, Manifest, Name, Span};

use super::MAX_RETRIES;

/// A manifest as people write it. Types and unknown fields are checked by serde, values by the conversion to [`Manifest`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManifestDocument {
    /// What nodes call the tool.
    pub name: String,
    /// How dear it is.
    pub cost_class: CostClass,
    /// What its repetition does.
    #[serde(default)]
    pub effects: EffectClass,
    /// The longest run of an attempt, such as `10m`.
    #[serde(default = "default_timeout")]
    pub timeout: String,
    /// Further tries after the first.
    #[serde(default = "default_retries")]
    pub retries: u32,
    /// The wait between tries.
    #[serde(default)]
    pub backoff: BackoffDocument,
}

/// A back-off as people write it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BackoffDocument {
    /// The wait after the first failure, such as `1s`.
    pub initial: String,
    /// By how much each further wait is longer, in percent.
    pub factor_percent: u32,
    /// The longest wait, such as `1m`.
    pub max: String,
}

/// The factors that a back-off may have, in percent: waits never shrink, and grow at most tenfold.
const FACTORS_PERCENT: std::ops::RangeInclusive<u32> = 100..=1_000;

fn default_timeout() -> String {
    Manifest::DEFAULT_TIMEOUT.to_string()
}

fn default_retries() -> u32 {
    Manifest::DEFAULT_RETRIES
}

impl Default for BackoffDocument {
    fn default() -> Self {
        (&Backoff::default()).into()
    }
}

impl From<&Backoff> for BackoffDocument {
    fn from(backoff: &Backoff) -> Self {
        Self {
            initial: backoff.initial.to_string(),
            factor_percent: backoff.factor_percent,
            max: backoff.max.to_string(),
        }
    }
}

impl From<&Manifest> for ManifestDocument {
    fn from(manifest: &Manifest) -> Self {
        Self {
            name: manifest.name.to_string(),
            cost_class: manifest.cost_class,
            effects: manifest.effects,
            timeout: manifest.timeout.to_string(),
            retries: manifest.retries,
            backoff: (&manifest.backoff).into(),
        }
    }
}

impl TryFrom<ManifestDocument> for Manifest {
    type Error = Vec<Fault>;

    fn try_from(document: ManifestDocument) -> Result<Self, Vec<Fault>> {
        let mut faults = Vec::new();
        let name = checked("name", Name::new(&document.name), &mut faults);
        let timeout = checked("timeout", span(&document.timeout), &mut faults);
        let initial = checked("backoff.initial", span(&document.backoff.initial), &mut faults);
        let max = checked("backoff.max", span(&document.backoff.max), &mut faults);
        if document.retries > MAX_RETRIES {
            faults.push(fault("retries", format!("must be at most {MAX_RETRIES}, not {}", document.retries)));
        }
        let factor_percent = document.backoff.factor_percent;
        if !FACTORS_PERCENT.contains(&factor_percent) {
            let (least, most) = (FACTORS_PERCENT.start(), FACTORS_PERCENT.end());
            faults
                .push(fault("backoff.factor_percent", format!("must be from {least} to {most}, not {factor_percent}")));
        }
        if let (Some(initial), Some(max)) = (initial, max)
            && initial > max
        {
            faults.push(fault(
                "backoff.initial",
                format!("must not be longer than backoff.max; {initial} is longer than {max}"),
            ));
        }
        match (name, timeout, initial, max) {
            (Some(name), Some(timeout), Some(initial), Some(max)) if faults.is_empty() => Ok(Self {
                name,
                cost_class: document.cost_class,
                effects: document.effects,
                timeout,
                retries: document.retries,
                backoff: Backoff { initial, factor_percent, max },
            }),
            _ => Err(faults),
        }
    }
}

/// Why a length of time is no time-out and no wait.
#[derive(Debug, thiserror::Error)]
enum WrongSpan {
    #[error(transparent)]
    Invalid(#[from] InvalidSpan),
    #[error("must be longer than nothing")]
    Zero,
}

fn span(text: &str) -> Result<Span, WrongSpan> {
    let span: Span = text.parse()?;
    if span.0 == 0 { Err(WrongSpan::Zero) } else { Ok(span) }
}

fn checked<T, E: std::fmt::Display>(path: &str, value: Result<T, E>, faults: &mut Vec<Fault>) -> Option<T> {
    value.map_err(|why| faults.push(fault(path, why.to_string()))).ok()
}

fn fault(path: &str, message: String) -> Fault {
    Fault { path: path.to_owned(), position: None, message }
}
