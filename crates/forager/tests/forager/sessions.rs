//! Sessions: opened again when they break, one with each queen.

use std::time::Duration;

use antfarm_model::{Epoch, MemberId};
use antfarm_protocol::{MemberAddress, Refused, Welcome};
use tokio::time::{Instant, timeout};

use crate::queen::{Ground, Queen, start, until};

#[tokio::test]
async fn a_queen_that_sends_garbage_loses_her_session_and_gets_another() {
    let (ground, mut queen) = (Ground::new(), Queen::new(1).await);
    let _forager = start(ground.config(&[&queen])).await;
    for garbage in [vec![], vec![0; 100], vec![2, 1, 0, 99], vec![2; (4 << 20) + 1]] {
        let mut session = queen.session().await;
        session.hello().await;
        session.say_bytes(garbage).await;
        session.ends().await;
    }
    queen.lead(3).await;
}

#[tokio::test]
async fn a_refusal_ends_the_session_and_is_asked_about_again() {
    let (ground, mut queen) = (Ground::new(), Queen::new(1).await);
    let _forager = start(ground.config(&[&queen])).await;
    let mut session = queen.session().await;
    session.hello().await;
    session.say([Refused { reason: "not now".into(), retry: true }]).await;
    session.ends().await;
    queen.lead(3).await;
}

#[tokio::test]
async fn other_queens_are_learned_and_forgotten() {
    let (ground, mut one, mut two) = (Ground::new(), Queen::new(1).await, Queen::new(2).await);
    let forager = start(ground.config(&[&one])).await;
    let mut first = one.session().await;
    first.hello().await;
    let member =
        |queen: &Queen| MemberAddress { id: antfarm_model::MemberId(9), http: queen.address().as_str().into() };
    first.say([Welcome { members: vec![member(&two)], ..first.welcome() }]).await;
    let mut second = two.session().await;
    second.hello().await;
    second.say([second.welcome()]).await;
    until(&forager, |status| status.sessions == 2).await;
    // One that does not lead may be behind: whom she leaves out may be there all the same.
    first.say([Welcome { members: vec![member(&one)], ..first.welcome() }]).await;
    second.hears_nothing().await;
    let leading = Welcome { epoch: Some(Epoch(3)), leading: true, ..first.welcome() };
    first.say([Welcome { members: vec![member(&one)], ..leading }]).await;
    second.ends().await;
}

#[tokio::test]
async fn two_addresses_of_one_queen_are_one_session() {
    let (ground, mut queen) = (Ground::new(), Queen::new(1).await);
    let mut config = ground.config(&[&queen]);
    let port = queen.address().as_str().rsplit_once(':').expect("it has a port").1.to_owned();
    config.queens.push(format!("localhost:{port}").parse().expect("an address"));
    let forager = start(config).await;
    let (mut one, mut two) = (queen.session().await, queen.session().await);
    one.hello().await;
    two.hello().await;
    one.say([one.welcome()]).await;
    two.say([two.welcome()]).await;
    until(&forager, |status| status.sessions == 1).await;
    let mut left = tokio::select! {
        () = one.ends() => two,
        () = two.ends() => one,
    };
    left.hears_nothing().await;
    assert!(!queen.has_visitor(), "the other address is left alone");
    drop(left);
    queen.lead(3).await;
}

/// Sessions that end at once, after which a queen is not tried again for a second at least…
const SHORT_SESSIONS: usize = 7;

/// … unless there is a reason.
const AT_ONCE: Duration = Duration::from_millis(900);

#[tokio::test]
async fn the_others_are_tried_at_once_when_the_leader_is_gone() {
    let (ground, mut one, mut two) = (Ground::new(), Queen::new(1).await, Queen::new(2).await);
    let forager = start(ground.config(&[&one, &two])).await;
    let (leader, _) = one.lead(3).await;
    for _ in 0..SHORT_SESSIONS {
        drop(two.session().await);
    }
    until(&forager, |status| status.leader.is_some() && status.sessions == 1).await;
    let gone = Instant::now();
    drop((leader, one));
    two.lead(4).await;
    assert!(gone.elapsed() < AT_ONCE, "it waited for {:?}", gone.elapsed());
}

#[tokio::test]
async fn a_queen_that_is_said_to_lead_is_tried_at_once_however_long_she_was_away() {
    let (ground, mut one, mut two) = (Ground::new(), Queen::new(1).await, Queen::new(2).await);
    let _forager = start(ground.config(&[&one, &two])).await;
    let mut follower = one.session().await;
    follower.hello().await;
    for _ in 0..SHORT_SESSIONS {
        drop(two.session().await);
    }
    let asked = Instant::now();
    let news = Welcome { leader: Some(MemberId(2)), ..follower.welcome() };
    // Said again, because a forager that has not seen the end of the last session yet does not wait for another.
    let session = async {
        loop {
            follower.say([news.clone()]).await;
            if let Ok(session) = timeout(Duration::from_millis(50), two.session()).await {
                return session;
            }
        }
    };
    let mut leader = session.await;
    leader.hello().await;
    assert!(asked.elapsed() < AT_ONCE, "it waited for {:?}", asked.elapsed());
}
