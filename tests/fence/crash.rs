//! `kill -9` in any moment makes nobody forget a fence that was admitted. (A power cut is tested on a disk in memory.)

use std::time::Instant;

use antfarm_testkit::Dice;

use crate::given::{Fences, text};

const ROUNDS: u64 = 60;

#[test]
fn a_fence_that_was_admitted_is_known_after_any_kill() {
    let fences = Fences::new();
    let log = text(fences.scratch.path("log"));
    let mut dice = Dice::named("when to kill");
    let mut killed_before_it_ran = 0;
    // Within twice the time of a whole call, so about half of the kills come before its effect on any machine.
    let most_micros = 2 * fences.check(1).exits(0).took.as_micros();
    let most_micros = usize::try_from(most_micros).expect("it took less than a century");
    for fence in 1..=ROUNDS {
        let shown = fence.to_string();
        let command = ["sh", "-c", r#"echo "$1" >> "$2""#, "effect", &shown, &log];
        let mut running = fences.command(fence, &["--wait", "1m"], &command).start();
        let (begun, wait) = (Instant::now(), dice.in_range(0..most_micros));
        while begun.elapsed().as_micros() < wait as u128 {
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
