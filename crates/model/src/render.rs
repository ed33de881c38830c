//! Arguments with results in the places of their references.

use crate::{Args, NodeNo, Reference, pointer};

/// Where results come from.
pub trait Results {
    /// The number of instances, if the node is an array.
    fn array(&self, node: NodeNo) -> Option<u32>;

    /// The result of an instance, as JSON text, if it has one. The index of a plain node is 0.
    fn result(&self, node: NodeNo, index: u32) -> Option<&str>;
}

/// Why arguments could not be rendered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    /// A node's result has no such part.
    #[error("the result of the node has nothing at {pointer:?}, which reference {reference} of the arguments names")]
    MissingPointer {
        /// The position in [`Args::references`].
        reference: usize,
        /// The node whose result it is.
        node: NodeNo,
        /// The JSON pointer.
        pointer: String,
    },
    /// An instance has no result.
    #[error("instance {index} of the node has no result, which reference {reference} of the arguments names")]
    MissingResult {
        /// The position in [`Args::references`].
        reference: usize,
        /// The node.
        node: NodeNo,
        /// The instance.
        index: u32,
    },
    /// The text would be longer than the bound.
    #[error("the arguments with their results take more than {limit} bytes; refer to smaller parts of the results")]
    TooLarge {
        /// The bound, in bytes.
        limit: usize,
    },
}

/// The arguments as JSON text with every reference, by rising position in `json`, replaced by what it names. Never
/// allocates more than twice `max_bytes`.
pub fn render(
    json: &str,
    references: impl IntoIterator<Item = Reference>,
    results: &impl Results,
    max_bytes: usize,
) -> Result<String, RenderError> {
    let mut text = Bounded { text: String::new(), limit: max_bytes };
    let mut done = 0;
    for (number, reference) in references.into_iter().enumerate() {
        let at = reference.at as usize;
        text.push(&json[done..at])?;
        reference.render(number, results, &mut text)?;
        done = at + Reference::PLACEHOLDER.len();
    }
    text.push(&json[done..])?;
    Ok(text.text)
}

impl Args {
    /// The arguments as JSON text with every reference replaced by what it names, as [`render`] does it.
    pub fn render(&self, results: &impl Results, max_bytes: usize) -> Result<String, RenderError> {
        render(&self.json, self.references.iter().cloned(), results, max_bytes)
    }
}

impl Reference {
    /// What stands in [`Args::json`] in the place of a reference.
    pub const PLACEHOLDER: &str = "null";

    fn render(&self, number: usize, results: &impl Results, text: &mut Bounded) -> Result<(), RenderError> {
        let node = self.of.node;
        let pointer = self.pointer.as_deref().unwrap_or_default();
        let missing = || RenderError::MissingPointer { reference: number, node, pointer: pointer.to_owned() };
        let result = |index| {
            let result = results.result(node, index);
            result.ok_or(RenderError::MissingResult { reference: number, node, index })
        };
        let part = |index, pointer| pointer::find(result(index)?, pointer).ok_or_else(missing);
        match (self.of.index, results.array(node)) {
            (Some(index), _) => text.push(part(index, pointer)?),
            (None, None) => text.push(part(0, pointer)?),
            (None, Some(count)) => match pointer::split_first(pointer) {
                None => text.push_list(count, result),
                Some((step, rest)) => {
                    let index = pointer::index(&step).and_then(|index| u32::try_from(index).ok());
                    let index = index.filter(|index| *index < count).ok_or_else(missing)?;
                    text.push(part(index, rest)?)
                }
            },
        }
    }
}

/// A text that refuses to grow beyond a limit.
struct Bounded {
    text: String,
    limit: usize,
}

impl Bounded {
    fn push(&mut self, piece: &str) -> Result<(), RenderError> {
        if piece.len() > self.limit - self.text.len() {
            return Err(RenderError::TooLarge { limit: self.limit });
        }
        self.text.push_str(piece);
        Ok(())
    }

    fn push_list<'r>(
        &mut self,
        count: u32,
        result: impl Fn(u32) -> Result<&'r str, RenderError>,
    ) -> Result<(), RenderError> {
        self.push("[")?;
        for index in 0..count {
            if index > 0 {
                self.push(",")?;
            }
            self.push(result(index)?.trim_ascii())?;
        }
        self.push("]")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::Dependency;

    /// Node 0 is plain, node 1 an array of as many instances as it has results.
    struct Table(BTreeMap<(u32, u32), &'static str>);

    impl Results for Table {
        fn array(&self, node: NodeNo) -> Option<u32> {
            (node.0 == 1).then(|| u32::try_from(self.0.keys().filter(|(node, _)| *node == 1).count()).expect("few"))
        }

        fn result(&self, node: NodeNo, index: u32) -> Option<&str> {
            self.0.get(&(node.0, index)).copied()
        }
    }

    fn table() -> Table {
        let rows = [((0, 0), r#"{"rows": [10, {"a/b": true}]}"#), ((1, 0), "\"zero\""), ((1, 1), " {\"x\":1}\n")];
        Table(rows.into())
    }

    fn args(json: &str, references: &[(u32, Option<u32>, &str)]) -> Args {
        let mut places = json.match_indices("null").map(|(at, _)| u32::try_from(at).expect("short"));
        let references = references.iter().map(|(node, index, pointer)| Reference {
            at: places.next().expect("a place for each reference"),
            of: Dependency { node: NodeNo(*node), index: *index },
            pointer: (!pointer.is_empty()).then(|| (*pointer).into()),
        });
        Args { json: json.into(), references: references.collect() }
    }

    fn render(args: &Args) -> Result<String, RenderError> {
        args.render(&table(), 1_000)
    }

    #[test]
    fn results_stand_in_the_places_of_references() {
        let args = args(
            r#"{"all":null,"row":null,"deep":null,"list":null,"one":null,"x":null}"#,
            &[
                (0, None, ""),
                (0, None, "/rows/0"),
                (0, None, "/rows/1/a~1b"),
                (1, None, ""),
                (1, Some(0), ""),
                (1, None, "/1/x"),
            ],
        );
        let expected =
            r#"{"all":{"rows": [10, {"a/b": true}]},"row":10,"deep":true,"list":["zero",{"x":1}],"one":"zero","x":1}"#;
        assert_eq!(render(&args).as_deref(), Ok(expected));
    }

    #[test]
    fn arguments_may_be_a_reference_as_a_whole() {
        assert_eq!(render(&args("null", &[(1, None, "")])).as_deref(), Ok(r#"["zero",{"x":1}]"#));
        assert_eq!(render(&args("{}", &[])).as_deref(), Ok("{}"));
    }

    #[test]
    fn a_missing_part_is_named() {
        for (node, pointer) in [(0, "/rows/2"), (1, "/2"), (1, "/x"), (1, "/1/y")] {
            let missing = RenderError::MissingPointer { reference: 0, node: NodeNo(node), pointer: pointer.to_owned() };
            assert_eq!(render(&args("[null]", &[(node, None, pointer)])), Err(missing));
        }
    }

    #[test]
    fn a_missing_result_is_named() {
        let missing = RenderError::MissingResult { reference: 0, node: NodeNo(1), index: 2 };
        assert_eq!(render(&args("[null]", &[(1, Some(2), "")])), Err(missing));
        let missing = RenderError::MissingResult { reference: 0, node: NodeNo(7), index: 0 };
        assert_eq!(render(&args("[null]", &[(7, None, "")])), Err(missing));
    }

    #[test]
    fn the_bound_is_exact() {
        let args = args("[null]", &[(1, Some(0), "")]);
        assert_eq!(args.render(&table(), 8).as_deref(), Ok("[\"zero\"]"));
        assert_eq!(args.render(&table(), 7), Err(RenderError::TooLarge { limit: 7 }));
        assert_eq!(args.render(&table(), 0), Err(RenderError::TooLarge { limit: 0 }));
    }
}
