//! A [`Graph`] back as a document.

use std::fmt::{Display, Write as _};

use crate::{Args, Dependency, Graph, InstanceName, Node, OnDeadline, OnFailure, Reference};

use super::json_string;

impl Graph {
    /// The graph as a JSON document, from which [`graph`](super::graph()) makes an equal one.
    pub fn to_json(&self) -> String {
        let mut json = String::from("{\"id\":");
        json_string::write(&mut json, self.id.as_str());
        field(
            &mut json,
            "on_failure",
            match self.on_failure {
                OnFailure::FailGraph => "fail_graph",
                OnFailure::Continue => "continue",
            },
        );
        field(
            &mut json,
            "on_deadline",
            match self.on_deadline {
                OnDeadline::FailGraph => "fail_graph",
                OnDeadline::SkipSuccessors => "skip_successors",
                OnDeadline::Continue => "continue",
            },
        );
        json.push_str(",\"nodes\":{");
        for (number, node) in self.nodes.iter().enumerate() {
            if number > 0 {
                json.push(',');
            }
            self.write_node(&mut json, node);
        }
        json.push_str("}}");
        json
    }

    fn write_node(&self, json: &mut String, node: &Node) {
        json_string::write(json, node.id.as_str());
        json.push_str(":{\"tool\":");
        json_string::write(json, node.tool.as_str());
        json.push_str(",\"args\":");
        self.write_args(json, &node.args);
        if !node.after.is_empty() {
            json.push_str(",\"after\":[");
            for (number, dependency) in node.after.iter().enumerate() {
                if number > 0 {
                    json.push(',');
                }
                json_string::write(json, &self.instance_name(*dependency).to_string());
            }
            json.push(']');
        }
        let texts = [
            ("deadline", node.deadline.map(|time| time.to_string())),
            ("not_before", node.not_before.map(|time| time.to_string())),
            ("timeout", node.timeout.map(|span| span.to_string())),
            ("pin", node.pin.as_ref().map(ToString::to_string)),
        ];
        for (name, text) in texts {
            if let Some(text) = text {
                field(json, name, &text);
            }
        }
        number(json, ",\"retries\":", node.retries, "");
        number(json, ",\"array\":{\"count\":", node.array, "}");
        json.push('}');
    }

    fn write_args(&self, json: &mut String, args: &Args) {
        let mut done = 0;
        for reference in &args.references {
            let at = reference.at as usize;
            json.push_str(&args.json[done..at]);
            let pointer = reference.pointer.as_ref().map_or(String::new(), |pointer| format!("#{pointer}"));
            json.push_str("{\"$ref\":");
            json_string::write(json, &format!("{}{pointer}", self.instance_name(reference.of)));
            json.push('}');
            done = at + Reference::PLACEHOLDER.len();
        }
        json.push_str(&args.json[done..]);
    }

    /// What people call a dependency.
    pub fn instance_name(&self, dependency: Dependency) -> InstanceName {
        InstanceName { node: self.nodes[dependency.node.0 as usize].id.clone(), index: dependency.index }
    }
}

fn field(json: &mut String, name: &str, text: &str) {
    json.push_str(",\"");
    json.push_str(name);
    json.push_str("\":");
    json_string::write(json, text);
}

fn number(json: &mut String, before: &str, number: Option<impl Display>, behind: &str) {
    if let Some(number) = number {
        let _ = write!(json, "{before}{number}{behind}"); // writing to a String cannot fail
    }
}
