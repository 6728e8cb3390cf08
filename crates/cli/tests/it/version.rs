//! The `--version` flag.

use std::process::Command;

#[test]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "runs the program itself")]
fn version_flag_prints_the_package_version() {
    let output = Command::new(env!("CARGO_BIN_EXE_tarsus")).arg("--version").output().unwrap();
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        concat!("tarsus ", env!("CARGO_PKG_VERSION"), "\n")
    );
}
