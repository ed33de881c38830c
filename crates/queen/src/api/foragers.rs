//! Foragers: list, look, drain, undrain.

use antfarm_model::{CostClass, Elapsed, ForagerNo};
use antfarm_scheduler::{Command, Forager, Liveness, Now, RejectReason, Standing, State as Scheduler};
use axum::Json;
use axum::extract::{Path, State};
use serde::Serialize;

use super::Api;
use super::ask::{Asked, Page, Plain};
use super::problem::Problem;

/// Open attempts that are listed with a forager.
const MAX_ATTEMPTS: usize = 1_000;

#[derive(Serialize)]
pub(super) struct ForagerPage {
    foragers: Vec<ForagerView>,
    next: Option<String>,
}

#[derive(Serialize)]
pub(super) struct ForagerView {
    name: String,
    state: &'static str,
    incarnation: u64,
    slots: u32,
    free_slots: u32,
    /// By class, where it is limited.
    class_slots: ByClass<Option<u32>>,
    prefetch: u32,
    open_attempts: ByClass<usize>,
    tools: Vec<String>,
    draining: bool,
    /// Decisions in a row of which it rejected something.
    rejects: u32,
    /// Why it gets nothing for a while.
    #[serde(skip_serializing_if = "Option::is_none")]
    quarantine: Option<QuarantineView>,
    /// Tools of which it gets nothing for a while, because too much of them failed there at once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_quarantines: Vec<ToolQuarantineView>,
    /// Nodes that it would not run and that wait until it is asked again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    backoffs: Vec<BackoffView>,
    /// Milliseconds since it was heard; known to the leader only.
    heard_ms_ago: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    attempts: Option<Vec<HeldView>>,
}

#[derive(Serialize)]
pub(super) struct ByClass<T> {
    pub(super) cpu: T,
    pub(super) io: T,
    pub(super) model: T,
}

/// A quarantine for too many rejections in a row.
#[derive(Serialize)]
struct QuarantineView {
    left_ms: u64,
    /// Why it rejected last.
    reason: Option<&'static str>,
}

#[derive(Serialize)]
struct ToolQuarantineView {
    tool: String,
    left_ms: u64,
    /// Quick failures in a row.
    failures: u32,
}

#[derive(Serialize)]
struct BackoffView {
    graph: String,
    node: String,
    left_ms: u64,
}

/// What a forager was told to run.
#[derive(Serialize)]
struct HeldView {
    graph: String,
    node: String,
    index: u32,
    fence: u64,
    started: bool,
    /// Whether it is to be cancelled.
    cancelled: bool,
}

impl<T> ByClass<T> {
    pub(super) fn new(of: impl Fn(CostClass) -> T) -> Self {
        Self { cpu: of(CostClass::Cpu), io: of(CostClass::Io), model: of(CostClass::Model) }
    }
}

/// In registry order; `after` is a name.
pub(super) async fn list(State(api): State<Api>, Asked(page): Asked<Page>) -> Result<Json<ForagerPage>, Problem> {
    let limit = page.limit()?;
    let hearing = api.hearing();
    let (foragers, next) = api.shared.replica.read(|state| {
        let all: Box<dyn Iterator<Item = &Forager>> = match &page.after {
            Some(after) => Box::new(state.foragers_after(find(state, after)?.no)),
            None => Box::new(state.foragers()),
        };
        let wanted = |forager: &&Forager| page.state.as_deref().is_none_or(|wanted| wanted == forager.state().as_str());
        let mut foragers = all.filter(wanted);
        let shown: Vec<&Forager> = foragers.by_ref().take(limit).collect();
        let next = foragers.next().and(shown.last()).map(|last| last.name.to_string());
        Ok::<_, Problem>((shown.into_iter().map(|forager| view(state, forager, hearing.as_ref())).collect(), next))
    })?;
    Ok(Json(ForagerPage { foragers, next }))
}

pub(super) async fn show(
    State(api): State<Api>,
    Path(name): Path<String>,
    _: Asked<Plain>,
) -> Result<Json<ForagerView>, Problem> {
    api.forager_view(&name).map(Json)
}

pub(super) async fn drain(
    state: State<Api>,
    name: Path<String>,
    query: Asked<Plain>,
) -> Result<Json<ForagerView>, Problem> {
    change(state, name, query, |forager| Command::Drain { forager }).await
}

pub(super) async fn undrain(
    state: State<Api>,
    name: Path<String>,
    query: Asked<Plain>,
) -> Result<Json<ForagerView>, Problem> {
    change(state, name, query, |forager| Command::Undrain { forager }).await
}

async fn change(
    State(api): State<Api>,
    Path(name): Path<String>,
    _: Asked<Plain>,
    command: fn(ForagerNo) -> Command,
) -> Result<Json<ForagerView>, Problem> {
    let forager = api.shared.replica.read(|state| find(state, &name).map(|forager| forager.no))?;
    api.propose(command(forager)).await?;
    api.forager_view(&name).map(Json)
}

impl Api {
    fn forager_view(&self, name: &str) -> Result<ForagerView, Problem> {
        let hearing = self.hearing();
        self.shared.replica.read(|state| {
            let forager = find(state, name)?;
            let attempts = forager.attempts().take(MAX_ATTEMPTS).map(|(id, attempt)| {
                let shape = state.graph(id.instance.graph).map(antfarm_scheduler::GraphRecord::shape);
                let node = shape.and_then(|shape| shape.node(id.instance.node));
                HeldView {
                    graph: shape.map(|shape| shape.graph().id.to_string()).unwrap_or_default(),
                    node: node.map(|node| node.id.to_string()).unwrap_or_default(),
                    index: id.instance.index,
                    fence: id.fence.0,
                    started: attempt.started_at.is_some(),
                    cancelled: attempt.cancel.is_some(),
                }
            });
            Ok(ForagerView { attempts: Some(attempts.collect()), ..view(state, forager, hearing.as_ref()) })
        })
    }

    /// Whom this queen hears, and the time, if it leads.
    pub(super) fn hearing(&self) -> Option<(Liveness, Now)> {
        self.shared.hearing.read().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }
}

fn find<'a>(state: &'a Scheduler, name: &str) -> Result<&'a Forager, Problem> {
    state.forager_named(name).ok_or_else(|| {
        Problem::not_found(format!(
            "no forager {name:?} has registered, or it was lost long ago: `antfarm forager list` shows those that have"
        ))
    })
}

fn view(state: &Scheduler, forager: &Forager, hearing: Option<&(Liveness, Now)>) -> ForagerView {
    let elapsed = hearing.map_or_else(|| state.elapsed(), |(_, now)| now.elapsed);
    let standing = &forager.standing;
    let contact = hearing.and_then(|(liveness, now)| Some((liveness.contacts.get(&forager.no)?, now)));
    let tools = forager.tools.iter().filter_map(|tool| state.tool_name(*tool)).map(ToString::to_string);
    ForagerView {
        name: forager.name.to_string(),
        state: forager.state().as_str(),
        incarnation: forager.incarnation.0,
        slots: forager.slots,
        free_slots: forager.slots.saturating_sub(forager.open_count()),
        class_slots: ByClass::new(|class| forager.class_slots[class.index()]),
        prefetch: forager.prefetch,
        open_attempts: ByClass::new(|class| forager.open[class.index()].len()),
        tools: tools.collect(),
        draining: forager.draining,
        rejects: standing.rejects,
        quarantine: standing.quarantined_until.map(|until| QuarantineView {
            left_ms: until.since(elapsed).0,
            reason: standing.last_reject.map(RejectReason::as_str),
        }),
        tool_quarantines: tool_quarantines(state, standing, elapsed),
        backoffs: backoffs(state, standing, elapsed),
        heard_ms_ago: contact.map(|(contact, now)| now.elapsed.since(contact.heard_at).0),
        attempts: None,
    }
}

fn tool_quarantines(state: &Scheduler, standing: &Standing, now: Elapsed) -> Vec<ToolQuarantineView> {
    let quarantined = standing.tools().filter_map(|(tool, standing)| {
        let left_ms = standing.quarantined_until?.since(now).0;
        Some(ToolQuarantineView { tool: state.tool_name(tool)?.to_string(), left_ms, failures: standing.failures })
    });
    quarantined.collect()
}

fn backoffs(state: &Scheduler, standing: &Standing, now: Elapsed) -> Vec<BackoffView> {
    let waiting = standing.backoffs(now).filter_map(|(graph, node, until)| {
        let shape = state.graph(graph)?.shape();
        let (graph, node) = (shape.graph().id.to_string(), shape.node(node)?.id.to_string());
        Some(BackoffView { graph, node, left_ms: until.since(now).0 })
    });
    waiting.collect()
}
