//! Starting a program, with the environment that a tool may rely on.

use std::io;
use std::path::Path;
use std::process::Stdio;

use antfarm_protocol::Assign;
use tokio::process::{Child, Command};

use crate::config::ToolProgram;
use crate::executor::Job;
use crate::process::MARK_VARIABLE;

/// Starts the program as the leader of a process group of its own. The error is for people.
pub(super) fn spawn(program: &ToolProgram, job: &Job, folder: &Path) -> Result<Child, String> {
    let Some((path, arguments)) = program.command.split_first() else {
        return Err("its command is empty".into());
    };
    let mut command = Command::new(path);
    command.args(arguments).current_dir(folder).process_group(0);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"ANTFARM_")) {
        command.env_remove(name);
    }
    command.envs(environment(&job.assign)).env(MARK_VARIABLE, format!("{:016x}", job.mark));
    command.spawn().map_err(|error| {
        if error.kind() == io::ErrorKind::NotFound {
            format!("the program {path} does not exist, or the interpreter that its first line names: correct `command` of the tool in the forager's configuration")
        } else if error.kind() == io::ErrorKind::PermissionDenied {
            format!("the program {path} is not executable: set its x permission (chmod +x)")
        } else {
            format!("the program {path} could not be started: {error}")
        }
    })
}

/// What a tool is told besides its arguments.
fn environment(assign: &Assign) -> Vec<(&'static str, String)> {
    let mut variables = vec![
        ("ANTFARM_GRAPH", assign.graph_id.to_string()),
        ("ANTFARM_NODE", assign.node_id.to_string()),
        ("ANTFARM_ATTEMPT", assign.attempt_number.to_string()),
        ("ANTFARM_FENCE", assign.attempt.fence.to_string()),
        ("ANTFARM_EPOCH", assign.epoch.to_string()),
        ("ANTFARM_IDEMPOTENCY_KEY", assign.idempotency_key.to_string()),
    ];
    variables.extend(assign.deadline_ms.map(|remaining| ("ANTFARM_DEADLINE_MS", remaining.to_string())));
    variables.extend(assign.array.then(|| ("ANTFARM_ARRAY_INDEX", assign.attempt.index.to_string())));
    variables
}
