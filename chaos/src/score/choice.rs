//! Which mistakes a score is about.

use antfarm_planted::Bug;

/// What to make, and find.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct ScoreArguments {
    /// Only these, such as `M3,M7`.
    #[arg(long, value_delimiter = ',', value_parser = bug, conflicts_with = "rotate")]
    pub(super) bugs: Vec<Bug>,
    /// Only so many, others every day.
    #[arg(long)]
    pub(super) rotate: Option<usize>,
}

/// Reads a number such as `M3`.
pub(super) fn bug(text: &str) -> Result<Bug, String> {
    let number = text.trim_start_matches(['M', 'm']).parse().ok();
    number.and_then(Bug::of_number).ok_or_else(|| format!("{text} is no number of a mistake: M1, M2, …"))
}

/// So many of a list, beginning elsewhere every day and going on at its start.
pub(super) fn rotated<T: Copy>(all: &[T], number: usize, day: u64) -> Vec<T> {
    let number = number.min(all.len());
    let first = usize::try_from(day % (all.len() as u64).max(1)).unwrap_or(0) * number;
    all.iter().copied().cycle().skip(first % all.len().max(1)).take(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_days_show_everything() {
        let all = [1, 2, 3, 4, 5];
        assert_eq!(rotated(&all, 2, 0), [1, 2]);
        assert_eq!(rotated(&all, 2, 1), [3, 4]);
        assert_eq!(rotated(&all, 2, 2), [5, 1]);
        assert_eq!(rotated(&all, 9, 3), rotated(&all, 5, 3));
    }

    #[test]
    fn a_mistake_is_named_by_its_number() {
        assert_eq!(bug("M3"), Ok(Bug::SentBeforeCommit));
        assert!(bug("M0").is_err() && bug("x").is_err());
    }
}
