//! Leaders come and go; the highest epoch counts.

use antfarm_model::Epoch;
use antfarm_protocol::{Accept, Assign, Welcome};

use crate::queen::{Ground, Queen, attempt, confirmed, start, succeeded, until};

fn of_epoch(epoch: u64, assign: Assign) -> Assign {
    Assign { epoch: Epoch(epoch), ..assign }
}

#[tokio::test]
async fn an_end_is_reported_to_leader_after_leader_until_one_confirms_it() {
    let (ground, mut one, mut two) = (Ground::new(), Queen::new(1).await, Queen::new(2).await);
    let forager = start(ground.config(&[&one, &two])).await;
    let (mut first, _) = one.lead(3).await;
    let mut second = two.session().await;
    second.hello().await;
    second.say([second.welcome()]).await;
    first.say([ground.append(10, 0)]).await;
    assert_eq!(first.hear().await, Accept { attempts: vec![attempt(10)] }.into());
    assert_eq!(first.hear().await, succeeded(10, "null"));
    drop(first);
    let hello = second.lead(4, Some(60_000)).await;
    assert_eq!((hello.epoch_seen, &hello.ended[..]), (Epoch(4), &[attempt(10)][..]));
    assert_eq!(second.hear().await, succeeded(10, "null"));
    second.say([confirmed(4, &[10])]).await;
    until(&forager, |status| status.unconfirmed == 0).await;
    let (_third, hello) = one.lead(5).await;
    assert_eq!((hello.epoch_seen, hello.ended.len()), (Epoch(5), 0));
    assert_eq!(ground.ledger(), ["start", "end"]);
}

#[tokio::test]
async fn a_lower_epoch_is_ignored_even_by_the_next_process() {
    let (ground, mut queen) = (Ground::new(), Queen::new(1).await);
    let forager = start(ground.config(&[&queen])).await;
    let (mut session, _) = queen.lead(5).await;
    session.say([of_epoch(4, ground.append(10, 0))]).await;
    until(&forager, |status| status.stale_messages == 1).await;
    session.say([Welcome { epoch: Some(Epoch(4)), leading: true, ..session.welcome() }]).await;
    until(&forager, |status| status.stale_messages == 2).await;
    session.hears_nothing().await;
    forager.stop();
    session.ends().await;
    forager.wait().await.expect("it was asked to stop");

    let forager = start(ground.config(&[&queen])).await;
    let mut session = queen.session().await;
    assert_eq!(session.hello().await.epoch_seen, Epoch(5));
    session.say([of_epoch(4, ground.append(10, 0))]).await;
    until(&forager, |status| status.stale_messages == 1).await;
    assert!(ground.ledger().is_empty());
}

#[tokio::test]
async fn running_work_survives_a_change_of_leaders() {
    let (ground, mut one, mut two) = (Ground::new(), Queen::new(1).await, Queen::new(2).await);
    let forager = start(ground.config(&[&one, &two])).await;
    let (mut first, _) = one.lead(3).await;
    let mut second = two.session().await;
    second.hello().await;
    first.say([ground.append(10, 600_000)]).await;
    until(&forager, |status| status.running == 1).await;
    let hello = second.lead(4, Some(60_000)).await;
    assert_eq!(hello.running, [attempt(10)]);
    second.say([of_epoch(4, ground.append(10, 600_000))]).await;
    assert_eq!(second.hear().await, Accept { attempts: vec![attempt(10)] }.into());
    assert_eq!(ground.ledger(), ["start"]);
}

#[tokio::test]
async fn what_was_not_started_waits_for_the_new_leader_to_send_it_again() {
    let (ground, mut one, mut two) = (Ground::new(), Queen::new(1).await, Queen::new(2).await);
    let forager = start(ground.config(&[&one, &two])).await;
    let mut first = one.session().await;
    first.hello().await;
    first.lead(3, None).await;
    first.say([ground.append(10, 0)]).await;
    until(&forager, |status| status.unstarted == 1).await;
    let mut second = two.session().await;
    second.hello().await;
    let hello = second.lead(4, Some(60_000)).await;
    assert_eq!((&hello.running[..], &hello.unstarted[..]), (&[][..], &[attempt(10)][..]));
    second.hears_nothing().await;
    assert!(ground.ledger().is_empty(), "there is a lease now, but the new leader has not asked for it");
    second.say([of_epoch(4, ground.append(10, 0))]).await;
    assert_eq!(second.hear().await, Accept { attempts: vec![attempt(10)] }.into());
    assert_eq!(second.hear().await, succeeded(10, "null"));
}
