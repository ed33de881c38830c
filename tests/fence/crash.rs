//! `kill -9` in any moment makes nobody forget a fence that was admitted. (A power cut is tested on a disk in memory.)

use std::time::{Duration, Instant};

use antfarm_testkit::Dice;

use crate::given::{Fences, text};

const ROUNDS: u64 = 60;

/// So long a call takes, about; the kill comes within it.
const MOST_MICROS: usize = 30_000;

#[test]
fn a_fence_that_was_admitted_is_known_after_any_kill() {
    let fences = Fences::new();
    let log = text(fences.scratch.path("log"));
    let mut dice = Dice::named("when to kill");
    let mut killed_before_it_ran = 0;
    for fence in 1..=ROUNDS {
        let shown = fence.to_string();
        let command = ["sh", "-c", r#"echo "$1" >> "$2""#, "effect", &shown, &log];
        let mut running = fences.command(fence, &["--wait", "1m"], &command).start();
        let moment = Instant::now() + Duration::from_micros(dice.in_range(0..MOST_MICROS) as u64);
        while Instant::now() < moment {
            std::thread::yield_now();
        }
        running.kill();
        let effects = fences.lines("log");
        let Some(highest) = effects.last().and_then(|line| line.parse::<u64>().ok()) else { continue };
        killed_before_it_ran += u32::from(highest < fence);
        if highest > 1 {
            let _ = fences.check(highest - 1).exits(76);
        }
    }
    let effects: Vec<u64> = fences.lines("log").iter().map(|line| line.parse().expect("a fence")).collect();
    assert!(effects.is_sorted(), "{effects:?}");
    let _ = fences.check(ROUNDS + 1).exits(0); // no lock and no half a file is left that would be in the way
    println!("{} had an effect, {killed_before_it_ran} were killed before", effects.len());
}
