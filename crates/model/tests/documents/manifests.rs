//! Manifests as documents.

use antfarm_model::document::ManifestDocument;
use antfarm_model::{CostClass, EffectClass, Manifest, Name};
use expect_test::{Expect, expect};

use super::lines;

fn read(json: &str) -> Result<Manifest, String> {
    let document: ManifestDocument = serde_json::from_str(json).map_err(|fault| fault.to_string())?;
    Manifest::try_from(document).map_err(|faults| lines(&faults))
}

fn check(json: &str, expected: &Expect) {
    expected.assert_eq(&read(json).expect_err("a faulty manifest"));
}

#[test]
fn what_is_not_said_has_a_default() {
    let manifest = Manifest::new(Name::new("resize").expect("a valid name"), CostClass::Io);
    assert_eq!(manifest.effects, EffectClass::Guarded);
    assert_eq!(read(r#"{"name": "resize", "cost_class": "io"}"#), Ok(manifest.clone()));
    let backoff = r#"{"name": "resize", "cost_class": "io", "backoff": {"max": "60s"}}"#;
    assert_eq!(read(backoff), Ok(manifest));
}

#[test]
fn a_manifest_survives_being_written() {
    for manifest in Manifest::built_in() {
        let json = serde_json::to_string(&ManifestDocument::from(&manifest)).expect("a document is JSON");
        assert_eq!(read(&json), Ok(manifest));
    }
}

#[test]
fn all_wrong_values_are_told_at_once() {
    check(
        r#"{"name": "a b", "cost_class": "cpu", "timeout": "0s", "retries": 1001, "backoff": {"initial": "2m", "factor_percent": 99}}"#,
        &expect![[r#"
            name: a name consists of A-Z, a-z, 0-9, '.', '_' and '-'; ' ' is none of them
            timeout: must be longer than nothing
            retries: must be at most 1000, not 1001
            backoff.factor_percent: must be from 100 to 1000, not 99
            backoff.initial: must not be longer than backoff.max; 2m is longer than 1m"#]],
    );
    check(
        r#"{"name": "a", "cost_class": "cpu", "timeout": "ten", "backoff": {"initial": "0s", "factor_percent": 1001, "max": "10y"}}"#,
        &expect![[r#"
            timeout: a length of time is a whole number with a unit (ms, s, m, h or d), such as 250ms or 10m, and at most 3650d; "ten" is not
            backoff.initial: must be longer than nothing
            backoff.max: a length of time is a whole number with a unit (ms, s, m, h or d), such as 250ms or 10m, and at most 3650d; "10y" is not
            backoff.factor_percent: must be from 100 to 1000, not 1001"#]],
    );
}

#[test]
fn unknown_fields_and_classes_are_refused() {
    check(
        r#"{"name": "a", "cost_class": "gpu"}"#,
        &expect!["unknown variant `gpu`, expected one of `cpu`, `io`, `model` at line 1 column 33"],
    );
    check(
        r#"{"name": "a", "cost_class": "cpu", "prio": 1}"#,
        &expect![
            "unknown field `prio`, expected one of `name`, `cost_class`, `effects`, `timeout`, `retries`, `backoff` at line 1 column 41"
        ],
    );
    check(r#"{"name": "a"}"#, &expect!["missing field `cost_class` at line 1 column 13"]);
}
