//! The world of a plan: machines on a network, and everybody who looks on.

use std::sync::Arc;

use antfarm_forager::{ForagerConfig, QueenAddress, ToolProgram};
use antfarm_model::Name;
use antfarm_queen::QueenConfig;
use tokio::sync::mpsc;

use super::chronicle::Chronicle;
use super::clock::{Clocks, Time, env};
use super::diary::Diary;
use super::engine::Pace;
use super::field::{Field, Ground, HTTP_PORT, RAFT_PORT, http};
use super::life::Life;
use super::machine::{Daemon, Exit, Machine, Place};
use super::network::{Fabric, Host, net};
use super::plan::Plan;
use super::sink::Sink;
use crate::random::Random;
use crate::work::PROGRAMS;

pub(super) const SLOTS: u32 = 6;

/// And of the class `model`.
pub(super) const MODEL_SLOTS: u32 = 2;

/// Short, so that foragers are lost within a run.
const LEASE_TTL: &str = "3s";
const LEASE_HEARTBEAT: &str = "300ms";
const KILL_GRACE: &str = "500ms";

/// Queens that may come later. Their ids follow those of the first ones.
const NEWCOMERS: u16 = 3;

/// Where foragers are.
const FORAGER_HOSTS: u16 = 10;

/// Where clients are.
const CLIENTS_HOST: Host = Host(200);

/// Builds the world of a plan. Nothing runs yet; ends that nobody brought about come out at the receiver.
pub(super) fn build(plan: &Plan, time: Time, chronicle: Chronicle) -> (Field, mpsc::UnboundedReceiver<Exit>) {
    let mut random = Random::new(plan.seed);
    let fabric = Fabric::new(Random::new(random.next()));
    let sink = Sink::new(time);
    let (exits, exited) = mpsc::unbounded_channel();
    let mut machines = Vec::new();
    let mut machine = |name: String, host: Host, daemon: Daemon| {
        let wrong_ms = i64::try_from(random.below(2 * plan.skew_ms + 1)).unwrap_or(0) - plan.skew_ms.cast_signed();
        let untold_ms = if let Daemon::Queen(_) = daemon { plan.untold_skew_ms } else { 0 };
        let place = Place {
            number: machines.len(),
            name,
            host,
            clocks: Clocks::new(time, wrong_ms + untold_ms),
            pace: Pace { slow_ms: plan.sync_ms, lies: plan.disks_lie },
            sink: sink.clone(),
            fabric: fabric.clone(),
            diary: Diary::new(&chronicle, host.0),
            exits: exits.clone(),
            random: Random::new(random.next()),
        };
        machines.push(Arc::new(Machine::new(place, daemon)));
    };
    for id in 1..=plan.queens {
        machine(format!("queen-{id}"), Host(id), Daemon::Queen(Box::new(queen(id, plan))));
    }
    for number in 1..=plan.foragers {
        let name = format!("forager-{number}");
        let config = Daemon::Forager(Box::new(forager(&name, plan.queens)));
        machine(name, Host(FORAGER_HOSTS + number), config);
    }
    let config = Daemon::Forager(Box::new(forager("forager-1", plan.queens)));
    machine("impostor".to_owned(), Host(FORAGER_HOSTS), config);
    for id in plan.queens + 1..=plan.queens + NEWCOMERS {
        machine(format!("queen-{id}"), Host(id), Daemon::Queen(Box::new(queen(id, plan))));
    }
    let newcomers = machines.split_off(machines.len() - usize::from(NEWCOMERS));
    let impostor = machines.pop().expect("it was pushed before them");
    let clients = Life::new("clients", 1, Random::new(random.next()));
    let ground = Ground {
        time,
        sink,
        chronicle,
        queens: plan.queens,
        impostor,
        newcomers,
        env: env(&clients, &Clocks::new(time, 0)),
        net: net(&fabric, CLIENTS_HOST),
        clients,
        fabric,
        machines,
    };
    (Field::new(ground), exited)
}

fn queen(id: u16, plan: &Plan) -> QueenConfig {
    let raft = |id| Host(id).address(RAFT_PORT);
    let first = 1..=plan.queens;
    let cluster = if first.contains(&id) {
        let member = |id| format!("{{ id = {id}, http = \"{}\", raft = \"{}\" }}", http(id), raft(id));
        format!("initial_members = [{}]", first.map(member).collect::<Vec<_>>().join(", "))
    } else {
        format!("join = [{}]", first.map(|id| format!("\"{}\"", raft(id))).collect::<Vec<_>>().join(", "))
    };
    let text = format!(
        "id = {id}\ncluster_id = \"chaos\"\ninsecure = true\ndata_dir = \"/queen\"\nhttp = \"{}\"\n\
         {cluster}\n[raft]\naddress = \"{}\"\n[lease]\nttl = \"{LEASE_TTL}\"\nheartbeat = \"{LEASE_HEARTBEAT}\"\n\
         [storage]\nsnapshot_floor = \"{}B\"\nentries_kept = {}\n",
        http(id),
        raft(id),
        plan.snapshot_floor,
        plan.entries_kept,
    );
    QueenConfig::parse(&text, &[]).expect("it is valid")
}

fn forager(name: &str, queens: u16) -> ForagerConfig {
    let queens = (1..=queens).map(|id| Host(id).address(HTTP_PORT).parse::<QueenAddress>().expect("an address"));
    let mut config = ForagerConfig::new(Name::new(name).expect("a name"), queens.collect(), "/forager");
    config.slots = SLOTS;
    config.class_slots.insert(antfarm_model::CostClass::Model, MODEL_SLOTS);
    config.kill_grace = KILL_GRACE.parse().expect("a length of time");
    for program in &PROGRAMS {
        let name = Name::new(program.name).expect("a name");
        config.tools.insert(name, ToolProgram { command: vec![program.name.to_owned()] });
    }
    config
}
