//! Five machines, set up as `docs/deploy.md` says to the letter, cut off from each other and brought back.

mod follower_cut_off;
mod forager_cut_off;
mod forager_cut_off_from_leader;
mod given;
mod guide;
mod guide_followed;
mod leader_cut_off;
mod leader_deaf;
mod leader_reset;
mod site;
