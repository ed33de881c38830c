//! Where foragers come in.

use std::path::Path;
use std::time::Duration;

use antfarm_env::{ByteStream, Env, Stream};
use rustix::process::geteuid;
use tokio::net::UnixStream;
use tokio::sync::mpsc;

use crate::keeper::KeeperError;
use crate::keeper::address::{Address, make_folder};
use crate::keeper::mail::Mail;
use crate::keeper::wire::{Environment, Order};

/// Who comes in and says nothing for so long goes out again.
const GREETS_WITHIN: Duration = Duration::from_secs(1);

/// After a failure, such as for want of descriptors, nobody is let in for so long.
const PAUSE: Duration = Duration::from_millis(100);

/// Foragers that have come in and said that they are some.
pub(super) struct Door(mpsc::Receiver<(Mail<Order>, Environment)>);

impl Door {
    /// Opens it. The caller has the folder's lock.
    pub(super) fn open(env: &Env, folder: &Path) -> Result<Self, KeeperError> {
        make_folder(folder)?;
        let listener = Address::in_folder(folder).and_then(|address| address.listen());
        let listener = listener.map_err(|source| KeeperError::Folder { folder: folder.to_owned(), source })?;
        let (came, comes) = mpsc::channel(1);
        let door_env = env.clone();
        env.spawn(async move {
            loop {
                match listener.accept().await {
                    Ok((stream, _)) => {
                        if let Some(forager) = greet(&door_env, stream).await
                            && came.send(forager).await.is_err()
                        {
                            return;
                        }
                    }
                    Err(error) => {
                        tracing::warn!(%error, "nobody can come in");
                        tokio::time::sleep(PAUSE).await;
                    }
                }
            }
        });
        Ok(Self(comes))
    }

    /// A door to which somebody else brings those who come in.
    pub(super) fn led_to(env: &Env, mut comes: mpsc::Receiver<Stream>) -> Self {
        let (came, inside) = mpsc::channel(1);
        let door_env = env.clone();
        env.spawn(async move {
            while let Some(stream) = comes.recv().await {
                if let Some(forager) = hear(&door_env, stream).await
                    && came.send(forager).await.is_err()
                {
                    return;
                }
            }
        });
        Self(inside)
    }

    pub(super) async fn next(&mut self) -> Option<(Mail<Order>, Environment)> {
        self.0.recv().await
    }
}

/// One at a time: there is one forager, and one who is gone says nothing more.
async fn greet(env: &Env, stream: UnixStream) -> Option<(Mail<Order>, Environment)> {
    let peer = stream.peer_cred().ok()?;
    if peer.uid() != geteuid().as_raw() {
        tracing::warn!(user = peer.uid(), "another user's process was turned away");
        return None;
    }
    hear(env, stream).await
}

/// Whoever says that it is a forager is let in.
async fn hear(env: &Env, stream: impl ByteStream) -> Option<(Mail<Order>, Environment)> {
    let mut mail = Mail::open(env, stream);
    match tokio::time::timeout(GREETS_WITHIN, mail.next()).await {
        Ok(Some(Order::Attach { environment })) => Some((mail, environment)),
        Ok(Some(_) | None) | Err(_) => None,
    }
}
