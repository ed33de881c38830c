//! The smallest input that still shows a fault.

/// No search for a smaller input tries more.
const MAX_TRIALS: usize = 3_000;

/// Leaves pieces out, large ones first, as long as what is left `still_fails`.
pub(crate) fn smallest(input: &[u8], still_fails: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut best = input.to_vec();
    let mut piece = best.len().div_ceil(2);
    let mut trials = 0;
    while piece > 0 {
        let (mut at, before) = (0, best.len());
        while at < best.len() && trials < MAX_TRIALS {
            let end = (at + piece).min(best.len());
            let candidate = [&best[..at], &best[end..]].concat();
            trials += 1;
            if still_fails(&candidate) {
                best = candidate;
            } else {
                at = end;
            }
        }
        if best.len() == before {
            piece /= 2;
        }
        if trials >= MAX_TRIALS {
            break;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_shows_the_fault_is_left() {
        let input: Vec<u8> = (0..200).collect();
        let shows = |bytes: &[u8]| [7, 99, 150].iter().all(|wanted| bytes.contains(wanted));
        assert_eq!(smallest(&input, shows), [7, 99, 150]);
        assert_eq!(smallest(&input, |_| true), [0_u8; 0]);
    }
}
