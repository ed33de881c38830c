//! Sentries guard one attempt after the other, and what is left of one attempt the next does not meet.

use antfarm_forager::{ForagerConfig, ToolProgram};
use antfarm_protocol::{ForagerMessage, Outcome, TaskResult};

use crate::queen::{Ground, Queen, Session, assign, attempt, is_alive, name, start};

/// Says by whom it was started, and leaves something that hides in a session of its own.
const SCRIPT: &str = "setsid sleep 600 >/dev/null 2>&1 &\necho \"[$PPID, $!]\"\n";

/// The same script as `t`, which is guarded, and as `p`, which is pure.
fn config(ground: &Ground, queen: &Queen) -> ForagerConfig {
    let mut config = ground.config_with(&[queen], SCRIPT);
    let command = vec!["/bin/sh".to_owned(), ground.path("t").display().to_string()];
    config.tools.insert(name("p"), ToolProgram { command });
    config
}

/// Runs a tool; says who its sentry was, and which process it left.
async fn run(session: &mut Session, fence: u64, tool: &str) -> (u32, u32) {
    session.say([assign(fence, tool, "null")]).await;
    loop {
        match session.hear().await {
            ForagerMessage::Accept(_) => {}
            ForagerMessage::Result(TaskResult { attempt: ended, outcome: Outcome::Succeeded { result } }) => {
                assert_eq!(ended, attempt(fence));
                let numbers = result.as_str().trim_matches(['[', ']']);
                let (sentry, left) = numbers.split_once(',').expect("two numbers");
                let number = |text: &str| text.trim().parse().expect("a process id");
                return (number(sentry), number(left));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn what_is_not_guarded_shares_a_sentry_and_finds_nothing_of_the_attempt_before() {
    let (ground, mut queen) = (Ground::new(), Queen::new(1).await);
    let _forager = start(config(&ground, &queen)).await;
    let (mut session, _) = queen.lead(3).await;
    let mut sentries = Vec::new();
    for fence in 10..14 {
        let (sentry, left) = run(&mut session, fence, "p").await;
        assert!(!is_alive(left), "its end was told before everything of it was gone");
        sentries.push(sentry);
    }
    sentries.dedup();
    assert_eq!(sentries.len(), 1, "one sentry is enough for one after the other: {sentries:?}");
}

#[tokio::test]
async fn what_is_guarded_has_a_sentry_of_its_own() {
    let (ground, mut queen) = (Ground::new(), Queen::new(1).await);
    let _forager = start(config(&ground, &queen)).await;
    let (mut session, _) = queen.lead(3).await;
    let mut sentries = Vec::new();
    for (fence, tool) in [(10, "p"), (11, "t"), (12, "t"), (13, "p")] {
        let (sentry, left) = run(&mut session, fence, tool).await;
        assert!(!is_alive(left), "its end was told before everything of it was gone");
        sentries.push(sentry);
    }
    let [first, second, third, fourth] = sentries[..] else { panic!("four have run") };
    assert_eq!(first, fourth, "the others share one");
    assert!(![first, third].contains(&second) && third != first, "{sentries:?}");
}
