//! Server-sent events, read piece by piece as they arrive.

/// The longest line, and the longest text of one message.
const MAX_LINE_BYTES: usize = 4 << 20;

/// What a blank line ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Message {
    /// The position, if it moved.
    pub(crate) id: Option<String>,
    /// The text, if there was any.
    pub(crate) data: Option<String>,
}

/// A line, or the text of a message, is longer than any that a queen sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LineTooLong;

/// Makes messages of bytes.
#[derive(Debug, Default)]
pub(crate) struct Parser {
    line: Vec<u8>,
    message: Message,
}

impl Parser {
    /// Takes what arrived, and gives what it completes.
    pub(crate) fn take(&mut self, mut bytes: &[u8]) -> Result<Vec<Message>, LineTooLong> {
        let mut complete = Vec::new();
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            self.line.extend_from_slice(&bytes[..end]);
            bytes = &bytes[end + 1..];
            let line = std::mem::take(&mut self.line);
            let line = String::from_utf8_lossy(&line);
            self.end_line(line.strip_suffix('\r').unwrap_or(&line), &mut complete)?;
        }
        self.line.extend_from_slice(bytes);
        if self.line.len() > MAX_LINE_BYTES { Err(LineTooLong) } else { Ok(complete) }
    }

    fn end_line(&mut self, line: &str, complete: &mut Vec<Message>) -> Result<(), LineTooLong> {
        if line.is_empty() {
            let message = std::mem::take(&mut self.message);
            if message != Message::default() {
                complete.push(message);
            }
            return Ok(());
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "id" => self.message.id = Some(value.to_owned()),
            "data" => match &mut self.message.data {
                Some(data) if data.len() + value.len() >= MAX_LINE_BYTES => return Err(LineTooLong),
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.message.data = Some(value.to_owned()),
            },
            _ => {} // comments, and fields that queens do not use
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(id: Option<&str>, data: Option<&str>) -> Message {
        Message { id: id.map(Into::into), data: data.map(Into::into) }
    }

    #[test]
    fn messages_may_arrive_in_any_pieces() {
        let text = "retry: 500\n\n: alive\nid: 7\n\ndata: {\"a\":1}\r\n\r\nid: 9\ndata:x\ndata: y\n\n";
        let expected = [message(Some("7"), None), message(None, Some("{\"a\":1}")), message(Some("9"), Some("x\ny"))];
        for size in 1..=text.len() {
            let mut parser = Parser::default();
            let pieces = text.as_bytes().chunks(size);
            let messages: Vec<Message> = pieces.flat_map(|piece| parser.take(piece).expect("short lines")).collect();
            assert_eq!(messages, expected, "in pieces of {size}");
        }
    }

    #[test]
    fn a_message_that_is_not_complete_is_not_given() {
        let mut parser = Parser::default();
        assert_eq!(parser.take(b"id: 1\ndata: x\n"), Ok(Vec::new()));
        assert_eq!(parser.take(b"\n"), Ok(vec![message(Some("1"), Some("x"))]));
    }

    #[test]
    fn a_message_without_end_is_refused() {
        let (mut parser, line) =
            (Parser::default(), [b"data: ".to_vec(), vec![b'x'; 1 << 20], b"\n".to_vec()].concat());
        let fitting = (0..MAX_LINE_BYTES >> 20).take_while(|_| parser.take(&line) == Ok(Vec::new())).count();
        assert_eq!(fitting, (MAX_LINE_BYTES >> 20) - 1, "with its line breaks, the last one is too much");
        assert_eq!(parser.take(&line), Err(LineTooLong));
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let mut parser = Parser::default();
        assert_eq!(parser.take(&vec![b'x'; MAX_LINE_BYTES + 1]), Err(LineTooLong));
    }
}
