//! The configuration of a forager.

mod fields;
mod queen_address;
mod tool;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use antfarm_model::{CostClass, Name, Span};
use serde::{Deserialize, Serialize};

pub use queen_address::{InvalidQueenAddress, QueenAddress};
pub use tool::ToolProgram;

use crate::executor::BUILT_IN;

/// The configuration of a forager, as `forager run --config FILE` reads it. Unknown keys are errors.
///
/// ```
/// let config = antfarm_forager::ForagerConfig::parse(
///     r#"
///     name = "forager-1"                                # required
///     queens = ["http://10.0.0.1:7101", "10.0.0.2:7101"] # required: at least one; the others are learned
///     data_dir = "/var/lib/antfarm/forager-1"           # required: journal, epoch and working folders
///     slots = 8                                         # attempts at once, 1 to 16384
///     prefetch = 0                                      # attempts kept beyond the slots, to begin when one is free
///     kill_grace = "2s"                                 # between SIGTERM and SIGKILL, 1ms to 10m
///     builtin_tools = true                              # noop, echo, sleep, fail, spin, append
///
///     [class_slots]                                     # attempts of one class at once, at most `slots`
///     model = 2
///
///     [labels]                                          # for people
///     rack = "b4"
///
///     [tools.clean]
///     command = ["/usr/local/bin/clean", "--json"]
///     "#,
/// )?;
/// assert_eq!(config.class_slots[&antfarm_model::CostClass::Model], 2);
/// # Ok::<(), antfarm_forager::ConfigError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForagerConfig {
    /// The name; no two foragers of a cluster have the same.
    pub name: Name,
    /// The cluster that it belongs to; any, if none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster_id: Option<Name>,
    /// Queens to begin with; the others are learned from them.
    pub queens: Vec<QueenAddress>,
    /// Where the journal, the epoch and the working folders are.
    pub data_dir: PathBuf,
    /// How many attempts it runs at once.
    #[serde(default = "default_slots")]
    pub slots: u32,
    /// How many attempts it takes beyond its slots, to begin each as soon as a slot is free. For programs that take less
    /// time than the way to the leader and back; longer ones are better kept where anybody can take them.
    #[serde(default = "default_prefetch")]
    pub prefetch: u32,
    /// How many of one class it runs at once.
    #[serde(default)]
    pub class_slots: BTreeMap<CostClass, u32>,
    /// How long a program has between SIGTERM and SIGKILL.
    #[serde(default = "default_kill_grace", with = "fields::span")]
    pub kill_grace: Span,
    /// Whether it has the built-in tools.
    #[serde(default = "default_builtin_tools")]
    pub builtin_tools: bool,
    /// For people; they have no effect.
    #[serde(default)]
    pub labels: BTreeMap<Name, String>,
    /// Its programs.
    #[serde(default)]
    pub tools: BTreeMap<Name, ToolProgram>,
}

/// Attempts at once, where a configuration does not say another number.
pub const DEFAULT_SLOTS: u32 = 8;

/// Attempts kept beyond the slots, where a configuration does not say another number.
pub const DEFAULT_PREFETCH: u32 = 0;

/// Between SIGTERM and SIGKILL, where a configuration does not say another time.
pub const DEFAULT_KILL_GRACE: Span = Span::from_secs(2);

/// More attempts at once than this would not fit into one list of a message.
pub const MAX_SLOTS: u32 = 16_384;

/// More tools than this would not fit into a hello.
const MAX_TOOLS: usize = 1_000;

/// More queens than this no configuration needs.
const MAX_QUEENS: usize = 64;

const KILL_GRACE_BOUNDS: (Span, Span) = (Span(1), Span::from_secs(600));

fn default_slots() -> u32 {
    DEFAULT_SLOTS
}

fn default_prefetch() -> u32 {
    DEFAULT_PREFETCH
}

fn default_kill_grace() -> Span {
    DEFAULT_KILL_GRACE
}

fn default_builtin_tools() -> bool {
    true
}

/// What is wrong with a configuration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// It is no TOML, a key is unknown or missing, or a value has another type.
    #[error("the configuration does not read: {0}")]
    Toml(String),
    /// There is no queen, or there are too many.
    #[error("`queens` names {found} queens, and 1 to {MAX_QUEENS} are allowed: give the HTTP address of at least one")]
    Queens {
        /// How many there are.
        found: usize,
    },
    /// `slots` is out of bounds.
    #[error("`slots` is {found}, and 1 to {MAX_SLOTS} are allowed")]
    Slots {
        /// The value.
        found: u32,
    },
    /// It keeps more than it may.
    #[error("`prefetch` is {found} and `slots` is {slots}: together they may be {MAX_SLOTS} at most")]
    Prefetch {
        /// The value.
        found: u32,
        /// All slots.
        slots: u32,
    },
    /// A class has more slots than there are.
    #[error(
        "`class_slots.{class}` is {limit} and `slots` is {slots}: a class has at most all slots; lower the first or raise the second"
    )]
    ClassSlots {
        /// The class.
        class: CostClass,
        /// Its slots.
        limit: u32,
        /// All slots.
        slots: u32,
    },
    /// `kill_grace` is out of bounds.
    #[error("`kill_grace` is {found}, and {min} to {max} are allowed")]
    KillGrace {
        /// The value.
        found: Span,
        /// The least.
        min: Span,
        /// The most.
        max: Span,
    },
    /// A tool has no command.
    #[error("`tools.{0}.command` is empty: its first element is the program")]
    NoCommand(Name),
    /// A tool has the name of a built-in one.
    #[error("`tools.{0}` has the name of a built-in tool: choose another name, or set `builtin_tools = false`")]
    BuiltIn(Name),
    /// A program is neither found by the search path nor stated from the root.
    #[error(
        "`tools.{tool}.command` begins with the relative path {program:?}, and a tool has a working folder of its own: give an absolute path, or a bare name that PATH knows"
    )]
    RelativeProgram {
        /// The tool.
        tool: Name,
        /// The program.
        program: String,
    },
    /// There are too many tools.
    #[error("{found} tools are configured, and at most {MAX_TOOLS} are allowed")]
    Tools {
        /// How many there are.
        found: usize,
    },
    /// There is no tool.
    #[error("there is no tool: configure one under `[tools]`, or set `builtin_tools = true`")]
    NoTools,
}

impl ForagerConfig {
    /// A configuration with the defaults.
    pub fn new(name: Name, queens: Vec<QueenAddress>, data_dir: impl Into<PathBuf>) -> Self {
        Self {
            name,
            cluster_id: None,
            queens,
            data_dir: data_dir.into(),
            slots: DEFAULT_SLOTS,
            prefetch: DEFAULT_PREFETCH,
            class_slots: BTreeMap::new(),
            kill_grace: DEFAULT_KILL_GRACE,
            builtin_tools: true,
            labels: BTreeMap::new(),
            tools: BTreeMap::new(),
        }
    }

    /// Reads TOML, without looking at relations: [`ForagerConfig::check`] does that.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        toml::from_str(text).map_err(|error| ConfigError::Toml(error.to_string()))
    }

    /// Takes relative paths, those of `data_dir` and of programs with a slash, as relative to `folder`.
    #[must_use]
    pub fn resolved_in(mut self, folder: &Path) -> Self {
        self.data_dir = folder.join(&self.data_dir);
        for tool in self.tools.values_mut() {
            tool.resolve(folder);
        }
        self
    }

    /// Holds values to their bounds and to each other.
    pub fn check(&self) -> Result<(), ConfigError> {
        if self.queens.is_empty() || self.queens.len() > MAX_QUEENS {
            return Err(ConfigError::Queens { found: self.queens.len() });
        }
        if !(1..=MAX_SLOTS).contains(&self.slots) {
            return Err(ConfigError::Slots { found: self.slots });
        }
        if self.prefetch > MAX_SLOTS - self.slots {
            return Err(ConfigError::Prefetch { found: self.prefetch, slots: self.slots });
        }
        if let Some((class, limit)) = self.class_slots.iter().find(|(_, limit)| **limit > self.slots) {
            return Err(ConfigError::ClassSlots { class: *class, limit: *limit, slots: self.slots });
        }
        let (min, max) = KILL_GRACE_BOUNDS;
        if self.kill_grace < min || self.kill_grace > max {
            return Err(ConfigError::KillGrace { found: self.kill_grace, min, max });
        }
        self.check_tools()
    }

    fn check_tools(&self) -> Result<(), ConfigError> {
        if self.tools.len() > MAX_TOOLS {
            return Err(ConfigError::Tools { found: self.tools.len() });
        }
        if self.tools.is_empty() && !self.builtin_tools {
            return Err(ConfigError::NoTools);
        }
        for (name, tool) in &self.tools {
            if self.builtin_tools && BUILT_IN.contains(&name.as_str()) {
                return Err(ConfigError::BuiltIn(name.clone()));
            }
            let Some(program) = tool.command.first() else { return Err(ConfigError::NoCommand(name.clone())) };
            if tool.is_relative() {
                return Err(ConfigError::RelativeProgram { tool: name.clone(), program: program.clone() });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
