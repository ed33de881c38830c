//! One hop to the leader. It ends when the leader answers, is deposed, or falls silent.

use std::time::Duration;

use antfarm_model::MemberId;
use antfarm_replication::Leadership;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Uri, header};
use axum::response::Response;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use tokio::time::{sleep, timeout};

use super::Api;
use super::problem::NOT_LEADING;

/// On requests that another queen passed on; its value is that member's id. They are not passed on again.
pub(super) const FORWARDED: HeaderName = HeaderName::from_static("antfarm-forwarded");

/// On answers that came from the leader through another queen: where it can be asked directly.
const LEADER: HeaderName = HeaderName::from_static("antfarm-leader");

/// How long a connection to another queen may take.
const CONNECT_WITHIN: Duration = Duration::from_millis(300);

/// How often a leader that has not answered yet is asked whether it is alive.
const PROBE_EVERY: Duration = Duration::from_millis(300);

/// How long it may take to say so.
const PROBE_WITHIN: Duration = Duration::from_millis(250);

/// Headers that belong to one connection.
const OF_A_CONNECTION: [HeaderName; 5] =
    [header::HOST, header::CONNECTION, header::TRANSFER_ENCODING, header::UPGRADE, header::TE];

/// The other queen gave no answer.
pub(super) struct Lost {
    /// Whether it may have taken the request all the same.
    pub(super) may_have_arrived: bool,
}

const NOT_SENT: Lost = Lost { may_have_arrived: false };
const SENT: Lost = Lost { may_have_arrived: true };

impl Api {
    /// Has the leader answer.
    pub(super) async fn forward(&self, leader: MemberId, mut request: Request) -> Result<Response, Lost> {
        let address = self.http_address(leader).ok_or(NOT_SENT)?;
        let own = HeaderValue::from(self.shared.config.id.0);
        request.headers_mut().insert(FORWARDED, own);
        let mut sender = self.reach(&address).await.ok_or(NOT_SENT)?;
        let request = readdressed(request, &address).ok_or(NOT_SENT)?;
        let response = tokio::select! {
            response = sender.send_request(request) => response.map_err(|_| SENT)?,
            () = self.deposed(leader) => return Err(SENT),
            () = self.silent(&address) => return Err(SENT),
        };
        if response.headers().contains_key(NOT_LEADING) {
            return Err(NOT_SENT);
        }
        let (mut parts, body) = response.into_parts();
        remove_those_of_a_connection(&mut parts.headers);
        if let Ok(address) = HeaderValue::from_str(&address) {
            parts.headers.insert(LEADER, address);
        }
        Ok(Response::from_parts(parts, Body::new(body)))
    }

    /// Asks another queen one thing.
    pub(super) async fn ask(
        &self,
        address: &str,
        path: &str,
        within: Duration,
    ) -> Option<hyper::Response<hyper::body::Incoming>> {
        let asked = async {
            let mut sender = self.reach(address).await?;
            let request = Request::get(path).body(Body::empty()).ok()?;
            sender.send_request(readdressed(request, address)?).await.ok()
        };
        timeout(within, asked).await.ok().flatten()
    }

    async fn reach(&self, address: &str) -> Option<SendRequest<Body>> {
        let stream = timeout(CONNECT_WITHIN, self.shared.net.connect(address)).await.ok()?.ok()?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await.ok()?;
        self.shared.env.spawn(async move {
            let _ = connection.await; // whoever waits for an answer learns of the failure there
        });
        Some(sender)
    }

    async fn deposed(&self, leader: MemberId) {
        let mut leadership = self.shared.replica.leadership();
        let still = Leadership::Following { leader: Some(leader) };
        let _ = leadership.wait_for(|now| *now != still).await; // a stopped replica follows nobody
    }

    /// A stopped process keeps its connections: only its silence tells.
    async fn silent(&self, address: &str) {
        loop {
            sleep(PROBE_EVERY).await;
            if self.ask(address, "/healthz", PROBE_WITHIN).await.is_none() {
                return;
            }
        }
    }

    /// Whether a member gives a sign of life.
    pub(super) async fn is_alive(&self, member: MemberId) -> bool {
        match self.http_address(member) {
            Some(address) => self.ask(&address, "/healthz", PROBE_WITHIN).await.is_some(),
            None => false,
        }
    }
}

fn remove_those_of_a_connection(headers: &mut HeaderMap) {
    for name in &OF_A_CONNECTION {
        headers.remove(name);
    }
}

/// The same request, to be sent to `address`.
fn readdressed(request: Request, address: &str) -> Option<Request> {
    let (mut parts, body) = request.into_parts();
    remove_those_of_a_connection(&mut parts.headers);
    parts.headers.insert(header::HOST, HeaderValue::from_str(address).ok()?);
    parts.uri = parts.uri.path_and_query().map_or_else(|| Uri::from_static("/"), |path| Uri::from(path.clone()));
    Some(Request::from_parts(parts, body))
}
