//! YAML: the part of it that says what JSON can say.

use antfarm_model::{Limits, document};
use expect_test::expect;

use super::{check_tree, lines};

fn check(text: &str, expected: &expect_test::Expect) {
    check_tree(text.as_bytes(), expected);
}

#[test]
fn plain_scalars_are_resolved_by_the_core_schema() {
    check(
        "a: [null, ~, true, False, 12, -1.5e3, 9007199254740993, +7, .5, 5.]\nb: [yes, no, on, 1_000, 2026-12-01, 12:30:00]\nc:\n",
        &expect![[
            r#"{"a":[null,null,true,false,12,-1.5e3,9007199254740993,7,0.5,5.0],"b":["yes","no","on","1_000","2026-12-01","12:30:00"],"c":null}"#
        ]],
    );
}

#[test]
fn quoted_and_block_scalars_are_strings() {
    check(
        "a: '12'\nb: \"true\\n\"\nc: |\n  x\n  y\nd: >-\n  x\n  y\n",
        &expect![[r#"{"a":"12","b":"true\n","c":"x\ny\n","d":"x y"}"#]],
    );
}

#[test]
fn a_byte_order_mark_comments_and_any_line_end_are_accepted() {
    check("\u{feff}# comment\r\n---\r\na: 1 # one\r\nb:\r\n  - x\r\n...\r\n", &expect![[r#"{"a":1,"b":["x"]}"#]]);
}

#[test]
fn what_could_expand_is_refused() {
    check(
        "a: &a [x]\nb: *a\nc: *unknown\nd: {<<: *a, e: 1}\nf: !!str 1\ng: !mine {}\n",
        &expect![[r#"
            1:7: a: anchors (&name) are not accepted; leave it out
            2:4: b: aliases (*name) are not accepted; write the value itself
            3:4: c: aliases (*name) are not accepted; write the value itself
            4:5: d: merge keys (<<) are not accepted; write the entries themselves
            4:9: d["<<"]: aliases (*name) are not accepted; write the value itself
            5:10: f: tags ("!!str") are not accepted; leave it out
            6:10: g: tags ("!mine") are not accepted; leave it out"#]],
    );
    let lines: Vec<String> = (1..100).map(|n| format!("a{n}: &a{n} [*a{}, *a{}]\n", n - 1, n - 1)).collect();
    let bomb = lines.concat();
    let faults = document::parse(bomb.as_bytes(), &Limits::default());
    assert_eq!(faults.map_err(|faults| faults.len()).map(|_| ()), Err(101));
}

#[test]
fn keys_are_strings() {
    check(
        "1: a\ntrue: b\n~: c\n'2': d\n? [x]\n: e\n? {y: z}\n: f\n",
        &expect![[r#"
            1:1: a key must be a string; put it in quotes: "1"
            2:1: a key must be a string; put it in quotes: "true"
            3:1: a key must be a string; put it in quotes: "~"
            5:3: a key must be a string
            7:3: a key must be a string"#]],
    );
}

#[test]
fn numbers_that_json_does_not_have_are_refused() {
    check(
        "a: .inf\nb: 0x10\nc: 007\n",
        &expect![[r#"
            1:4: a: ".inf": JSON has no infinite numbers and no NaN; quote it to make it a string
            2:4: b: "0x10": JSON has only decimal numbers; write it in decimal, or quote it to make it a string
            3:4: c: "007": a number has no leading zeros; leave them out, or quote it to make it a string"#]],
    );
}

#[test]
fn every_duplicate_key_is_told() {
    check(
        "a: 1\nb:\n  c: 1\n  'c': 2\na: 3\n",
        &expect![[r#"
            4:3: b.c: the key "c" stands here again; it is at 3:3 already
            5:1: a: the key "a" stands here again; it is at 1:1 already"#]],
    );
}

#[test]
fn there_is_one_document() {
    check("", &expect!["1:1: the document is empty"]);
    check("# nothing\n", &expect!["2:1: the document is empty"]);
    check("a: 1\n---\nb: 2\n", &expect!["2:1: a second YAML document begins here; only one is accepted"]);
    check("%YAML 1.2\n---\na: 1\n", &expect!["1:1: no valid YAML: YAML directives are disallowed"]);
}

#[test]
fn what_is_no_yaml_is_told_with_its_place() {
    check("a: b: c\n", &expect!["1:5: no valid YAML: mapping values are not allowed in this context"]);
    check(
        "a: [1, 2\nb: 3\n",
        &expect![
            "2:1: no valid YAML: invalid indentation; indent with spaces, as far as the lines beside it, and close every brace, bracket and quote above"
        ],
    );
    check("a:\n\t- b\n", &expect!["2:2: no valid YAML: tabs disallowed within this context (block indentation)"]);
    check(
        "a: \"x\n",
        &expect![
            "2:1: no valid YAML: invalid indentation in multiline quoted scalar; indent with spaces, as far as the lines beside it, and close every brace, bracket and quote above"
        ],
    );
    check(
        "a: {x: fan[3]}",
        &expect![
            "1:11: no valid YAML: while parsing a flow mapping, did not find expected ',' or '}'; a text with brackets, such as 'fan[3]', needs quotes here"
        ],
    );
    check(
        "a: [fan[3]]",
        &expect![
            "1:8: no valid YAML: while parsing a flow sequence, expected ',' or ']'; a text with brackets, such as 'fan[3]', needs quotes here"
        ],
    );
    check("a: @x\n", &expect!["1:4: no valid YAML: unexpected character: `@'"]);
}

#[test]
fn depth_has_a_bound() {
    let too_deep = |text: &str, place: &str| {
        let faults = document::parse(text.as_bytes(), &Limits::default()).map(|_| ()).map_err(|faults| lines(&faults));
        let message = "lists and maps stand inside each other more than 64 deep; flatten the document";
        assert_eq!(faults, Err(format!("{place}: {message}")));
    };
    for depth in [100, 10_000, 100_000] {
        too_deep(&format!("a: {}", "[".repeat(depth)), "1:70");
        too_deep(&format!("a: {}", "{b: ".repeat(depth)), "1:260");
        too_deep(&"- ".repeat(depth), "1:131");
    }
    let block: Vec<String> = (0..2_000).map(|level| format!("{}a:\n", " ".repeat(level))).collect();
    too_deep(&block.concat(), "66:66");
}
