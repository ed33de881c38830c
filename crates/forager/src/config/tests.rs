//! What a configuration may say.

use super::*;

const LEAST: &str = "name = \"f\"\nqueens = [\"http://a:1\"]\ndata_dir = \"d\"\n";

fn config(more: &str) -> Result<ForagerConfig, ConfigError> {
    let config = ForagerConfig::parse(&format!("{LEAST}{more}"))?;
    config.check()?;
    Ok(config)
}

#[test]
fn what_is_not_said_has_its_default() {
    let config = config("").expect("nothing else is required");
    let queens = vec!["a:1".parse().expect("an address")];
    assert_eq!(config, ForagerConfig::new(config.name.clone(), queens, "d"));
    assert_eq!((config.slots, config.kill_grace, config.builtin_tools), (8, Span::from_secs(2), true));
}

#[test]
fn a_configuration_is_written_as_it_was_read() {
    let config =
        config("kill_grace = \"250ms\"\n[class_slots]\nio = 3\n[tools.t]\ncommand = [\"/bin/true\"]").expect("valid");
    let text = toml::to_string(&config).expect("it is a table");
    assert_eq!(ForagerConfig::parse(&text), Ok(config));
}

#[test]
fn unknown_keys_and_broken_relations_are_named() {
    for (text, says) in [
        ("slot = 4", "unknown field `slot`"),
        ("slots = 0", "`slots` is 0, and 1 to 16384 are allowed"),
        ("slots = 4\n[class_slots]\nmodel = 5", "`class_slots.model` is 5 and `slots` is 4"),
        ("slots = 4\nprefetch = 16381", "`prefetch` is 16381 and `slots` is 4: together they may be 16384 at most"),
        ("[class_slots]\ngpu = 5", "unknown variant `gpu`"),
        ("kill_grace = \"2\"", "a length of time is a whole number with a unit"),
        ("kill_grace = \"11m\"", "`kill_grace` is 11m, and 1ms to 10m are allowed"),
        ("[tools.t]\ncommand = []", "`tools.t.command` is empty"),
        ("[tools.noop]\ncommand = [\"/bin/true\"]", "`tools.noop` has the name of a built-in tool"),
        ("[tools.t]\ncommand = [\"./t.sh\"]", "relative path \"./t.sh\""),
        ("[tools.t]\ncommand = [\"/bin/true\"]\nshell = true", "unknown field `shell`"),
        ("builtin_tools = false", "there is no tool"),
    ] {
        let error = config(text).expect_err(text).to_string();
        assert!(error.contains(says), "{text}: {error}");
    }
}

#[test]
fn relative_paths_can_be_taken_from_a_folder() {
    let config = ForagerConfig::parse(&format!(
        "{LEAST}[tools.t]\ncommand = [\"./t.sh\", \"./x\"]\n[tools.u]\ncommand = [\"u\"]"
    ));
    let config = config.expect("it reads").resolved_in(Path::new("/etc/ants"));
    assert_eq!(config.data_dir, Path::new("/etc/ants/d"));
    let commands: Vec<_> = config.tools.values().map(|tool| tool.command.join(" ")).collect();
    assert_eq!(commands, ["/etc/ants/./t.sh ./x", "u"]);
    assert_eq!(config.check(), Ok(()));
}

#[test]
fn a_queen_is_named_by_host_and_port() {
    for text in ["http://queen-1.example:7101", "queen-1.example:7101", "http://[::1]:7101/", "127.0.0.1:80"] {
        assert!(text.parse::<QueenAddress>().is_ok(), "{text}");
    }
    for text in ["", "a", "a:0", "a:70000", "https://a:1", ":80", "a/b:1", "http://a:1/x", "::1:80"] {
        assert!(text.parse::<QueenAddress>().is_err(), "{text}");
    }
}
