//! The program says its own name and version, whatever it is called by.

use std::process::Command;

#[test]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "runs the program itself")]
fn the_version_is_the_packages() {
    let output = Command::new(env!("CARGO_BIN_EXE_tarsus")).arg("--version").output().unwrap();
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        concat!("tarsus ", env!("CARGO_PKG_VERSION"), "\n")
    );
}
