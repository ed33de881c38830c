//! What somebody may have meant who wrote an unknown word.

/// Longer words are never near to each other.
const LONGEST_WORD: usize = 32;

/// The nearest of the known words, if it is near: one slip for each three characters.
pub(super) fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    if word.len() > LONGEST_WORD {
        return None;
    }
    let near = |candidate: &&str| candidate.len() <= LONGEST_WORD;
    let distances = known.into_iter().filter(near).map(|candidate| (distance(word, candidate), candidate));
    let (slips, nearest) = distances.min_by_key(|(slips, _)| *slips)?;
    (slips <= word.len().div_ceil(3).min(word.len() / 2)).then_some(nearest)
}

/// The end of a message about an unknown word: `; did you mean "x"?` with the nearest of the known words, or nothing.
pub fn ending<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    nearest(word, known).map_or_else(String::new, |known| format!("; did you mean {known:?}?"))
}

/// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other
/// (the optimal string alignment distance), over bytes without regard to case.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.to_ascii_lowercase().into_bytes(), b.to_ascii_lowercase().into_bytes());
    let mut before_last = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let differs = usize::from(a[i - 1] != b[j - 1]);
            row[j] = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + differs);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_near_and_another_word_is_not() {
        let known = ["tool", "args", "after", "deadline", "not_before"];
        for (word, meant) in [
            ("tol", Some("tool")),
            ("Tool", Some("tool")),
            ("agrs", Some("args")),
            ("dead_line", Some("deadline")),
            ("notbefore", Some("not_before")),
            ("priority", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, known), meant, "{word}");
        }
        assert_eq!(nearest(&"a".repeat(1_000_000), known), None);
    }
}
