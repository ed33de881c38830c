//! Why a ready instance has no forager.

use antfarm_model::{Name, ToolNo};

use super::{MAX_LISTED, Obstacle, Reason, View};
use crate::forager::{Forager, ForagerState};

/// How far the place in the queue is counted.
const MAX_PLACE: usize = 10_000;

impl View<'_> {
    pub(super) fn ready(&self) -> Reason {
        let shape = self.graph.shape();
        let tool = shape.tool(self.id.node);
        let (Some(node), Some(name)) = (shape.node(self.id.node), self.state.tool_name(tool.tool)) else {
            return Reason::AboutToBeAssigned;
        };
        if let Some(pin) = node.pin {
            return self.pinned(pin, tool.tool);
        }
        let with_tool: Vec<&Forager> =
            self.state.foragers().filter(|forager| forager.tools.contains(&tool.tool)).collect();
        let (lost, there): (Vec<&Forager>, Vec<&Forager>) = with_tool.into_iter().partition(|forager| forager.lost);
        if there.is_empty() {
            let lost = lost.into_iter().take(MAX_LISTED).map(|forager| forager.name.clone()).collect();
            return Reason::NoForagerWithTool { tool: name.clone(), lost };
        }
        let obstacles: Vec<(&Forager, Option<Obstacle>)> =
            there.iter().map(|forager| (*forager, self.obstacle(forager, tool.tool))).collect();
        if obstacles.iter().any(|(_, obstacle)| obstacle.is_none()) {
            return Reason::AboutToBeAssigned;
        }
        let full = obstacles.iter().filter(|(_, obstacle)| *obstacle == Some(Obstacle::Full)).count();
        let others = obstacles
            .iter()
            .filter_map(|(forager, obstacle)| Some((forager.name.clone(), (*obstacle)?)))
            .filter(|(_, obstacle)| *obstacle != Obstacle::Full)
            .take(MAX_LISTED)
            .collect();
        if full == 0 {
            return Reason::NoForagerAvailable { tool: name.clone(), obstacles: others, count: there.len() };
        }
        let before = self.state.index.ready.place(shape, self.id, MAX_PLACE);
        if before > 0 {
            Reason::InQueue { class: tool.class, before, full }
        } else {
            Reason::NoFreeSlot { tool: name.clone(), full, others }
        }
    }

    fn pinned(&self, pin: &Name, tool: ToolNo) -> Reason {
        let obstacle = match self.state.forager_named(pin.as_str()) {
            None => Some(Obstacle::Unknown),
            Some(forager) if !forager.tools.contains(&tool) => Some(Obstacle::LacksTool),
            Some(forager) => self.obstacle(forager, tool),
        };
        obstacle.map_or(Reason::AboutToBeAssigned, |obstacle| Reason::PinNotMet { forager: pin.clone(), obstacle })
    }

    /// What keeps a forager that has the tool from taking the instance.
    fn obstacle(&self, forager: &Forager, tool: ToolNo) -> Option<Obstacle> {
        let now = self.now.elapsed;
        let standing = &forager.standing;
        match forager.state() {
            ForagerState::Lost => return Some(Obstacle::Lost),
            ForagerState::Suspect => return Some(Obstacle::Suspect),
            ForagerState::Quarantined => {
                let left = standing.quarantined_until.map(|until| until.since(now)).unwrap_or_default();
                return Some(Obstacle::Quarantined { left, reason: standing.last_reject });
            }
            ForagerState::Draining => return Some(Obstacle::Draining),
            ForagerState::Ready => {}
        }
        if !self.hears(forager) {
            return Some(Obstacle::NotConnected);
        }
        if self.liveness.contacts.get(&forager.no).is_some_and(|contact| contact.draining) {
            return Some(Obstacle::Draining);
        }
        if let Some(until) = standing.tool_quarantined_until(tool) {
            return Some(Obstacle::ToolQuarantined { left: until.since(now) });
        }
        if let Some(until) = standing.backs_off(self.id.graph, self.id.node, now) {
            return Some(Obstacle::BacksOff { left: until.since(now) });
        }
        if self.instance.open.iter().any(|open| open.forager == forager.no) {
            return Some(Obstacle::HasAttempt);
        }
        let class = self.graph.shape().tool(self.id.node).class;
        (forager.free(class, &[0; 3]) == 0).then_some(Obstacle::Full)
    }
}
