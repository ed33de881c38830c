//! Every instance has one reason for being where it is, and something that would change it.

mod ended;
mod open;
mod ready;
mod waiting;

use antfarm_model::{CostClass, EffectClass, ForagerNo};

use crate::farm::Farm;

/// Two foragers with one slot each; only the first has the tool `rare`.
fn farm() -> (Farm, ForagerNo, ForagerNo) {
    let mut farm = Farm::new();
    farm.now.wall = antfarm_model::WallTime(1_893_455_990_000); // ten seconds before 2030
    farm.tool("work", CostClass::Cpu, EffectClass::Guarded);
    farm.tool("rare", CostClass::Model, EffectClass::Pure);
    farm.tool("pay", CostClass::Io, EffectClass::Irrevocable);
    let one = farm.forager("one", 1, &["work", "rare", "pay"]);
    let two = farm.forager("two", 1, &["work"]);
    (farm, one, two)
}
