//! Sets `checked_state` in builds that are not for production: `State::check` then runs after every apply.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(checked_state)");
    if std::env::var("PROFILE").is_ok_and(|profile| profile != "release") {
        println!("cargo::rustc-cfg=checked_state");
    }
}
