//! Finding a keeper, or starting one, and becoming the forager that it listens to.

use std::ffi::CString;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::time::Duration;

use antfarm_env::{ByteStream, Env};
use tokio::net::UnixStream;
use tokio::process::Child;

use super::Surroundings;
use crate::keeper::address::{Address, make_folder};
use crate::keeper::mail::Mail;
use crate::keeper::wire::{Environment, Held, Order, Tale};
use crate::keeper::{Due, FOLDER, KeeperCommand, KeeperError, Keeping, SimulatedKeeper};
use crate::process;

/// Where a keeper says what it has to say to people.
const LOG: &str = "log";

/// A keeper that was started can be talked to within this time.
const STARTS_WITHIN: Duration = Duration::from_secs(20);

/// How often it is tried.
const POLL: Duration = Duration::from_millis(2);

/// A keeper that is there says what it holds within this time, or is taken for hung and ended.
const ATTACHES_WITHIN: Duration = Duration::from_secs(10);

/// A connection to a keeper, which listens to nobody else.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(super) mail: Mail<Tale>,
    keeper: Body,
    /// What the keeper held when it was met.
    pub(crate) held: Vec<Held>,
    /// The lease that it had been told of.
    pub(crate) lease: Due,
}

/// What a keeper is.
#[derive(Debug)]
enum Body {
    /// A process. If this one started it, it has to reap it.
    Process { held: process::Held, child: Option<Child> },
    /// A simulation.
    Simulated(SimulatedKeeper),
}

impl Connection {
    /// The process of the keeper, whose number is its own as long as it has not ended; none if it is simulated.
    pub(super) fn process(&self) -> Option<&process::Held> {
        match &self.keeper {
            Body::Process { held, .. } => Some(held),
            Body::Simulated(_) => None,
        }
    }

    /// The keeper is this child.
    fn with_child(mut self, started: Child) -> Self {
        if let Body::Process { child, .. } = &mut self.keeper {
            *child = Some(started);
        }
        self
    }

    /// Ends the keeper, and waits until it is gone.
    pub(super) async fn end(self) {
        match self.keeper {
            Body::Process { held, child } => {
                held.kill();
                if let Err(error) = held.ended().await {
                    tracing::warn!(%error, "the end of the keeper could not be waited for");
                }
                if let Some(mut child) = child {
                    // It has ended, and fails only if somebody else reaped it.
                    let _ = child.wait().await;
                }
            }
            Body::Simulated(keeper) => keeper.kill(),
        }
    }
}

/// Looks for the keeper of a data folder, and takes over what it holds. None if there is none; one that does not answer is
/// ended.
///
/// The caller has the data folder's lock. So no forager starts a keeper meanwhile.
pub(crate) async fn find(env: &Env, keeping: &Keeping, data: &Path) -> Result<Option<Connection>, KeeperError> {
    if let Keeping::Simulated(keeper) = keeping {
        return Ok(meet_simulated(env, keeper).await);
    }
    let folder = data.join(FOLDER);
    make_folder(&folder)?;
    match knock(&folder).await? {
        Some(stream) => meet(env, stream, &folder).await,
        None => Ok(None),
    }
}

/// Starts a keeper, and takes it for one's own.
pub(crate) async fn start(around: &Surroundings) -> Result<Connection, KeeperError> {
    match &around.keeping {
        Keeping::Process(command) => start_process(around, command).await,
        Keeping::Simulated(keeper) => {
            keeper.start();
            let log = around.data.join(FOLDER).join(LOG);
            meet_simulated(&around.env, keeper).await.ok_or(KeeperError::EndedAtOnce { log })
        }
    }
}

async fn start_process(around: &Surroundings, command: &KeeperCommand) -> Result<Connection, KeeperError> {
    let folder = around.data.join(FOLDER);
    make_folder(&folder)?;
    let log = folder.join(LOG);
    let mut child = command.spawn(&around.data, open_log(&log, &folder)?)?;
    let met = async {
        loop {
            // Looked at first: one that ended because another had the folder leaves that other one to be met.
            let has_ended = child.try_wait().is_ok_and(|status| status.is_some());
            if let Some(stream) = knock(&folder).await?
                && let Some(connection) = meet(&around.env, stream, &folder).await?
            {
                return Ok(connection);
            }
            if has_ended {
                return Err(KeeperError::EndedAtOnce { log: log.clone() });
            }
            tokio::time::sleep(POLL).await;
        }
    };
    let met = tokio::time::timeout(STARTS_WITHIN, met).await;
    match met.unwrap_or(Err(KeeperError::Silent { log })) {
        Ok(connection) => Ok(connection.with_child(child)),
        Err(error) => {
            // Fails only for one that has ended.
            let _ = child.kill().await;
            Err(error)
        }
    }
}

/// A log of its own: the forager's standard error may be a pipe that breaks when the forager is gone.
fn open_log(log: &Path, folder: &Path) -> Result<File, KeeperError> {
    let opened = OpenOptions::new().create(true).append(true).open(log).and_then(|file| {
        file.set_len(0)?;
        Ok(file)
    });
    opened.map_err(|source| KeeperError::Folder { folder: folder.to_owned(), source })
}

/// Nobody listens only if no keeper lives: a socket is closed with the process that listens.
async fn knock(folder: &Path) -> Result<Option<UnixStream>, KeeperError> {
    let address = Address::in_folder(folder);
    let connected = match address {
        Ok(address) => address.connect().await,
        Err(error) => Err(error),
    };
    match connected {
        Ok(stream) => Ok(Some(stream)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused) => Ok(None),
        Err(source) => Err(KeeperError::Folder { folder: folder.to_owned(), source }),
    }
}

/// Attaches. None if the keeper is gone when this returns.
async fn meet(env: &Env, stream: UnixStream, folder: &Path) -> Result<Option<Connection>, KeeperError> {
    let peer = stream.peer_cred().ok().and_then(|peer| peer.pid()).and_then(|pid| u32::try_from(pid).ok());
    // Held before it says anything: if it does, it is the process that listened, and its number was its own all the time.
    let keeper = peer.and_then(process::Held::open);
    let mut mail = greet(env, stream, environment())?;
    let met = tokio::time::timeout(ATTACHES_WITHIN, attach(&mut mail)).await;
    let of = |held| Body::Process { held, child: None };
    match (met, keeper) {
        (Ok(None), _) => Ok(None),
        (Ok(Some((held, lease))), Some(keeper)) => Ok(Some(Connection { mail, keeper: of(keeper), held, lease })),
        (Err(_), Some(keeper)) => {
            tracing::error!(keeper = keeper.id(), "the keeper does not answer, and is ended with all that it keeps");
            Connection { mail, keeper: of(keeper), held: Vec::new(), lease: Due::PAST }.end().await;
            Ok(None)
        }
        (Ok(Some(_)) | Err(_), None) => Err(KeeperError::Taken { folder: folder.to_owned() }),
    }
}

/// Attaches to a keeper that is simulated. None if none runs.
async fn meet_simulated(env: &Env, keeper: &SimulatedKeeper) -> Option<Connection> {
    let mut mail = greet(env, keeper.knock()?, Environment::new()).ok()?;
    let (held, lease) = attach(&mut mail).await?;
    Some(Connection { mail, keeper: Body::Simulated(keeper.clone()), held, lease })
}

/// Says that this is a forager.
fn greet(env: &Env, stream: impl ByteStream, environment: Environment) -> Result<Mail<Tale>, KeeperError> {
    let mut mail = Mail::open(env, stream);
    match mail.tell(&Order::Attach { environment }) {
        Ok(()) => Ok(mail),
        Err(error) => {
            let source = io::Error::other(error);
            Err(KeeperError::Kernel { what: "hand its environment to the keeper", source })
        }
    }
}

/// Hears what the keeper holds; nothing if it is gone.
async fn attach(mail: &mut Mail<Tale>) -> Option<(Vec<Held>, Due)> {
    let mut all = Vec::new();
    loop {
        match mail.next().await? {
            Tale::Holds(held) => all.push(held),
            Tale::Attached { lease } => return Some((all, lease)),
            Tale::Started { .. } | Tale::Ended { .. } | Tale::Log { .. } | Tale::Pong => {}
        }
    }
}

/// What programs find in their environment: this process's, without what is an attempt's to say.
fn environment() -> Environment {
    let all = std::env::vars_os().map(|(name, value)| (name.into_vec(), value.into_vec()));
    let inherited = all.filter(|(name, _)| !name.starts_with(b"ANTFARM_"));
    // The kernel hands over none with a NUL.
    inherited.filter_map(|(name, value)| Some((CString::new(name).ok()?, CString::new(value).ok()?))).collect()
}
