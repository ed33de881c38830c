//! A run without a forager around it, for tests. Its keeper is the real program's.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use antfarm_env::{Env, SystemEnvironment};
use antfarm_model::{CostClass, EffectClass, Epoch, Fence, GraphNo, Incarnation, Name, NodeNo};
use antfarm_protocol::{Assign, AttemptRef, JsonText, Work};
use antfarm_storage::{Disk, SystemDisk};
use tokio::sync::{Mutex, mpsc};

use crate::executor::{End, Happening, Happenings, Job, Run, Stop, StopCause, Surroundings, Tool, start};
use crate::keeper::{self, Due, Keeper, KeeperCommand};
use crate::process::ProcessMark;

/// Longer than anything takes that works.
const PATIENCE: Duration = Duration::from_mins(1);

/// Between two looks at what another process does.
const PAUSE: Duration = Duration::from_millis(5);

/// A name that is one.
pub(super) fn name(text: &str) -> Name {
    Name::new(text).expect("a name")
}

/// An assignment of the tool `t`.
pub(super) fn assign(fence: u64, args: &str) -> Assign {
    let work = Work {
        graph_id: name("g"),
        node_id: name("n"),
        array: true,
        tool: name("t"),
        effects: EffectClass::Guarded,
        class: CostClass::Io,
        args: JsonText::new(args).expect("JSON"),
        timeout_ms: 60_000,
    };
    Assign {
        epoch: Epoch(7),
        incarnation: Incarnation(7),
        attempt: AttemptRef { graph: GraphNo(1), node: NodeNo(2), index: 3, fence: Fence(fence) },
        attempt_number: 2,
        deadline_ms: Some(5_000),
        work: Arc::new(work),
    }
}

/// Runs in a folder.
pub(super) struct Trial {
    around: Arc<Surroundings>,
    data: PathBuf,
    happenings: Happenings,
    happened: Mutex<mpsc::Receiver<(AttemptRef, Happening)>>,
}

/// A run that goes on.
pub(super) struct Going<'a> {
    trial: &'a Trial,
    run: Run,
}

impl Trial {
    /// With real files under `folder`, and results of at most 1,000 bytes.
    pub(super) fn new(folder: &Path) -> Self {
        Self::on(Arc::new(SystemDisk), folder)
    }

    pub(super) fn on(disk: Arc<dyn Disk>, folder: &Path) -> Self {
        let data = folder.join("data");
        std::fs::create_dir_all(data.join("work")).expect("a temporary folder takes everything");
        let env = Env::new(SystemEnvironment::current());
        let (happenings, happened) = mpsc::channel(8);
        // A keeper whose trial is over has nothing to do; should a test fail, it ends with the tests.
        let exit_with = ProcessMark::of(std::process::id());
        let line = keeper::Surroundings {
            env: env.clone(),
            keeping: KeeperCommand { program: antfarm_testkit::binary().to_owned(), exit_with }.into(),
            data: data.clone(),
            result_bytes: 1_000,
            happenings: happenings.clone(),
        };
        let keeper = Keeper::open(line, None);
        let around = Surroundings { env, disk, forager: name("f"), keeper, result_bytes: 1_000 };
        Self { around: Arc::new(around), data, happenings, happened: Mutex::new(happened) }
    }

    pub(super) fn start(&self, tool: Tool, assign: Assign) -> Going<'_> {
        self.around.keeper.lease_until(Due::NEVER);
        let job = Job { assign: Arc::new(assign), mark: self.around.env.random() };
        Going { run: start(tool, job, &self.around, self.happenings.clone()), trial: self }
    }

    pub(super) async fn end(&self, tool: Tool, assign: Assign) -> End {
        let attempt = assign.attempt;
        let (end, _) = self.start(tool, assign).end().await;
        self.around.keeper.forget(vec![attempt]);
        end
    }

    /// Ends the keeper, which waits for what runs and leaves no working folder.
    pub(super) async fn over(self) {
        self.around.keeper.end().await;
        let work = self.data.join("work");
        let left = || std::fs::read_dir(&work).expect("it is there").count();
        let all_gone = async {
            while left() > 0 {
                tokio::time::sleep(PAUSE).await;
            }
        };
        tokio::time::timeout(PATIENCE, all_gone).await.expect("working folders are removed in the end");
    }

    async fn next(&self) -> Happening {
        let next = tokio::time::timeout(PATIENCE, async { self.happened.lock().await.recv().await }).await;
        next.expect("something happens in time").expect("the trial is not over").1
    }
}

impl Going<'_> {
    /// Its process, once there is one.
    pub(super) async fn process(&mut self) -> u32 {
        match self.trial.next().await {
            Happening::Process(process) => process.id,
            other @ (Happening::Ended { .. } | Happening::Log { .. }) => panic!("it should run: {other:?}"),
        }
    }

    /// How it ends, and what it has written to its standard error.
    pub(super) async fn end(&mut self) -> (End, String) {
        loop {
            if let Happening::Ended { end, log } = self.trial.next().await {
                return (end, log.map_or_else(String::new, |log| log.tail(usize::MAX)));
            }
        }
    }

    /// How it ends when it is stopped.
    pub(super) async fn stop(mut self, grace: Duration) -> End {
        self.run.stop(Stop { grace, cause: StopCause::Cancelled });
        self.end().await.0
    }
}
