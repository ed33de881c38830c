//! The digest by which two submissions of a graph are found to be equal.

use sha2::{Digest, Sha256};

use crate::{Dependency, Graph, Node, OnDeadline, OnFailure};

impl Graph {
    /// SHA-256 over the compiled graph. Documents that differ only in language, spaces or defaults have the same.
    ///
    /// The form is fixed: digests are stored and compared between versions. Every part has its length before it or a
    /// length of its own, so no two graphs have the same form.
    pub fn digest(&self) -> [u8; 32] {
        let mut form = Form(Sha256::new_with_prefix(b"antfarm graph 1\n"));
        form.text(self.id.as_str());
        form.number(match self.on_failure {
            OnFailure::FailGraph => 0,
            OnFailure::Continue => 1,
        });
        form.number(match self.on_deadline {
            OnDeadline::FailGraph => 0,
            OnDeadline::SkipSuccessors => 1,
            OnDeadline::Continue => 2,
        });
        form.number(self.nodes.len() as u64);
        self.nodes.iter().for_each(|node| form.node(node));
        form.0.finalize().into()
    }
}

struct Form(Sha256);

impl Form {
    fn node(&mut self, node: &Node) {
        self.text(node.id.as_str());
        self.text(node.tool.as_str());
        self.text(&node.args.json);
        self.number(node.args.references.len() as u64);
        for reference in &node.args.references {
            self.number(u64::from(reference.at));
            self.dependency(reference.of);
            self.optional(reference.pointer.as_deref(), Self::text);
        }
        self.number(node.after.len() as u64);
        node.after.iter().for_each(|dependency| self.dependency(*dependency));
        self.optional(node.deadline.map(|time| time.0), Self::number);
        self.optional(node.not_before.map(|time| time.0), Self::number);
        self.optional(node.timeout.map(|span| span.0), Self::number);
        self.optional(node.retries.map(u64::from), Self::number);
        self.optional(node.pin.as_ref().map(crate::Name::as_str), Self::text);
        self.optional(node.array.map(u64::from), Self::number);
    }

    fn dependency(&mut self, dependency: Dependency) {
        self.number(u64::from(dependency.node.0));
        self.optional(dependency.index.map(u64::from), Self::number);
    }

    fn optional<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Self, T)) {
        self.number(u64::from(value.is_some()));
        if let Some(value) = value {
            write(self, value);
        }
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.update(text);
    }

    fn number(&mut self, number: u64) {
        self.0.update(number.to_le_bytes());
    }
}
