//! One request to one queen, over a connection that is kept for the next one.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use antfarm_env::{Env, Net};
use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::{Method, Request, Response, header};
use hyper_util::rt::TokioIo;
use serde_json::Value;

use crate::answer::Answer;

/// The longest answer.
const MAX_ANSWER_BYTES: usize = 256 << 20;

/// What is asked.
#[derive(Debug, Clone)]
pub struct Ask {
    /// How.
    pub method: Method,
    /// Of what: a path with its query, escaped.
    pub path: String,
    /// With what, and what it is.
    pub body: Option<(Bytes, &'static str)>,
    /// Further headers.
    pub headers: Vec<(&'static str, String)>,
}

impl Ask {
    /// Asks for what is there.
    pub fn read(path: impl Into<String>) -> Self {
        Self { method: Method::GET, path: path.into(), body: None, headers: Vec::new() }
    }

    /// Asks for a change.
    pub fn change(method: Method, path: impl Into<String>) -> Self {
        Self { method, path: path.into(), body: None, headers: Vec::new() }
    }

    /// A change by POST, with a body of that kind.
    pub fn post(path: impl Into<String>, body: impl Into<Bytes>, kind: &'static str) -> Self {
        Self::change(Method::POST, path).with_body(body, kind)
    }

    /// With a body.
    #[must_use]
    pub fn with_body(self, body: impl Into<Bytes>, kind: &'static str) -> Self {
        Self { body: Some((body.into(), kind)), ..self }
    }

    /// The same under another id, if it submits a graph: a mistake that is made on purpose only.
    pub(crate) fn under_another_id(&self) -> Option<Self> {
        let (body, kind) = self.body.as_ref()?;
        let mut document: Value = serde_json::from_slice(body).ok()?;
        let id = document.get("id")?.as_str()?;
        document["id"] = format!("{id}-again").into();
        Some(self.clone().with_body(document.to_string(), kind))
    }

    /// Whether it changes nothing.
    pub(crate) fn is_read(&self) -> bool {
        self.method == Method::GET
    }
}

/// Why a queen gave no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NoAnswer {
    /// Whether the request may have arrived all the same.
    pub(crate) may_have_arrived: bool,
    pub(crate) why: String,
}

impl NoAnswer {
    fn not_sent(why: &impl ToString) -> Self {
        Self { may_have_arrived: false, why: why.to_string() }
    }

    fn sent(why: &impl ToString) -> Self {
        Self { may_have_arrived: true, why: why.to_string() }
    }
}

/// How queens are reached.
#[derive(Debug, Clone)]
pub(crate) struct Transport {
    env: Env,
    net: Net,
    token: Option<String>,
    /// At most one idle connection to each queen.
    idle: Arc<Mutex<BTreeMap<String, SendRequest<Full<Bytes>>>>>,
    /// Whether any queen has answered anything.
    answered: Arc<AtomicBool>,
}

impl Transport {
    pub(crate) fn new(env: Env, net: Net, token: Option<String>) -> Self {
        Self { env, net, token, idle: Arc::default(), answered: Arc::default() }
    }

    /// Asks, and takes the whole answer. The caller bounds the wait.
    pub(crate) async fn ask(&self, server: &str, ask: &Ask) -> Result<Answer, NoAnswer> {
        let (response, sender) = self.send(server, ask).await?;
        let (parts, body) = response.into_parts();
        let body =
            Limited::new(body, MAX_ANSWER_BYTES).collect().await.map_err(|error| NoAnswer::sent(&error))?.to_bytes();
        self.lock_idle().insert(server.to_owned(), sender);
        let header = |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok());
        let index = header("antfarm-index").and_then(|index| index.parse().ok());
        let leader = header("antfarm-leader").map(ToOwned::to_owned);
        Ok(Answer { server: server.to_owned(), status: parts.status, index, leader, body })
    }

    /// Asks, and leaves the body to be read as it comes.
    pub(crate) async fn open(&self, server: &str, ask: &Ask) -> Result<Response<Incoming>, NoAnswer> {
        self.send(server, ask).await.map(|(response, _)| response)
    }

    /// Whether any queen has answered anything.
    pub(crate) fn has_answered(&self) -> bool {
        self.answered.load(Ordering::Relaxed)
    }

    async fn send(&self, server: &str, ask: &Ask) -> Result<(Response<Incoming>, SendRequest<Full<Bytes>>), NoAnswer> {
        let kept = self.lock_idle().remove(server);
        if let Some(mut sender) = kept.filter(SendRequest::is_ready) {
            // An idle connection may have died unnoticed: then a new one is tried, since a retry is safe.
            if let Ok(response) = sender.send_request(self.request(server, ask)?).await {
                return Ok((response, sender));
            }
        }
        let stream = self.net.connect(server).await.map_err(|error| NoAnswer::not_sent(&error))?;
        let (mut sender, connection) =
            handshake(TokioIo::new(stream)).await.map_err(|error| NoAnswer::not_sent(&error))?;
        self.env.spawn(async move {
            let _ = connection.await; // whoever waits for an answer learns of the failure there
        });
        let response = sender.send_request(self.request(server, ask)?).await.map_err(|error| NoAnswer::sent(&error))?;
        self.answered.store(true, Ordering::Relaxed);
        Ok((response, sender))
    }

    fn request(&self, server: &str, ask: &Ask) -> Result<Request<Full<Bytes>>, NoAnswer> {
        let mut request = Request::builder().method(ask.method.clone()).uri(&ask.path).header(header::HOST, server);
        if let Some(token) = &self.token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        if let Some((_, kind)) = &ask.body {
            request = request.header(header::CONTENT_TYPE, *kind);
        }
        for (name, value) in &ask.headers {
            request = request.header(*name, value);
        }
        let body = ask.body.as_ref().map(|(body, _)| body.clone()).unwrap_or_default();
        request.body(Full::new(body)).map_err(|error| NoAnswer::not_sent(&error))
    }

    fn lock_idle(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, SendRequest<Full<Bytes>>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
