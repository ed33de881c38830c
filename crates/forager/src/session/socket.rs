//! Opening a WebSocket to a queen.

use std::io;

use antfarm_env::{Net, Stream};
use antfarm_protocol::Codec;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{self};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use crate::config::QueenAddress;

/// A WebSocket on a stream of the environment's network.
pub(super) type Socket = WebSocketStream<Stream>;

/// Where queens take foragers.
const PATH: &str = "/v1/forager";

/// Bytes that may wait in the socket beyond one whole frame.
const WRITE_BUFFER_BYTES: usize = 128 << 10;

/// So much is read at a time. Every read first fills as much with zeros, however little comes.
const READ_BUFFER_BYTES: usize = 16 << 10;

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConnectError {
    /// Nobody is there.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Somebody is there, who does not talk to foragers.
    #[error(transparent)]
    WebSocket(Box<tungstenite::Error>),
}

/// Connects with the binary subprotocol.
pub(super) async fn connect(net: &Net, address: &QueenAddress, frame_bytes: usize) -> Result<Socket, ConnectError> {
    let websocket = |error| ConnectError::WebSocket(Box::new(error));
    let stream = net.connect(address.as_str()).await?;
    let mut request = format!("ws://{address}{PATH}").into_client_request().map_err(websocket)?;
    let subprotocol = HeaderValue::from_static(Codec::Binary.subprotocol());
    request.headers_mut().insert("Sec-WebSocket-Protocol", subprotocol);
    let config = WebSocketConfig::default()
        .max_message_size(Some(frame_bytes))
        .max_frame_size(Some(frame_bytes))
        .read_buffer_size(READ_BUFFER_BYTES)
        .write_buffer_size(0)
        .max_write_buffer_size(frame_bytes + WRITE_BUFFER_BYTES);
    let (socket, _) = client_async_with_config(request, stream, Some(config)).await.map_err(websocket)?;
    Ok(socket)
}
