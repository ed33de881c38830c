//! JSON, strictly.

use antfarm_model::Limits;
use antfarm_model::document;
use expect_test::expect;

use super::{check_tree, json, lines};

fn check(text: &str, expected: &expect_test::Expect) {
    check_tree(text.as_bytes(), expected);
}

#[test]
fn order_and_digits_survive() {
    check(
        r#" {"z": [1, -0, 9007199254740993, 1.10, 1E400, 123456789012345678901234567890], "a": null, "b": [true, false, {}, []]} "#,
        &expect![[
            r#"{"z":[1,-0,9007199254740993,1.10,1E400,123456789012345678901234567890],"a":null,"b":[true,false,{},[]]}"#
        ]],
    );
}

#[test]
fn escapes_are_undone() {
    check(
        r#"{"a\"\\\/\b\f\n\r\t": "\u0041\u00e9\u20AC\uD83D\uDE00 \u0000 é€😀"}"#,
        &expect![[r#"{"a\"\\/\b\f\n\r\t":"Aé€😀 \u0000 é€😀"}"#]],
    );
}

#[test]
fn a_byte_order_mark_and_any_line_end_are_accepted() {
    check("\u{feff}{\"a\":\r\n 1,\n\t\"b\": 2}\r\n", &expect![[r#"{"a":1,"b":2}"#]]);
}

#[test]
fn what_is_no_json_is_told_with_its_place() {
    check("{\"a\": 1,\n \"b\" 2: [}", &expect!["2:6: no valid JSON: expected ':' after the key, found '2'"]);
    check("{\"é€😀\": \"é\" x}", &expect!["1:13: no valid JSON: expected ',' or '}', found 'x'"]);
    check("{\"a\": \"b", &expect!["1:9: no valid JSON: the document ends inside a string"]);
    check(
        "{\"a\": \"b\nc\", ]",
        &expect!["1:9: no valid JSON: a control character in a string must be escaped, such as a line break as \\n"],
    );
    check(
        r#"{"a": "\x", ]"#,
        &expect![[r#"1:8: no valid JSON: an escape is one of \" \\ \/ \b \f \n \r \t and \u with four hex digits"#]],
    );
    check(r#"["\ud800", }"#, &expect!["1:3: no valid JSON: half a pair of surrogates is no character"]);
    check(r#"{"a": [1, 2}"#, &expect!["1:12: no valid JSON: expected ',' or ']', found '}'"]);
    check(r#"{"a": 1} {"b": 2}"#, &expect![[r#"1:10: no valid JSON: expected the end of the document, found '{'"#]]);
    check(
        r#"{"a": 01, ]"#,
        &expect!["1:7: no valid JSON: a number has no leading zeros; leave them out, or make it a string"],
    );
    check(r#"{"a": -, ]"#, &expect!["1:8: no valid JSON: a digit is missing in a number"]);
    check("[[", &expect!["1:3: no valid JSON: expected a value, but the document ends here"]);
}

#[test]
fn a_flow_mapping_of_yaml_is_no_broken_json() {
    check("{a: [1, x], b: {c: 'd'},}", &expect![[r#"{"a":[1,"x"],"b":{"c":"d"}}"#]]);
    check("{\"a\": 1, # comment\n \"b\": 2,}", &expect![[r#"{"a":1,"b":2}"#]]);
    check("{a: [1, 2}", &expect!["1:5: no valid YAML: mismatched bracket '[' closed by '}'"]);
}

#[test]
fn every_duplicate_key_is_told() {
    check(
        r#"{"a": 1, "b": {"c": 1, "c": 2, "c": 3}, "l": [{"d e": 1, "\u0064 e": 2}], "a": 2}"#,
        &expect![[r#"
            1:24: b.c: the key "c" stands here again; it is at 1:16 already
            1:32: b.c: the key "c" stands here again; it is at 1:16 already
            1:58: l[0]["d e"]: the key "d e" stands here again; it is at 1:48 already
            1:75: a: the key "a" stands here again; it is at 1:2 already"#]],
    );
}

#[test]
fn a_duplicate_is_found_among_many_keys() {
    let keys: Vec<String> = (0..100).rev().map(|number| format!("\"k{number}\": 1")).collect();
    check(
        &format!("{{{}}}", keys.join(",")).replace("k7\"", "k70\""),
        &expect![[r#"1:828: k70: the key "k70" stands here again; it is at 1:263 already"#]],
    );
}

#[test]
fn depth_has_a_bound() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let deepest = nested(65);
    let tree = document::parse(deepest.as_bytes(), &Limits::default()).expect("64 lists around the last one");
    assert_eq!(json(&tree), deepest);
    for depth in [66, 10_000, 1_000_000] {
        let message = "lists and maps stand inside each other more than 64 deep; flatten the document";
        let told =
            |text: &str| document::parse(text.as_bytes(), &Limits::default()).map_err(|faults| lines(&faults)).err();
        assert_eq!(told(&nested(depth)), Some(format!("1:66: {message}")));
        assert_eq!(told(&"{\"a\":".repeat(depth)), Some(format!("1:326: {message}")));
    }
}

#[test]
fn bytes_and_values_have_bounds() {
    let limits = Limits { graph_bytes: 100, nodes: 2, ..Limits::default() };
    let faults = |text: &str| document::parse(text.as_bytes(), &limits).map(|_| ()).map_err(|faults| lines(&faults));
    assert_eq!(faults(&format!("[{}]", " ".repeat(98))), Ok(()));
    let expected = Err("the document has 101 bytes; at most 100 are accepted".to_owned());
    assert_eq!(faults(&format!("[{}]", " ".repeat(99))), expected);
    assert_eq!(faults("[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]"), Ok(()));
    let expected = Err("1:38: the document has more than 16 values; divide it".to_owned());
    assert_eq!(faults("[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]"), expected);
    let expected = Err("16:3: the document has more than 16 values; divide it".to_owned());
    assert_eq!(faults(&"- 1\n".repeat(20)), expected);
}

#[test]
fn other_encodings_are_refused() {
    check_tree(b"{\"a\":\n \"\xff\"}", &expect!["2:3: the document is not UTF-8: byte 0xff stands here"]);
    check_tree(b"{\"a\": \"\xed\xa0\x80\"}", &expect!["1:8: the document is not UTF-8: byte 0xed stands here"]);
}
