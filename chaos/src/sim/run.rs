//! One seed: calm, faults, a majority without faults, healing, and a scan of what is durable.

use std::sync::Arc;
use std::time::Duration;

use antfarm_model::document::ManifestDocument;
use anyhow::{Context, ensure};
use serde_json::Value;
use tokio::runtime::Builder;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};

use super::chronicle::{Chronicle, Pen};
use super::client::Habits;
use super::clock::Time;
use super::field::{Field, PATIENCE};
use super::life::Runtime;
use super::logs::Listener;
use super::machine::{Exit, Machine};
use super::network::{Counts, Fabric, Host};
use super::plan::{CALM, Minority, Plan};
use super::world::{MODEL_SLOTS, SLOTS, build};
use super::{client, closing, hang, inside, nemesis, watch};
use crate::history::{Evidence, Phase, Plan as Planned, What};
use crate::random::Random;
use crate::work::PROGRAMS;

/// A cluster is up within this time.
const UP_WITHIN: Duration = Duration::from_secs(30);

/// A daemon that has ended is started again after so long, as a service manager does it.
const AGAIN_AFTER: Duration = Duration::from_millis(700);

/// How long a majority without faults must go on.
const CORE_FOR: Duration = Duration::from_secs(3);

/// For so long the work goes on when all is well again: whoever was away catches up meanwhile.
const LOAD_FOR: Duration = Duration::from_millis(1_500);

/// For so long the power of all queens is away before the scan.
const DARK_FOR: Duration = Duration::from_millis(50);

/// What a run left.
pub(super) struct Finished {
    pub(super) evidence: Evidence,
    /// Everything in the order in which it happened.
    pub(super) trace: String,
    pub(super) simulated: Duration,
    pub(super) network: Counts,
    pub(super) snapshots: u64,
}

/// Runs a plan, from nothing and to the end.
pub(super) fn run(plan: &Plan) -> anyhow::Result<Finished> {
    let seed = plan.seed.to_le_bytes();
    let runtime = Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .rng_seed(tokio::runtime::RngSeed::from_bytes(&seed))
        .build()
        .context("a runtime for one thread needs nothing")?;
    runtime.block_on(Runtime::scope(plan.seed, async {
        let time = Time::begin();
        let chronicle = Chronicle::new(time);
        let heard = tracing::subscriber::set_default(Listener(chronicle.clone()));
        let (field, exited) = build(plan, time, chronicle.clone());
        let played = play(&field, plan, exited).await;
        let snapshots = field.queens().iter().map(|queen| queen.health.snapshots()).sum();
        let (network, simulated) = (field.fabric.counts(), time.elapsed());
        for machine in field.everybody() {
            machine.cut_power();
        }
        field.clients.end();
        drop(heard);
        played?;
        let trace = format!("{}{network:?} {snapshots} snapshots, {simulated:?}\n", chronicle.text());
        let evidence = Evidence::new(chronicle.records(), field.sink.lines());
        Ok(Finished { evidence, trace, simulated, network, snapshots })
    }))
}

/// The course of events.
async fn play(field: &Field, plan: &Plan, exited: mpsc::UnboundedReceiver<Exit>) -> anyhow::Result<()> {
    let mut random = Random::new(plan.seed ^ 0x0dd5_eed5);
    let mut pen = field.chronicle.pen("nemesis");
    pen.write(What::Plan(planned(plan)));
    pen.write(What::Clock { wall_ms: field.time.wall_ms(), error_ms: plan.skew_ms });
    let warden = tokio::spawn(keep_up(field.clone(), exited));
    let looker = tokio::spawn(inside::look(field.clone()));
    for machine in &field.machines {
        machine.start();
    }
    come_up(field).await?;
    field.enter(Phase::Calm, &mut pen);
    populate(field, plan, &mut random);
    sleep(CALM).await;
    field.enter(Phase::Faults, &mut pen);
    nemesis::torment(field, &plan.faults).await;
    if field.newcomers().iter().any(|newcomer| newcomer.lives() > 0) {
        for queen in field.queens() {
            queen.start();
        }
        nemesis::dismiss_all(field).await?;
    }
    core(field, plan, &mut pen, &mut random).await;
    if plan.hangs {
        heal(field).await?;
        hang::hang(field, &mut pen).await;
    }
    field.enter(Phase::Healed, &mut pen);
    heal(field).await?;
    let serves = closing::serves(field, &mut pen, &field.queen_ids(), "fresh").await;
    sleep(LOAD_FOR).await;
    field.rest();
    if serves {
        field.work_is_over().await;
        closing::settle(field, &mut pen).await;
    }
    field.work_is_over().await;
    scan(field, &mut pen).await?;
    field.enter(Phase::Closing, &mut pen);
    warden.abort();
    looker.abort();
    Ok(())
}

/// Clients that work, and who looks on.
fn populate(field: &Field, plan: &Plan, random: &mut Random) {
    let clients = &field.clients;
    for queen in field.queen_ids() {
        clients.spawn(Box::pin(watch::read_events(field.clone(), queen)));
        clients.spawn(Box::pin(watch::poll(field.clone(), queen)));
    }
    let habits = Habits { most_pause_ms: plan.pause_ms, may_wait: !plan.sets_clocks_of_queens() };
    for number in 1..=plan.clients {
        let random = Random::new(random.next());
        clients.spawn(Box::pin(client::work(field.clone(), number, habits, random)));
    }
    clients.spawn(Box::pin(client::decide(field.clone(), Random::new(random.next()))));
}

/// A majority must go on whatever becomes of the other queens.
async fn core(field: &Field, plan: &Plan, pen: &mut Pen, random: &mut Random) {
    let mut majority: Vec<u16> = field.queens_from(field.any_queen(random)).collect();
    let minority = majority.split_off(majority.len() / 2 + 1);
    let machine = |queen: &u16| &field.queens()[usize::from(*queen) - 1];
    for queen in &majority {
        machine(queen).start();
    }
    if plan.minority == Minority::Dead {
        for queen in &minority {
            machine(queen).kill();
        }
    }
    let hosts: Vec<Host> = minority.iter().map(|queen| machine(queen).host).collect();
    each_link(field, plan.minority, &hosts, Fabric::cut);
    closing::serves(field, pen, &majority, "fresh-core").await;
    // Who is dead may be started again by the one who looks after processes; whoever is cut off stays so.
    if plan.queens % 2 == 1 && plan.minority != Minority::Dead {
        ask_too_much(field, &majority).await;
    }
    sleep(CORE_FOR).await;
    closing::serves(field, pen, &majority, "fresh-core-again").await;
    each_link(field, plan.minority, &hosts, Fabric::heal);
    for queen in &minority {
        machine(queen).start();
    }
}

/// Somebody asks for the removal of a member without whom there would be no quorum, which is to be refused: otherwise the
/// others stand still.
async fn ask_too_much(field: &Field, majority: &[u16]) {
    let follower = majority.iter().find(|queen| !field.queens()[usize::from(**queen) - 1].leads());
    if let Some(follower) = follower {
        // What comes of it is seen by what the majority does afterwards.
        let _ = field.client(majority, PATIENCE).remove_member(u64::from(*follower), false).await;
    }
}

/// Does something with each link between a minority and everybody, in the directions in which they are cut.
fn each_link(field: &Field, minority: Minority, hosts: &[Host], act: fn(&Fabric, Host, Host)) {
    let (from, to) = match minority {
        Minority::Dead => (false, false),
        Minority::Isolated => (true, true),
        Minority::Mute => (true, false),
        Minority::Deaf => (false, true),
    };
    for host in hosts {
        for other in field.machines.iter().map(|other| other.host).filter(|other| other != host) {
            if from {
                act(&field.fabric, *host, other);
            }
            if to {
                act(&field.fabric, other, *host);
            }
        }
    }
}

/// Everybody is started who does not run, and answers.
async fn heal(field: &Field) -> anyhow::Result<()> {
    for machine in &field.machines {
        machine.start();
    }
    let until = Instant::now() + UP_WITHIN;
    for queen in field.queen_ids() {
        let client = field.client(&[queen], PATIENCE);
        while let Err(error) = client.ask(&antfarm_client::Ask::read("/healthz")).await {
            ensure!(Instant::now() < until, "queen-{queen} does not come up: {error}");
            sleep(Duration::from_millis(50)).await;
        }
    }
    Ok(())
}

/// The power of all queens goes at once: what was acknowledged must be there afterwards.
async fn scan(field: &Field, pen: &mut Pen) -> anyhow::Result<()> {
    for queen in field.queens() {
        queen.cut_power();
    }
    sleep(DARK_FOR).await;
    heal(field).await?;
    closing::final_reads(field, pen).await
}

/// Starts again what ends by itself, and writes it down if it had no reason to end.
async fn keep_up(field: Field, mut exited: mpsc::UnboundedReceiver<Exit>) {
    let mut pen = field.chronicle.pen("warden");
    while let Some(Exit { machine, life, why }) = exited.recv().await {
        let Some(machine) = field.everybody().find(|one| one.number == machine).cloned() else { continue };
        let Some(disk_failed) = machine.bury(life) else { continue };
        if machine.is_dismissed() {
            continue;
        }
        if !disk_failed {
            pen.write(What::Died { process: machine.name.clone(), life, status: why });
        }
        tokio::spawn(start_again(machine));
    }
}

async fn start_again(machine: Arc<Machine>) {
    sleep(AGAIN_AFTER).await;
    machine.start();
}

/// Waits for all foragers, and gives the programs their manifests.
async fn come_up(field: &Field) -> anyhow::Result<()> {
    let until = Instant::now() + UP_WITHIN;
    let client = field.client(&field.queen_ids(), UP_WITHIN);
    loop {
        let page: Value = client.ask(&antfarm_client::Ask::read("/v1/foragers")).await?.json()?;
        let foragers = page["foragers"].as_array().cloned().unwrap_or_default();
        if foragers.iter().filter(|one| one["state"] == "ready").count() == field.foragers().len() {
            break;
        }
        ensure!(Instant::now() < until, "the cluster does not come up: {page}");
        sleep(Duration::from_millis(50)).await;
    }
    for program in &PROGRAMS {
        let mut manifest = program.manifest();
        manifest["name"] = program.name.into();
        let manifest: ManifestDocument = serde_json::from_value(manifest)?;
        client.put_tool(&manifest).await?;
    }
    Ok(())
}

fn planned(plan: &Plan) -> Planned {
    Planned {
        scenario: "sim".to_owned(),
        seed: plan.seed,
        hosts: true,
        queens: plan.queens,
        foragers: plan.foragers,
        slots: SLOTS,
        model_slots: MODEL_SLOTS,
        faults: plan.kinds(),
    }
}
