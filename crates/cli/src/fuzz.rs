//! Hostile bytes for the files that people give.

use antfarm_fuzzing::Target;
use antfarm_model::{Limits, Name, document};
use serde_json::Map;

use crate::tools_file;
use crate::wfformat::{Conversion, is_wfformat};

const FOLDER: &str = env!("CARGO_MANIFEST_DIR");

#[test]
fn files_of_tools() {
    Target::new(FOLDER, "files_of_tools")
        .sample(include_str!("../../../examples/tools.toml"))
        .sample("[tools.count]\ncommand = [\"wc\", \"-w\"]\ncost_class = \"cpu\"\nbackoff = { max = \"10s\" }\n")
        .tokens(&[
            "[",
            "]",
            "[[",
            "=",
            "\"",
            "\'\'\'",
            "\n",
            "{",
            "}",
            ".",
            "[tools.\"b c\"]",
            "retries = 5000",
            "\\u0000",
        ])
        // What TOML's reader takes for each byte: its tokens, its tree and the texts in it.
        .takes(400)
        .dense(|elements| format!("a = [{}]", "1,".repeat(elements)).into())
        .dense(|elements| format!("tools = {{ {} }}", "a = 1,".repeat(elements)).into())
        .run(|bytes| tools_file::parse(std::str::from_utf8(bytes).ok()?).ok(), |_, tools| drop(tools));
}

#[test]
fn workflows_of_others() {
    let conversion = Conversion {
        id: None,
        time_scale: 0.0, // tasks without a time are sound, too
        tool: Name::new("sleep").expect("a name"),
        args: Map::new(),
    };
    let tasks = |elements: usize| {
        let tasks: Vec<String> = (0..elements).map(|number| format!("{{\"id\":\"{number}\"}}")).collect();
        format!(
            r#"{{"name":"n","schemaVersion":"1.5","workflow":{{"specification":{{"tasks":[{}]}}}}}}"#,
            tasks.join(",")
        )
    };
    Target::new(FOLDER, "workflows_of_others")
        .sample(r#"{"name": "bake a cake", "schemaVersion": "1.5", "workflow": {"specification": {"tasks": [{"id": "mix", "parents": [], "children": ["bake/1"]}, {"id": "bake/1", "parents": ["mix"], "children": []}]}, "execution": {"tasks": [{"id": "mix", "runtimeInSeconds": 0.4}, {"id": "bake/1", "runtimeInSeconds": 2400}]}}}"#)
        .sample(tasks(1))
        .tokens(&["{\"id\":\"x\"}", "\"parents\":", "\"children\":", "1e400", "-1", "null", ",", "[", "]", "\\u0000", "\"\""])
        .takes(60)
        .dense(move |elements| tasks(elements).into())
        .run(
            |bytes| {
                let _ = is_wfformat(bytes);
                conversion.convert(bytes).ok()
            },
            |_, json| {
                // What is wrong with the order or the names of tasks, the graph's own reader tells.
                if let Err(faults) = document::parse(json.as_bytes(), &Limits::default()) {
                    panic!("it is no JSON: {faults:?}");
                }
            },
        );
}
