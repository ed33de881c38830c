//! Whether the programs of tools are there, before nodes fail because they are not.

use std::env;
use std::path::Path;

use rustix::fs::{Access, access};

use crate::tools_file::{Tool, faulty};

/// Checks that every program can be run on this machine; tells of all that cannot. `name` is the file of the tools.
pub(crate) fn can_be_run(name: &str, tools: &[Tool]) -> anyhow::Result<()> {
    let fault = |tool: &Tool| {
        let program = tool.command.as_ref()?.first()?;
        let why = check(program).err()?;
        Some(format!("tools.{}.command: {why}", tool.manifest.name))
    };
    let faults: Vec<String> = tools.iter().filter_map(fault).collect();
    if faults.is_empty() { Ok(()) } else { Err(faulty(name, &faults)) }
}

fn check(program: &str) -> Result<(), String> {
    if !program.contains('/') {
        let path = env::var_os("PATH").unwrap_or_default();
        if env::split_paths(&path).any(|folder| is_program(&folder.join(program))) {
            return Ok(());
        }
        return Err(format!(
            "no folder of PATH has a program {program}: install it, or write ./{program} if it stands beside this file"
        ));
    }
    let path = Path::new(program);
    if !path.exists() {
        return Err(format!("there is no {program}: correct the path"));
    }
    if !is_program(path) {
        return Err(format!("{program} is not executable: chmod +x {program}"));
    }
    Ok(())
}

fn is_program(path: &Path) -> bool {
    path.is_file() && access(path, Access::EXEC_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_cannot_be_run_is_told_with_the_way_out() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let script = folder.path().join("count");
        let script = script.to_str().expect("UTF-8");
        assert!(check(script).expect_err("it is missing").starts_with("there is no "));
        std::fs::write(script, "#!/bin/sh\n").expect("a file");
        assert!(check(script).expect_err("it is no program").ends_with(&format!("chmod +x {script}")));
        assert!(check("no-such-program").expect_err("it is missing").contains("./no-such-program"));
        assert_eq!(check("sh"), Ok(()));
        assert_eq!(check("/bin/sh"), Ok(()));
    }
}
