//! `antfarm completions`: what a shell is given works in that shell.

use std::process::{Command as Process, Stdio};

use antfarm_testkit::{Command, Scratch};

/// Whether a program is there.
fn is_there(program: &str) -> bool {
    let asked = Process::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    asked.is_ok_and(|status| status.success())
}

fn script(shell: &str) -> String {
    Command::antfarm(["completions", shell]).run().exits(0).stdout
}

/// What a shell prints that runs these lines after it read the script; nothing, if there is no such shell.
fn run_in(shell: &str, lines: &str) -> Option<String> {
    if !is_there(shell) {
        println!("{shell} is not on this machine, so only the text of its script is looked at");
        return None;
    }
    let scratch = Scratch::new();
    let file = scratch.write("script", &format!("{}\n{lines}\n", script(shell)));
    let ran = Process::new(shell).arg(file).stdin(Stdio::null()).output().expect("it runs");
    assert!(ran.status.success(), "{shell}: {}", String::from_utf8_lossy(&ran.stderr));
    Some(String::from_utf8_lossy(&ran.stdout).into_owned())
}

#[test]
fn bash_completes_commands_options_and_values() {
    assert!(script("bash").contains("complete "));
    for (typed, expected) in [
        ("antfarm gra", "graph"),
        ("antfarm graph sh", "show"),
        ("antfarm submit --wa", "--wait"),
        ("antfarm graph list --state succ", "succeeded"),
    ] {
        let words: Vec<&str> = typed.split(' ').collect();
        let (last, before) = (words[words.len() - 1], words[words.len() - 2]);
        let lines = format!(
            "COMP_WORDS=({typed}); COMP_CWORD={}; _antfarm antfarm '{last}' '{before}'; echo \"${{COMPREPLY[@]}}\"",
            words.len() - 1
        );
        if let Some(completed) = run_in("bash", &lines) {
            assert_eq!(completed.trim(), expected, "{typed}");
        }
    }
}

#[test]
fn zsh_and_fish_take_their_scripts() {
    assert!(script("zsh").starts_with("#compdef antfarm"));
    assert!(script("fish").contains("complete -c antfarm"));
    let _ = run_in("zsh", "exit 0 # read: autoload -Uz compinit is the user's");
    if let Some(completed) = run_in("fish", "complete -C 'antfarm gra'") {
        assert!(completed.starts_with("graph"), "{completed}");
    }
}
