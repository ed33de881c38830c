//! A run without a forager around it, for tests.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use antfarm_env::{Env, SystemEnvironment};
use antfarm_model::{CostClass, EffectClass, Epoch, Fence, GraphNo, Incarnation, Name, NodeNo};
use antfarm_protocol::{Assign, AttemptRef, JsonText};
use antfarm_storage::{Disk, SystemDisk};
use tokio::sync::{mpsc, oneshot};

use crate::executor::{End, Happening, Job, Run, Stop, Surroundings, Tool, start};

/// A name that is one.
pub(super) fn name(text: &str) -> Name {
    Name::new(text).expect("a name")
}

/// An assignment of the tool `t`.
pub(super) fn assign(fence: u64, args: &str) -> Assign {
    Assign {
        epoch: Epoch(7),
        incarnation: Incarnation(7),
        attempt: AttemptRef { graph: GraphNo(1), node: NodeNo(2), index: 3, fence: Fence(fence) },
        graph_id: name("g"),
        node_id: name("n"),
        array: true,
        tool: name("t"),
        effects: EffectClass::Guarded,
        class: CostClass::Io,
        args: JsonText::new(args).expect("JSON"),
        attempt_number: 2,
        idempotency_key: "g@9/n/3".into(),
        timeout_ms: 60_000,
        deadline_ms: Some(5_000),
    }
}

/// Runs in a folder.
pub(super) struct Trial {
    around: Arc<Surroundings>,
}

/// A run that goes on, and what happens to it.
pub(super) struct Going {
    run: Run,
    happenings: mpsc::Receiver<(AttemptRef, Happening)>,
}

impl Trial {
    /// With real files under `folder`, and results of at most 1,000 bytes.
    pub(super) fn new(folder: &Path) -> Self {
        Self::on(Arc::new(SystemDisk), folder)
    }

    pub(super) fn on(disk: Arc<dyn Disk>, folder: &Path) -> Self {
        let work = folder.join("work");
        std::fs::create_dir_all(&work).expect("a temporary folder takes everything");
        let env = Env::new(SystemEnvironment::current());
        Self { around: Arc::new(Surroundings { env, disk, forager: name("f"), work, result_bytes: 1_000 }) }
    }

    pub(super) fn start(&self, tool: Tool, assign: Assign) -> Going {
        let (sender, happenings) = mpsc::channel(8);
        let job = Job { assign: Arc::new(assign), mark: 0xabc };
        Going { run: start(tool, job, &self.around, sender), happenings }
    }

    pub(super) async fn end(&self, tool: Tool, assign: Assign) -> End {
        self.start(tool, assign).end().await
    }

    /// The working folders that are left.
    pub(super) fn left(&self) -> usize {
        std::fs::read_dir(&self.around.work).expect("it is there").count()
    }
}

impl Going {
    /// Its process, once there is one.
    pub(super) async fn process(&mut self) -> u32 {
        match self.happenings.recv().await.expect("it runs").1 {
            Happening::Process(process) => process.id,
            Happening::Ended(end) => panic!("it has ended: {end:?}"),
        }
    }

    /// How it ends.
    pub(super) async fn end(&mut self) -> End {
        loop {
            if let Happening::Ended(end) = self.happenings.recv().await.expect("it runs").1 {
                return end;
            }
        }
    }

    /// How it ends when it is stopped.
    pub(super) async fn stop(self, grace: Duration) -> End {
        let Self { run, happenings } = self;
        run.stop.send(Stop { grace }).expect("it runs");
        let (stop, _) = oneshot::channel();
        Self { run: Run { stop, log: run.log }, happenings }.end().await
    }

    /// What it wrote to its standard error.
    pub(super) fn log(&self) -> String {
        self.run.log.tail(usize::MAX)
    }
}
