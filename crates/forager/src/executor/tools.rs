//! The tools that a forager has.

use std::collections::BTreeMap;
use std::sync::Arc;

use antfarm_model::Name;

use crate::config::{ForagerConfig, ToolProgram};
use crate::executor::built_in::{BUILT_IN, BuiltIn};

/// A tool, found.
#[derive(Debug, Clone)]
pub(crate) enum Tool {
    /// A part of the forager.
    BuiltIn(BuiltIn),
    /// A program.
    Program(Arc<ToolProgram>),
}

/// The tools by name.
#[derive(Debug)]
pub(crate) struct Tools(BTreeMap<Name, Tool>);

impl Tools {
    /// Those of a configuration that was checked.
    pub(crate) fn of(config: &ForagerConfig) -> Self {
        let built_in = BUILT_IN.iter().filter(|_| config.builtin_tools);
        let built_in = built_in.filter_map(|name| Some((Name::new(name).ok()?, Tool::BuiltIn(BuiltIn::named(name)?))));
        let programs = config.tools.iter();
        let programs = programs.map(|(name, program)| (name.clone(), Tool::Program(Arc::new(program.clone()))));
        Self(built_in.chain(programs).collect())
    }

    /// The tool with that name.
    pub(crate) fn find(&self, name: &Name) -> Option<&Tool> {
        self.0.get(name)
    }

    /// All names, sorted.
    pub(crate) fn names(&self) -> Vec<Name> {
        self.0.keys().cloned().collect()
    }
}
