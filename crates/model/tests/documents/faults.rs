//! Graphs that are refused, and how it is said.

use antfarm_model::{Limits, document};
use expect_test::expect;

use super::{check, lines};

#[test]
fn all_faults_are_told_at_once_by_path() {
    check(
        "id: -bad
on_failure: explode
on_deadline: skip_sucessors
defaults: {timeout: 10, retires: 2}
priority: 3
nodes:
  fetch: {tool: http get, args: {x: {$ref: fecth}, y: {$ref: 'fan[9]'}, z: {$ref: fetch}}}
  'bad name': {tool: t, retries: 1001, timeout: 0s}
  fan: {tol: resize, array: {count: 9}, after: ['fetch[0]', 3, nobody, fan]}
  late: {tool: t, deadline: 2026-12-01, not_before: tomorrow, pin: [x]}
",
        &expect![[r#"
            1:5: id: a name begins with a letter or a digit (A-Z, a-z, 0-9), not with '-'
            2:13: on_failure: must be one of fail_graph, continue, not "explode"
            3:14: on_deadline: must be one of fail_graph, skip_successors, continue, not "skip_sucessors"; did you mean "skip_successors"?
            4:21: defaults.timeout: must be a string; put it in quotes: "10"
            4:25: defaults.retires: no such field as "retires"; did you mean "retries"?
            5:1: priority: no such field as "priority"; known are id, on_failure, on_deadline, defaults, nodes
            7:17: nodes.fetch.tool: a name consists of A-Z, a-z, 0-9, '.', '_' and '-'; ' ' is none of them
            7:44: nodes.fetch.args.x.$ref: no node is named "fecth"; did you mean "fetch"?
            7:62: nodes.fetch.args.y.$ref: "fan[9]" is no instance: the array's last index is 8
            7:83: nodes.fetch.args.z.$ref: "fetch" is the node itself, which cannot wait for itself
            8:3: nodes["bad name"]: a name consists of A-Z, a-z, 0-9, '.', '_' and '-'; ' ' is none of them
            8:34: nodes["bad name"].retries: must be a whole number from 0 to 1000, not 1001
            8:49: nodes["bad name"].timeout: must be longer than nothing; leave it out for the tool's own
            9:8: nodes.fan: has no tool, which it must have
            9:9: nodes.fan.tol: no such field as "tol"; did you mean "tool"?
            9:49: nodes.fan.after[0]: "fetch[0]" is no instance: the node is no array
            9:61: nodes.fan.after[1]: must be a string; put it in quotes: "3"
            9:64: nodes.fan.after[2]: no node is named "nobody"
            9:72: nodes.fan.after[3]: "fan" is the node itself, which cannot wait for itself
            10:29: nodes.late.deadline: a time is written as in RFC 3339, with an offset, such as 2026-12-01T06:00:00Z; "2026-12-01" is not
            10:53: nodes.late.not_before: a time is written as in RFC 3339, with an offset, such as 2026-12-01T06:00:00Z; "tomorrow" is not
            10:68: nodes.late.pin: must be a string, not a list"#]],
    );
}

#[test]
fn a_graph_is_a_map_with_id_and_nodes() {
    check("[]", &expect!["1:1: must be a map with id, on_failure, on_deadline, defaults, nodes, not a list"]);
    check("just text", &expect!["1:1: must be a map with id, on_failure, on_deadline, defaults, nodes, not a string"]);
    check(
        "{}",
        &expect![[r#"
        1:1: has no id, which it must have
        1:1: has no nodes, which it must have"#]],
    );
    check("id: g\nnodes: {}", &expect!["2:8: nodes: a graph has at least one node"]);
    check(
        "id: g\nnodes: 3",
        &expect!["2:8: nodes: must be a map from name to node, or a list of nodes with id, not a number"],
    );
    check(
        "id: g\nnodes: {a: }",
        &expect![
            "2:10: nodes.a: must be a map with tool, args, after, deadline, not_before, timeout, retries, pin, array, not null"
        ],
    );
    check(
        "id: g\nnodes: [{tool: t}, 3, {id: 4, tool: t}, {id: '', tool: t}, {id: x, tool: t}, {id: x, tool: t}]",
        &expect![[r#"
            2:9: nodes[0]: has no id, which a node in a list must have
            2:20: nodes[1]: must be a map with id, tool, args, after, deadline, not_before, timeout, retries, pin, array, not a number
            2:28: nodes[2].id: must be a string; put it in quotes: "4"
            2:46: nodes[3].id: a name must not be empty
            2:83: nodes[5].id: the id "x" is that of nodes[4] already"#]],
    );
}

#[test]
fn duplicate_keys_are_told_with_the_other_faults() {
    check(
        "id: g\nnodes:\n  a: {tool: t, tool: u, tol: v}\n  a: {tool: t}\n",
        &expect![[r#"
        3:16: nodes.a.tool: the key "tool" stands here again; it is at 3:7 already
        3:25: nodes.a.tol: no such field as "tol"; did you mean "tool"?
        4:3: nodes.a: the key "a" stands here again; it is at 3:3 already"#]],
    );
}

#[test]
fn names_have_an_alphabet_and_a_length() {
    let name = "n".repeat(128);
    super::accept(&format!("id: {name}\nnodes: {{{name}: {{tool: {name}, pin: {name}}}}}"));
    let long = "n".repeat(129);
    check(
        &format!("id: {long}\nnodes: {{{long}: {{tool: {long}}}}}"),
        &expect![[r#"
            1:5: id: a name has at most 128 characters; this one has 129
            2:9: nodes["nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"…]: a name has at most 128 characters; this one has 129
            2:147: nodes["nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"…].tool: a name has at most 128 characters; this one has 129"#]],
    );
    check(
        r#"{"id": "ümlaut", "nodes": {"": {"tool": "a/b"}, ".x": {"tool": "a\u0000b"}, "a b": {"tool": ""}}}"#,
        &expect![[r#"
            1:8: id: a name begins with a letter or a digit (A-Z, a-z, 0-9), not with 'ü'
            1:28: nodes[""]: a name must not be empty
            1:41: nodes[""].tool: a name consists of A-Z, a-z, 0-9, '.', '_' and '-'; '/' is none of them
            1:49: nodes[".x"]: a name begins with a letter or a digit (A-Z, a-z, 0-9), not with '.'
            1:64: nodes[".x"].tool: a name consists of A-Z, a-z, 0-9, '.', '_' and '-'; '\0' is none of them
            1:77: nodes["a b"]: a name consists of A-Z, a-z, 0-9, '.', '_' and '-'; ' ' is none of them
            1:93: nodes["a b"].tool: a name must not be empty"#]],
    );
}

#[test]
fn types_are_told() {
    check(
        "id: 3
nodes:
  a: {tool: null, args: {$ref: 3}, after: b, deadline: 3, timeout: 3, retries: '3', pin: true, array: 3}
  b: {tool: t, after: [[]], retries: 1.0, array: {count: '3'}}
  c: {tool: t, retries: -1, array: {}}
  d: []
",
        &expect![[r#"
            1:5: id: must be a string; put it in quotes: "3"
            3:13: nodes.a.tool: must be a string, not null; an optional field is left out
            3:32: nodes.a.args.$ref: must be a string; put it in quotes: "3"
            3:43: nodes.a.after: must be a list of names of nodes, such as [fetch], not a string
            3:56: nodes.a.deadline: must be a string; put it in quotes: "3"
            3:68: nodes.a.timeout: must be a string; put it in quotes: "3"
            3:80: nodes.a.retries: must be a whole number, not a string
            3:90: nodes.a.pin: must be a string, not a truth value
            3:103: nodes.a.array: must be a map with count, not a number
            4:24: nodes.b.after[0]: must be a string, not a list
            4:38: nodes.b.retries: must be a whole number from 0 to 1000, not 1.0
            4:58: nodes.b.array.count: must be a whole number, not a string
            5:25: nodes.c.retries: must be a whole number from 0 to 1000, not -1
            5:36: nodes.c.array: has no count, which it must have
            6:6: nodes.d: must be a map with tool, args, after, deadline, not_before, timeout, retries, pin, array, not a list"#]],
    );
}

#[test]
fn references_are_checked() {
    check(
        "id: g
nodes:
  a: {tool: t}
  fan: {tool: t, array: {count: 3}}
  broken: {tool: t, array: {count: 0}}
  b:
    tool: t
    args:
      - $ref: fan[2]
      - $ref: fan[3]
      - $ref: a[0]
      - $ref: broken[7]
      - $ref: fan[01]
      - {$ref: a#x}
      - {$ref: a#/~x}
      - {$ref: b}
      - {$ref: a, default: 1}
      - {$ref: }
      - {$ref: ''}
      - {$ref: 'a b'}
      - {deep: [{$ref: c}]}
",
        &expect![[r#"
            5:36: nodes.broken.array.count: must be a whole number from 1 to 10000000, not 0
            10:15: nodes.b.args[1].$ref: "fan[3]" is no instance: the array's last index is 2
            11:15: nodes.b.args[2].$ref: "a[0]" is no instance: the node is no array
            13:15: nodes.b.args[4].$ref: "fan[01]" names no node: an index is a whole number in brackets after the name, without leading zeros and below 4294967296, such as fan[3]
            14:16: nodes.b.args[5].$ref: "a#x": a JSON pointer begins with '/', as in /rows/0
            15:16: nodes.b.args[6].$ref: "a#/~x": in a JSON pointer '~' stands only in '~0' (for '~') and '~1' (for '/')
            16:16: nodes.b.args[7].$ref: "b" is the node itself, which cannot wait for itself
            17:9: nodes.b.args[8]: a reference has no key but $ref; move the others out of it
            18:14: nodes.b.args[9].$ref: must be a string, not null; an optional field is left out
            19:16: nodes.b.args[10].$ref: "" names no node: a name must not be empty
            20:16: nodes.b.args[11].$ref: "a b" names no node: a name consists of A-Z, a-z, 0-9, '.', '_' and '-'; ' ' is none of them
            21:24: nodes.b.args[12].deep[0].$ref: no node is named "c""#]],
    );
}

#[test]
fn times_must_make_sense() {
    check(
        "id: g
nodes:
  a: {tool: t, not_before: 2026-12-01T06:00:00Z, deadline: 2026-12-01T06:00:00Z}
  b: {tool: t, deadline: 1969-12-01T06:00:00Z, timeout: 4000d}
  c: {tool: t, deadline: 2026-13-01T06:00:00Z, timeout: 1.5h}
",
        &expect![[r#"
            3:28: nodes.a.not_before: is not before the deadline, 2026-12-01T06:00:00Z, so the node could never run
            4:26: nodes.b.deadline: a time must not be before 1970; "1969-12-01T06:00:00Z" is
            4:57: nodes.b.timeout: a length of time is a whole number with a unit (ms, s, m, h or d), such as 250ms or 10m, and at most 3650d; "4000d" is not
            5:26: nodes.c.deadline: a time is written as in RFC 3339, with an offset, such as 2026-12-01T06:00:00Z; "2026-13-01T06:00:00Z" is not
            5:57: nodes.c.timeout: a length of time is a whole number with a unit (ms, s, m, h or d), such as 250ms or 10m, and at most 3650d; "1.5h" is not"#]],
    );
}

#[test]
fn arrays_have_a_bound() {
    check(
        "id: g
nodes:
  none: {tool: t, array: {count: 0}}
  many: {tool: t, array: {count: 4000000000}}
  more: {tool: t, array: {count: 99999999999999999999}}
  typo: {tool: t, array: {cuont: 3}}
",
        &expect![[r#"
            3:34: nodes.none.array.count: must be a whole number from 1 to 10000000, not 0
            4:34: nodes.many.array.count: must be a whole number from 1 to 10000000, not 4000000000
            5:34: nodes.more.array.count: must be a whole number from 1 to 10000000, not 99999999999999999999
            6:26: nodes.typo.array: has no count, which it must have
            6:27: nodes.typo.array.cuont: no such field as "cuont"; did you mean "count"?"#]],
    );
    super::accept("id: g\nnodes: {a: {tool: t, array: {count: 10000000}}}");
    check(
        "id: g\nnodes: {a: {tool: t, array: {count: 10000000}}, b: {tool: t}}",
        &expect!["2:8: nodes: have 10000001 instances in all; a graph has at most 10000000"],
    );
}

#[test]
fn one_cycle_is_told_for_each_group() {
    check(
        "id: g
nodes:
  a: {tool: t, after: [c]}
  b: {tool: t, args: {$ref: a}}
  c: {tool: t, after: [b, free]}
  x: {tool: t, args: {$ref: 'y[1]#/z'}}
  y: {tool: t, array: {count: 2}, after: [x, a]}
  free: {tool: t}
  behind: {tool: t, after: [x]}
",
        &expect![[r#"
            3:3: nodes.a: is in a cycle of 3 nodes, each waiting for the next: a → c → b → a
            6:3: nodes.x: is in a cycle of 2 nodes, each waiting for the next: x → y → x"#]],
    );
}

#[test]
fn a_long_cycle_is_cut_short() {
    let nodes: Vec<String> =
        (0..100_000).map(|n| format!("n{n}: {{tool: t, after: [n{}]}}", (n + 1) % 100_000)).collect();
    check(
        &format!("id: g\nnodes:\n  {}", nodes.join("\n  ")),
        &expect![
            "3:3: nodes.n0: is in a cycle of 100000 nodes, each waiting for the next: n0 → n1 → n2 → n3 → n4 → n5 → n6 → n7 → n8 → n9 → … → n0"
        ],
    );
}

#[test]
fn a_long_chain_is_no_cycle() {
    let nodes: Vec<String> = (1..100_000).map(|n| format!("n{n}: {{tool: t, after: [n{}]}}", n - 1)).collect();
    super::accept(&format!("id: g\nnodes:\n  {}\n  n0: {{tool: t}}", nodes.join("\n  ")));
}

#[test]
fn beyond_a_hundred_faults_are_counted() {
    let nodes: Vec<String> = (0..1_000).map(|n| format!("  n{n}: {{tol: t}}")).collect();
    let faults = document::graph(format!("id: g\nnodes:\n{}", nodes.join("\n")).as_bytes(), &Limits::default());
    let faults = faults.expect_err("no node has a tool");
    assert_eq!(faults.len(), document::MAX_FAULTS + 1);
    expect![[r#"
        52:8: nodes.n49: has no tool, which it must have
        52:9: nodes.n49.tol: no such field as "tol"; did you mean "tool"?
        and 1900 more faults"#]]
    .assert_eq(&lines(&faults[98..]));
}

#[test]
fn a_graph_has_a_number_of_nodes() {
    let limits = Limits { nodes: 2, ..Limits::default() };
    let faults = |text: &str| document::graph(text.as_bytes(), &limits).map(|_| ()).map_err(|faults| lines(&faults));
    assert_eq!(faults("id: g\nnodes: {a: {tool: t}, b: {tool: t}}"), Ok(()));
    expect!["2:8: nodes: has 3 nodes; a graph has at most 2. Use array nodes, or divide the graph"]
        .assert_eq(&faults("id: g\nnodes: {a: {tool: t}, b: {tool: t}, c: {tool: t}}").expect_err("three nodes"));
}

#[test]
fn a_node_fits_into_half_an_entry() {
    let limits = Limits { entry_bytes: 2_000, ..Limits::default() };
    let graph = |length: usize| format!("id: g\nnodes: {{a: {{tool: t, args: {}}}}}", "x".repeat(length));
    assert!(document::graph(graph(900).as_bytes(), &limits).is_ok());
    let faults = document::graph(graph(1_000).as_bytes(), &limits).expect_err("too large");
    expect!["2:12: nodes.a: takes about 1068 bytes; a node takes at most 1000. Give large arguments by reference, use array nodes instead of many references"].assert_eq(&lines(&faults));
}

#[test]
fn faults_do_not_repeat_long_texts() {
    let long = "x".repeat(100_000);
    let node = format!(
        r#"{{"tool": "{long}", "timeout": "{long}", "deadline": "{long}", "retries": 1{}, "after": ["{long}"], "{long}": 1, "args": {{"$ref": "{long}"}}}}"#,
        "0".repeat(100_000)
    );
    let text = format!(r#"{{"id": "{long}", "{long}": 1, "on_failure": "{long}", "nodes": {{"{long}": {node}}}}}"#);
    let faults = document::graph(text.as_bytes(), &Limits::default()).expect_err("nothing is right");
    assert_eq!(faults.len(), 11);
    let longest = faults.iter().map(|fault| fault.to_string().len()).max();
    assert!(longest < Some(1_000), "{longest:?}");
}
