//! YAML 1.2 into a [`Tree`]: the part of it that says what JSON can say, so nothing that expands.

use std::borrow::Cow;

use granit_parser::{ErrorKind, Event, Options, Parser, ScalarStyle, ScanError, Span, StrInput};

use super::bounds::{self, Bounds, MAX_DEPTH};
use super::faults::Faults;
use super::path::Path;
use super::quote::quote;
use super::read::{Reading, Stop};
use super::{Key, Position, Tree, Value, duplicates, yaml_scalar};

/// Characters of a key that is not marked with `?`, as YAML has it.
const LONGEST_SIMPLE_KEY: usize = 1024;

/// Reads a text that is one YAML document.
pub(super) fn read(text: &str, bounds: Bounds) -> Result<Reading<'_>, Stop> {
    let parser = Parser::new_from_str_with_options(text, options());
    let mut reader = Reader { parser, bounds, faults: Faults::default(), is_sound: true };
    let (event, span) = reader.next_beyond(&[Event::StreamStart])?;
    if event == Event::StreamEnd {
        return Err(Stop::Syntax(bounds::at(start(&span), "the document is empty".to_owned())));
    }
    let (event, span) = reader.next()?;
    let tree = reader.node(event, &span, &Path::Root, 0)?;
    let (event, span) = reader.next_beyond(&[Event::DocumentEnd])?;
    if event != Event::StreamEnd {
        let message = "a second YAML document begins here; only one is accepted";
        return Err(Stop::Syntax(bounds::at(start(&span), message.to_owned())));
    }
    Ok(Reading { tree, faults: reader.faults, is_sound: reader.is_sound })
}

/// The scanner's own bounds; one level deeper than ours, so that ours speak first.
fn options() -> Options {
    granit_parser::options! {
        strict_indentation: true,
        disallow_directives: true,
        emit_unresolved_aliases: true,
        simple_key_max_lookahead: LONGEST_SIMPLE_KEY,
        flow_nesting_limit: MAX_DEPTH + 2,
        block_nesting_limit: MAX_DEPTH + 2,
    }
}

struct Reader<'a> {
    parser: Parser<'a, StrInput<'a>>,
    bounds: Bounds,
    faults: Faults,
    is_sound: bool,
}

impl<'a> Reader<'a> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the parser's events may grow; whatever else comes is no value")]
    fn node(&mut self, event: Event<'a>, span: &Span, path: &Path<'_>, depth: usize) -> Result<Tree<'a>, Stop> {
        let position = start(span);
        self.bounds.count(depth, position).map_err(Stop::Bound)?;
        self.refuse_properties(&event, path, position);
        let value = match event {
            Event::Scalar(text, ScalarStyle::Plain, ..) => {
                let shown = text.clone();
                yaml_scalar::resolve(text).unwrap_or_else(|why| {
                    self.refuse(path, position, || format!("{}: {why}", quote(&shown)));
                    Value::Null
                })
            }
            Event::Scalar(text, ..) => Value::String(text),
            Event::SequenceStart(..) => self.list(path, depth)?,
            Event::MappingStart(..) => self.map(path, depth)?,
            Event::Alias(_) | Event::UnresolvedAlias(_) => {
                self.refuse(path, position, || "aliases (*name) are not accepted; write the value itself".to_owned());
                Value::Null
            }
            other => return Err(unexpected(&other, position)),
        };
        Ok(Tree { value, position })
    }

    fn list(&mut self, path: &Path<'_>, depth: usize) -> Result<Value<'a>, Stop> {
        let mut items = Vec::new();
        loop {
            let (event, span) = self.next()?;
            if event == Event::SequenceEnd {
                return Ok(Value::List(items));
            }
            items.push(self.node(event, &span, &Path::Index(path, items.len()), depth + 1)?);
        }
    }

    fn map(&mut self, path: &Path<'_>, depth: usize) -> Result<Value<'a>, Stop> {
        let mut entries = Vec::new();
        loop {
            let (event, span) = self.next()?;
            if event == Event::MappingEnd {
                break;
            }
            let key = Key { position: start(&span), text: self.key(event, &span, path, depth + 1)? };
            let (event, span) = self.next()?;
            let value = self.node(event, &span, &Path::Key(path, &key.text), depth + 1)?;
            entries.push((key, value));
        }
        duplicates::remove(&mut entries, path, &mut self.faults);
        Ok(Value::Map(entries))
    }

    /// Reads a key, which must be a string; a faulty one gets a text that says what it is.
    fn key(&mut self, event: Event<'a>, span: &Span, path: &Path<'_>, depth: usize) -> Result<Cow<'a, str>, Stop> {
        let position = start(span);
        let Event::Scalar(text, style, ..) = &event else {
            self.refuse(path, position, || "a key must be a string".to_owned());
            self.node(event, span, path, depth)?;
            return Ok(Cow::Owned(format!("key at {}:{}", position.0, position.1)));
        };
        self.refuse_properties(&event, path, position);
        let is_plain = *style == ScalarStyle::Plain;
        if is_plain && text == "<<" {
            self.refuse(path, position, || "merge keys (<<) are not accepted; write the entries themselves".to_owned());
        } else if is_plain && !matches!(yaml_scalar::resolve(Cow::Borrowed(&**text)), Ok(Value::String(_))) {
            self.refuse(path, position, || format!("a key must be a string; put it in quotes: {}", quote(text)));
        }
        Ok(text.clone())
    }

    fn refuse_properties(&mut self, event: &Event<'a>, path: &Path<'_>, position: Position) {
        if !event.is_alias() && event.anchor_id().is_some_and(|id| id > 0) {
            self.refuse(path, position, || "anchors (&name) are not accepted; leave it out".to_owned());
        }
        if let Some(tag) = event.tag() {
            self.refuse(path, position, || format!("tags ({}) are not accepted; leave it out", quote(&tag.original())));
        }
    }

    /// A fault after which the tree no longer says what was meant.
    fn refuse(&mut self, path: &Path<'_>, position: Position, message: impl FnOnce() -> String) {
        self.is_sound = false;
        self.faults.add(path, position, message);
    }

    fn next(&mut self) -> Result<(Event<'a>, Span), Stop> {
        match self.parser.next_event() {
            Some(Ok((event, span))) => Ok((event, span)),
            Some(Err(fault)) => Err(stop(&fault)),
            None => Ok((Event::StreamEnd, Span::default())),
        }
    }

    fn next_beyond(&mut self, passed: &[Event<'a>]) -> Result<(Event<'a>, Span), Stop> {
        loop {
            let (event, span) = self.next()?;
            if !passed.contains(&event) {
                return Ok((event, span));
            }
        }
    }
}

fn start(span: &Span) -> Position {
    bounds::position(span.start.line(), span.start.col() + 1)
}

fn stop(fault: &ScanError) -> Stop {
    let position = bounds::position(fault.marker().line(), fault.marker().col() + 1);
    if matches!(fault.kind(), ErrorKind::RecursionLimitExceeded) {
        return Stop::Bound(bounds::too_deep(position));
    }
    let lacks_separator =
        matches!(fault.kind(), ErrorKind::ExpectedFlowMappingSeparator | ErrorKind::ExpectedFlowSequenceSeparator);
    let hint = if lacks_separator {
        "; a text with brackets, such as 'fan[3]', needs quotes here"
    } else if fault.info().starts_with("invalid indentation") {
        "; indent with spaces, as far as the lines beside it, and close every brace, bracket and quote above"
    } else {
        ""
    };
    Stop::Syntax(bounds::at(position, format!("no valid YAML: {}{hint}", fault.info())))
}

fn unexpected(event: &Event<'_>, position: Position) -> Stop {
    Stop::Syntax(bounds::at(position, format!("no valid YAML: a value is missing here ({event:?})")))
}
