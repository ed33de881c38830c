//! As much of a shell's grammar as examples use: which calls of `antfarm` stand in a line.

/// The words of each call of `antfarm` in a line, without quotes, redirections and comments.
pub(super) fn calls(line: &str) -> Vec<Vec<String>> {
    let mut reader = Reader::default();
    let mut rest = line.chars().peekable();
    while let Some(next) = rest.next() {
        match (reader.quote, next) {
            (Some(quote), _) if quote == next => reader.quote = None,
            (Some('"') | None, '\\') => reader.word.get_or_insert_default().extend(rest.next()),
            (None, '\'' | '"') => {
                reader.quote = Some(next);
                reader.word.get_or_insert_default();
            }
            (None, '#') if reader.word.is_none() => break,
            (None, '|' | ';' | '&' | '(' | ')') => reader.end_command(),
            (None, '<' | '>') => {
                reader.end_word();
                reader.is_redirection = rest.peek() != Some(&'(');
            }
            (None, _) if next.is_whitespace() => reader.end_word(),
            (Some(_) | None, _) => reader.word.get_or_insert_default().push(next),
        }
    }
    reader.end_command();
    let is_call = |words: &Vec<String>| words.iter().position(|word| word == "antfarm").filter(|at| *at <= 2);
    reader.commands.into_iter().filter_map(|words| is_call(&words).map(|at| words[at..].to_vec())).collect()
}

#[derive(Default)]
struct Reader {
    commands: Vec<Vec<String>>,
    words: Vec<String>,
    word: Option<String>,
    quote: Option<char>,
    /// The next word is a file.
    is_redirection: bool,
}

impl Reader {
    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        if !std::mem::take(&mut self.is_redirection) {
            self.words.push(word);
        }
    }

    fn end_command(&mut self) {
        self.end_word();
        self.is_redirection = false;
        self.commands.push(std::mem::take(&mut self.words));
    }
}

#[test]
fn calls_are_found_where_a_shell_finds_them() {
    let found = |line: &str| calls(line).into_iter().map(|words| words.join("_")).collect::<Vec<_>>();
    assert_eq!(found("antfarm a 'b c' > d   # antfarm e"), ["antfarm_a_b c"]);
    assert_eq!(found("until antfarm a; do sleep 1; done"), ["antfarm_a"]);
    assert_eq!(found("source <(antfarm a b)"), ["antfarm_a_b"]);
    assert_eq!(
        found("RUST_LOG=debug antfarm a && timeout 1m antfarm b | jq '.c | antfarm'"),
        ["antfarm_a", "antfarm_b"]
    );
    assert_eq!(found("printf 'x = \"y\"' | antfarm a -"), ["antfarm_a_-"]);
    assert!(found("echo 'antfarm a'").is_empty());
}
