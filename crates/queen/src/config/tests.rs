//! What a configuration may say, and what is said when it may not.

use super::*;

const MINIMAL: &str = r#"
id = 2
cluster_id = "test"
data_dir = "/var/lib/antfarm"
http = "127.0.0.1:7102"
raft = "127.0.0.1:7202"
initial_members = [
    {id = 1, http = "127.0.0.1:7101", raft = "127.0.0.1:7201"},
    {id = 2, http = "127.0.0.1:7102", raft = "127.0.0.1:7202"},
]
"#;

fn parse(text: &str, overrides: &[(&str, &str)]) -> Result<QueenConfig, InvalidConfig> {
    let overrides: Vec<(String, String)> =
        overrides.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    QueenConfig::parse(text, &overrides)
}

/// The faults of the minimal configuration with these overrides.
fn faults(overrides: &[(&str, &str)]) -> Vec<String> {
    parse(MINIMAL, overrides).map_or_else(|invalid| invalid.0, |_| Vec::new())
}

#[test]
fn what_is_left_out_has_its_default() {
    let config = parse(MINIMAL, &[]).expect("it is complete");
    assert_eq!(config.scheduler, SchedulerConfig::default());
    assert_eq!(config.policy(), Policy::default());
    assert_eq!(config.limits.limits(), Limits::default());
    let (ours, theirs) =
        (config.replica(), ReplicaConfig::new(config.cluster_id.clone(), config.id, String::new(), BTreeMap::new()));
    assert_eq!(
        (ours.heartbeat, ours.election_timeout_min, ours.election_timeout_max),
        (theirs.heartbeat, theirs.election_timeout_min, theirs.election_timeout_max)
    );
    assert_eq!(
        (ours.snapshot_floor_bytes, ours.entries_kept),
        (theirs.snapshot_floor_bytes, theirs.entries_kept),
        "storage has the defaults of the replica"
    );
    assert_eq!(ours.raft_listen, "127.0.0.1:7202");
    assert_eq!(ours.initial_members.len(), 2);
    assert_eq!(config.advertised_http(), "127.0.0.1:7102");
}

#[test]
fn a_queen_listens_where_the_members_are_told_that_it_is_unless_it_is_told_otherwise() {
    let listens = |text: &str, overrides: &[(&str, &str)]| {
        let config = parse(text, overrides).expect("it is complete");
        (config.http, config.raft.address)
    };
    let addresses = |http: &str, raft: &str| (http.to_owned(), raft.to_owned());
    let own = ["http = \"127.0.0.1:7102\"\n", "raft = \"127.0.0.1:7202\"\n"];
    let silent = own.iter().fold(MINIMAL.to_owned(), |text, line| text.replace(line, ""));
    assert_eq!(listens(&silent, &[]), addresses("127.0.0.1:7102", "127.0.0.1:7202"));
    assert_eq!(listens(&silent, &[("id", "1")]), addresses("127.0.0.1:7101", "127.0.0.1:7201"));
    let others = [("http", "localhost:1"), ("raft.address", "localhost:2")];
    assert_eq!(listens(&silent, &others), addresses("localhost:1", "localhost:2"));
    let table = format!("{silent}[raft]\nheartbeat = \"20ms\"\n");
    assert_eq!(listens(&table, &[]), addresses("127.0.0.1:7102", "127.0.0.1:7202"));
    let stranger = parse(&silent, &[("id", "9")]).expect_err("nothing says where it listens").to_string();
    assert!(stranger.contains("initial_members does not name this queen, whose id is 9"), "{stranger}");
}

#[test]
fn every_value_can_be_set_from_outside() {
    let overrides = [
        ("raft.heartbeat", "20ms"),
        ("lease.ttl", "30s"),
        ("limits.graph_bytes", "1MiB"),
        ("limits.frame_bytes", "8388608"),
        ("scheduler.poison_limit", "5"),
        ("data_dir", "/tmp/x"),
    ];
    let config = parse(MINIMAL, &overrides).expect("all are allowed");
    assert_eq!((config.raft.heartbeat, config.lease.ttl), (Span(20), Span::from_secs(30)));
    assert_eq!((config.limits.graph_bytes, config.limits.frame_bytes), (Size(1 << 20), Size(8 << 20)));
    assert_eq!((config.scheduler.poison_limit, config.data_dir), (5, "/tmp/x".into()));
    assert_eq!(config.raft.address, "127.0.0.1:7202");
}

#[test]
fn what_is_printed_is_read_as_the_same() {
    for config in [QueenConfig::example(), parse(MINIMAL, &[("lease.ttl", "17s"), ("insecure", "true")]).expect("fine")]
    {
        assert_eq!(QueenConfig::parse(&config.print(), &[]), Ok(config));
    }
}

#[test]
fn what_is_printed_tells_meaning_default_and_bounds() {
    let text = QueenConfig::example().print();
    let expected = "# How often a leader looks for what only time changes. (default \"250ms\"; from 10ms to 10s)\ntick = \"250ms\"\n";
    assert!(text.contains(expected), "{text}");
    for setting in settings::SETTINGS {
        assert!(text.contains(setting.meaning), "{} is not printed", setting.key);
    }
}

#[test]
fn every_key_is_listed_among_the_settings() {
    let table = check::table(&QueenConfig::example());
    let listed = |key: &str| settings::SETTINGS.iter().any(|setting| setting.key == key);
    for (key, value) in &table {
        match value.as_table() {
            Some(section) => {
                for name in section.keys() {
                    assert!(listed(&format!("{key}.{name}")), "{key}.{name} is not listed");
                }
            }
            None => assert!(listed(key), "{key} is not listed"),
        }
    }
}

#[test]
fn unknown_keys_are_refused() {
    for key in ["colour", "raft.heart_beat", "limits.graphs", "scheduler.ticks"] {
        let told = faults(&[(key, "1")]);
        let name = key.rsplit('.').next().expect("a key has a name");
        assert!(told.len() == 1 && told[0].contains(name), "{key}: {told:?}");
    }
}

#[test]
fn what_is_planned_is_refused_by_name() {
    for (key, value) in [("tls", "{}"), ("auth", "{}"), ("scheduler.placement", "spread")] {
        let told = faults(&[(key, value)]);
        assert!(told.len() == 1 && told[0].contains("not supported yet by this version"), "{key}: {told:?}");
    }
}

#[test]
fn values_out_of_bounds_are_told_with_the_bounds() {
    assert_eq!(faults(&[("scheduler.tick", "1ms")]), ["scheduler.tick is 1ms, and must be from 10ms to 10s"]);
    assert_eq!(faults(&[("lease.drift_percent", "90")]), ["lease.drift_percent is 90, and must be from 0 to 50"]);
    assert_eq!(
        faults(&[("limits.graph_bytes", "1GiB")]),
        ["limits.graph_bytes is 1GiB, and must be from 1KiB to 128MiB"]
    );
}

#[test]
fn relations_name_both_values_and_are_told_together() {
    let told = faults(&[("raft.heartbeat", "100ms"), ("lease.ttl", "2s"), ("limits.result_bytes", "1MiB")]);
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(
        told[0].starts_with("raft.election_timeout_min (150ms) must be at least three times raft.heartbeat (100ms)")
    );
    assert!(told[1].starts_with("lease.ttl (2s) must be at least three times lease.heartbeat (1s)"));
    assert!(told[2].starts_with("limits.result_bytes (1MiB) must be at most half of limits.entry_bytes (1MiB)"));
}

#[test]
fn members_must_be_told_apart() {
    let members = |list: &str| faults(&[("initial_members", list)]);
    let told = members(r#"[{id = 1, http = "a:1", raft = "a:2"}]"#);
    assert!(told[0].starts_with("initial_members does not name this queen, whose id is 2"), "{told:?}");
    let told = members(r#"[{id = 2, http = "a:1", raft = "a:1"}, {id = 2, http = "a:3", raft = "a:4"}]"#);
    assert!(told[0].starts_with("initial_members gives the address a:1 to member 2 and to member 2"), "{told:?}");
    assert!(told[1].starts_with("initial_members names member 2 twice"), "{told:?}");
    let told = faults(&[("advertise_http", "b:1")]);
    assert!(told[0].starts_with("advertise_http is b:1, but initial_members says 127.0.0.1:7102"), "{told:?}");
}

#[test]
fn a_queen_that_joins_says_where_it_is_and_whom_it_joins() {
    let from = MINIMAL.find("initial_members").expect("it has some");
    let text = format!("{}join = [\"127.0.0.1:7201\"]\n", &MINIMAL[..from]);
    let config = parse(&text, &[]).expect("it is complete");
    assert_eq!((config.advertised_http(), config.advertised_raft()), ("127.0.0.1:7102", "127.0.0.1:7202"));
    let replica = config.replica();
    assert!(replica.initial_members.is_empty());
    assert_eq!(replica.join, ["127.0.0.1:7201"]);
    assert_eq!(QueenConfig::parse(&config.print(), &[]).as_ref(), Ok(&config));
    let told = parse(&text, &[("join", "[\"nowhere\", \"127.0.0.1:7202\"]")]).expect_err("neither is another queen").0;
    assert!(told[0].starts_with("join has \"nowhere\", and must be a list of host:port"), "{told:?}");
    assert!(told[1].starts_with("join has 127.0.0.1:7202, which is this queen's own"), "{told:?}");
    let told = parse(&MINIMAL[..from], &[]).expect_err("which cluster?").0;
    assert_eq!(told, ["one of initial_members and join is needed: which cluster is it?"]);
    let told = faults(&[("join", "[\"127.0.0.1:7201\"]")]);
    assert!(told[0].starts_with("initial_members and join exclude each other"), "{told:?}");
}

#[test]
fn addresses_that_others_reach_need_to_be_called_insecure() {
    let open = [("http", "0.0.0.0:7102"), ("raft.address", "10.0.0.2:7202")];
    let told = faults(&open);
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told.iter().all(|fault| fault.contains("insecure = true (--insecure)")), "{told:?}");
    assert!(faults(&[open[0], open[1], ("insecure", "true")]).is_empty());
    assert!(faults(&[("http", "localhost:7102"), ("raft", "[::1]:7202")]).is_empty());
    assert!(faults(&[("http", "localhost")])[0].contains("must be host:port"));
}

#[test]
fn an_error_lists_every_fault_on_its_own_line() {
    let invalid = InvalidConfig(vec!["one".into(), "two".into()]);
    assert_eq!(invalid.to_string(), "the configuration cannot be used:\n  one\n  two");
}
