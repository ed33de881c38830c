//! A session of a stub with one queen, opened again whenever it ends.

use std::rc::Rc;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval, sleep};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::http::HeaderValue;

use super::flock::Order;
use super::stub::{Stub, Talk};

/// The default of queens.
const HEARTBEAT: Duration = Duration::from_secs(1);

/// Between two tries to open a session.
const PAUSE: Duration = Duration::from_millis(100);

/// Keeps a session until the test is over.
pub(super) async fn keep(stub: Rc<Stub>, address: String, mut orders: watch::Receiver<Order>) {
    while *orders.borrow_and_update() != Order::Go {
        if let Some(socket) = connect(&address).await {
            let _ = converse(&stub, socket, &mut orders).await; // an end is an end; it is opened again
        }
        sleep(PAUSE).await;
    }
}

async fn connect(address: &str) -> Option<WebSocketStream<TcpStream>> {
    let stream = TcpStream::connect(address).await.ok()?;
    let mut request = format!("ws://{address}/v1/forager").into_client_request().ok()?;
    request.headers_mut().insert("Sec-WebSocket-Protocol", HeaderValue::from_static("antfarm.v1.json"));
    Some(tokio_tungstenite::client_async(request, stream).await.ok()?.0)
}

/// Talks until the session ends. `None` is an end.
async fn converse(
    stub: &Stub,
    mut socket: WebSocketStream<TcpStream>,
    orders: &mut watch::Receiver<Order>,
) -> Option<()> {
    let mut talk = Talk::default();
    if *orders.borrow() == Order::Finish {
        stub.finish(&talk); // it was told so while no session was there to hear it
    }
    let mut beat = interval(HEARTBEAT);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    say(&mut socket, vec![stub.hello()]).await?;
    loop {
        let answers = tokio::select! {
            message = socket.next() => match message?.ok()? {
                Message::Text(text) => stub.hear(&mut talk, &parse(&text)?),
                Message::Close(_) => return None,
                Message::Binary(_) | Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => Vec::new(),
            },
            _ = beat.tick() => vec![stub.heartbeat(&mut talk)],
            changed = orders.changed() => {
                changed.ok()?;
                match *orders.borrow_and_update() {
                    Order::Go => return None,
                    Order::Finish => stub.finish(&talk),
                    Order::Hold => Vec::new(),
                }
            }
        };
        say(&mut socket, answers).await?;
    }
}

/// The messages of a frame.
fn parse(text: &str) -> Option<Vec<Value>> {
    let frame: Value = serde_json::from_str(text).ok()?;
    Some(if let Value::Array(messages) = frame { messages } else { vec![frame] })
}

async fn say(socket: &mut WebSocketStream<TcpStream>, messages: Vec<Value>) -> Option<()> {
    if messages.is_empty() {
        return Some(());
    }
    socket.send(Message::text(Value::Array(messages).to_string())).await.ok()
}
