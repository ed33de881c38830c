//! The programs of a simulated forager: they leave marks in the ledger while they run, and take their time.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::time::Duration;

use antfarm_env::Env;
use antfarm_forager::{ProgramCall, ProgramEnd, Workshop};

use super::sink::Sink;
use crate::history::{Line, Mark};
use crate::work::PROGRAMS;

/// Between two signs of life.
const TICK: Duration = Duration::from_millis(100);

/// Which of both goes on first when a suspended machine does, a program or the sentry that ends it, is for real machines to
/// show: here the program is so much later.
const AFTER_SUSPENSION: Duration = Duration::from_millis(2);

/// `EX_TEMPFAIL`.
const TEMPORARY: i32 = 75;

/// The programs of one machine since it was started.
pub(super) struct Programs {
    pub(super) forager: String,
    /// What they and their keeper run in.
    pub(super) env: Env,
    pub(super) sink: Sink,
}

impl Workshop for Programs {
    fn env(&self) -> Env {
        self.env.clone()
    }

    fn run(&self, call: ProgramCall) -> Pin<Box<dyn Future<Output = ProgramEnd> + Send>> {
        let (forager, sink, env) = (self.forager.clone(), self.sink.clone(), self.env.clone());
        Box::pin(async move {
            let name = call.command.first().map_or("", String::as_str);
            let Some(program) = PROGRAMS.iter().find(|program| program.name == name) else {
                return ProgramEnd { code: 127, output: String::new() };
            };
            let line = |event, exit| line(&call.environment, &forager, event, exit);
            sink.write(line(Mark::Start, None));
            for _ in 0..program.ticks {
                let suspended = suspended(&env);
                tokio::time::sleep(TICK).await;
                if self::suspended(&env) > suspended {
                    tokio::time::sleep(AFTER_SUSPENSION).await;
                }
                sink.write(line(Mark::Tick, None));
            }
            if program.asks_again && call.environment.get("ANTFARM_ATTEMPT").is_some_and(|attempt| attempt == "1") {
                sink.write(line(Mark::End, Some(TEMPORARY)));
                return ProgramEnd { code: TEMPORARY, output: String::new() };
            }
            let end = line(Mark::End, None);
            let output = format!("{{\"fence\":{}}}", end.fence);
            sink.write(end);
            ProgramEnd { code: 0, output }
        })
    }
}

/// For how long the machine was suspended, all in all.
fn suspended(env: &Env) -> Duration {
    env.boot_time().saturating_sub(env.monotonic())
}

fn line(environment: &BTreeMap<String, String>, forager: &str, event: Mark, exit: Option<i32>) -> Line {
    let text = |name: &str| environment.get(name).cloned().unwrap_or_default();
    let number = |name: &str| text(name).parse().unwrap_or(0);
    Line {
        event,
        graph: text("ANTFARM_GRAPH"),
        node: text("ANTFARM_NODE"),
        index: u32::try_from(number("ANTFARM_ARRAY_INDEX")).unwrap_or(0),
        fence: number("ANTFARM_FENCE"),
        epoch: number("ANTFARM_EPOCH"),
        forager: forager.to_owned(),
        at: 0,
        exit,
    }
}
