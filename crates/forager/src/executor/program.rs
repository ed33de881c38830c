//! Tools that are programs, and what one is told besides its arguments.

use antfarm_protocol::Assign;

use crate::config::ToolProgram;
use crate::executor::Job;
use crate::keeper::Start;
use crate::process::MARK_VARIABLE;

/// What the keeper is told to run.
pub(super) fn start(program: &ToolProgram, job: &Job, result_bytes: usize) -> Start {
    let Job { assign, mark } = job;
    Start {
        attempt: assign.attempt,
        mark: *mark,
        guarded: assign.work.effects == antfarm_model::EffectClass::Guarded,
        command: program.command.clone(),
        environment: environment(assign, *mark),
        input: assign.work.args.as_str().to_owned(),
        output_bytes: result_bytes as u64,
    }
}

fn environment(assign: &Assign, mark: u64) -> Vec<(String, String)> {
    let mut variables = vec![
        ("ANTFARM_GRAPH", assign.work.graph_id.to_string()),
        ("ANTFARM_NODE", assign.work.node_id.to_string()),
        ("ANTFARM_ATTEMPT", assign.attempt_number.to_string()),
        ("ANTFARM_FENCE", assign.attempt.fence.to_string()),
        ("ANTFARM_EPOCH", assign.epoch.to_string()),
        ("ANTFARM_IDEMPOTENCY_KEY", assign.idempotency_key()),
        (MARK_VARIABLE, format!("{mark:016x}")),
    ];
    variables.extend(assign.deadline_ms.map(|remaining| ("ANTFARM_DEADLINE_MS", remaining.to_string())));
    variables.extend(assign.work.array.then(|| ("ANTFARM_ARRAY_INDEX", assign.attempt.index.to_string())));
    variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

#[cfg(test)]
mod tests;
