//! S15: replicas that applied the same entries are equal.

use antfarm_scheduler::State;

use super::Violation;

pub(super) fn check(replicas: &[State]) -> Result<(), Violation> {
    for pair in replicas.windows(2) {
        let [one, other] = pair else { continue };
        let equal = one.applied() != other.applied() || one.snapshot().digest() == other.snapshot().digest();
        if !equal {
            let what = format!("two replicas differ at index {}", one.applied().index);
            return Err(Violation::new("S15 deterministic apply", what));
        }
    }
    Ok(())
}
