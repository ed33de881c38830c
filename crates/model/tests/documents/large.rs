//! Documents as large as the limits let them be.

use std::fmt::Write as _;

use antfarm_model::{Limits, document};

use super::lines;

#[test]
fn a_hundred_thousand_nodes_are_read_in_every_language() {
    let (mut json, mut yaml, mut ndjson) =
        (String::from("{\"id\":\"g\",\"nodes\":{"), String::from("id: g\nnodes:\n"), String::from("{\"id\":\"g\"}\n"));
    for n in 0..100_000_u32 {
        let before = n.saturating_sub(1);
        let args = if n == 0 { "{}".to_owned() } else { format!("{{\"x\":{{\"$ref\":\"n{before}#/r\"}}}}") };
        let comma = if n == 0 { "" } else { "," };
        let written = write!(json, "{comma}\"n{n}\":{{\"tool\":\"t\",\"args\":{args}}}")
            .and_then(|()| writeln!(yaml, "  n{n}: {{tool: t, args: {args}}}"))
            .and_then(|()| writeln!(ndjson, "{{\"id\":\"n{n}\",\"tool\":\"t\",\"args\":{args}}}"));
        assert_eq!(written, Ok(()));
    }
    json.push_str("}}");
    let limits = Limits::default();
    let from_json = document::graph(json.as_bytes(), &limits).map_err(|faults| lines(&faults));
    assert_eq!(from_json.as_ref().map(|graph| graph.nodes.len()), Ok(100_000));
    assert!(document::graph(yaml.as_bytes(), &limits).map_err(|faults| lines(&faults)) == from_json);
    assert!(document::parse_ndjson_graph(ndjson.as_bytes(), &limits).map_err(|faults| lines(&faults)) == from_json);
}

#[test]
fn hostile_repetition_takes_no_time() {
    let limits = Limits::default();
    let megabyte = |piece: &str| piece.repeat((1 << 20) / piece.len());
    for piece in [
        "{\"a\":1,",
        "[",
        "{",
        "- ",
        "? ",
        "a: ",
        "\"",
        "'",
        "&a ",
        "*a ",
        "!a ",
        "[[],",
        "{},",
        "#",
        "\n",
        "|\n",
        "-\n",
        "<<: ",
        "%a\n",
        "---\n",
        "\t",
        ",",
        "\\",
        "é",
        "\r",
        "a\n",
        "\"a\",",
    ] {
        for prefix in ["", "[", "{\"a\": ", "a:\n "] {
            let text = format!("{prefix}{}", megabyte(piece));
            let _ = document::graph(text.as_bytes(), &limits);
            let _ = document::parse_ndjson_graph(text.as_bytes(), &limits);
        }
    }
}
