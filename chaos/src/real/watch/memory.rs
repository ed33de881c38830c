//! What processes hold in memory.

use std::time::Duration;

use crate::history::What;
use crate::real::field::Field;

/// Between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Looks until the run closes.
pub(in crate::real) fn watch_memory(field: &Field<'_>) {
    let mut scribe = field.recorder.scribe("memory");
    while field.is_open() {
        for process in field.cluster.processes() {
            let life = process.life();
            if let Some(kib) = process.memory_kib().filter(|_| life == process.life()) {
                scribe.write(What::Memory { process: process.name.clone(), life, kib });
            }
        }
        std::thread::sleep(LOOK_EVERY);
    }
}
