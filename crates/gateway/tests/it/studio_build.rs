//! The build script's steps: when npm runs, how its failures are reported, and the generated table of assets.

#[path = "../../build/files.rs"]
mod files;
#[path = "../../build/studio.rs"]
mod studio;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use studio::Studio;
use tempfile::TempDir;

/// Says what it is called with; makes a page as Vite would, and fails when another one is being made.
const NPM: &str = r#"#!/bin/sh
printf '%s\n' "$*" >> calls
case $1 in
  ci) mkdir -p node_modules ;;
  run)
    mkdir building || { echo 'two at once'; exit 9; }
    mkdir -p "$5/assets" && printf '<script src="/assets/index-1.js">' > "$5/index.html"
    printf 'let page' > "$5/assets/index-1.js"
    rmdir building ;;
esac
"#;

struct Scene {
    folder: TempDir,
}

impl Scene {
    fn new(npm: &str) -> Self {
        let folder = TempDir::new().unwrap();
        fs::create_dir_all(folder.path().join("studio/src")).unwrap();
        let scene = Self { folder };
        for (name, text) in [("package.json", "{}"), ("package-lock.json", "{}"), ("src/main.ts", "1")] {
            scene.write(name, text);
        }
        let program = scene.folder.path().join("npm");
        fs::write(&program, npm).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        scene
    }

    fn studio(&self, out: &str) -> Studio {
        let [folder, out, npm] = ["studio", out, "npm"].map(|name| self.folder.path().join(name));
        fs::create_dir_all(&out).unwrap();
        Studio { folder, out, npm }
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join("studio").join(name), text).unwrap();
    }

    /// The npm commands since the last call.
    fn calls(&self) -> Vec<String> {
        let path = self.folder.path().join("studio/calls");
        let calls = fs::read_to_string(&path).unwrap_or_default();
        fs::write(&path, "").unwrap();
        calls.lines().filter_map(|call| call.split(' ').next()).map(str::to_owned).collect()
    }
}

#[test]
fn unchanged_sources_and_lock_skip_npm() {
    let scene = Scene::new(NPM);
    let studio = scene.studio("out");
    let page = studio.build().unwrap();
    assert_eq!(page, studio.out.join("studio"));
    assert!(page.join("index.html").is_file());
    assert_eq!(scene.calls(), ["--version", "ci", "run"]);

    studio.build().unwrap();
    assert_eq!(scene.calls(), [] as [&str; 0]);

    scene.write("src/main.ts", "2");
    studio.build().unwrap();
    assert_eq!(scene.calls(), ["--version", "run"]);

    fs::rename(studio.folder.join("src/main.ts"), studio.folder.join("src/other.ts")).unwrap();
    studio.build().unwrap();
    assert_eq!(scene.calls(), ["--version", "run"], "another name is another source");

    scene.write("package-lock.json", "{ }");
    studio.build().unwrap();
    assert_eq!(scene.calls(), ["--version", "ci", "run"]);

    scene.studio("release").build().unwrap();
    assert_eq!(scene.calls(), ["--version", "run"], "the packages are shared");
}

#[test]
fn concurrent_builds_take_turns() {
    let scene = Scene::new(NPM);
    let studios = ["debug", "release", "windows", "check"].map(|out| scene.studio(out));
    std::thread::scope(|scope| {
        let made = studios.each_ref().map(|studio| scope.spawn(|| studio.build()));
        made.into_iter().for_each(|made| drop(made.join().unwrap().unwrap()));
    });
    let mut calls = scene.calls();
    calls.sort();
    assert_eq!(calls, [vec!["--version"; 4], vec!["ci"], vec!["run"; 4]].concat());
}

#[test]
fn failed_build_reports_reason() {
    let scene = Scene::new("#!/bin/sh\n[ $1 != ci ] || mkdir node_modules\n");
    assert_eq!(scene.studio("out").build().unwrap_err().why, "`npm run build` created no index.html");

    let odd = "#!/bin/sh\n[ $1 = ci ] || exit 0\nseq 1 30\necho >&2\necho 'the lock is odd' >&2\nexit 3\n";
    let scene = Scene::new(odd);
    let error = scene.studio("out").build().unwrap_err();
    assert_eq!(error.why, "`npm ci` failed (exit status: 3)");
    assert_eq!(error.output.len(), 25);
    assert_eq!(error.output[10..15], ["11", "12", "…", "20", "21"]);
    assert_eq!(error.output[24], "the lock is odd");

    let mut studio = scene.studio("out");
    studio.npm = scene.folder.path().join("no-npm");
    assert_eq!(studio.build().unwrap_err().why, "npm is not installed: install Node 20.19 or later");

    fs::remove_file(scene.folder.path().join("studio/package.json")).unwrap();
    let studio = scene.studio("out");
    assert_eq!(studio.build().unwrap_err().why, format!("{} has no package.json", studio.folder.display()));
    assert_eq!(
        studio.watched(),
        std::slice::from_ref(&studio.folder),
        "a package.json that appears is noticed"
    );
}

#[test]
fn failed_build_is_retried() {
    let scene = Scene::new("#!/bin/sh\nexit 3\n");
    assert_eq!(scene.studio("out").build().unwrap_err().why, "`npm --version` failed (exit status: 3)");
    fs::write(scene.folder.path().join("npm"), NPM).unwrap();
    scene.studio("out").build().unwrap();
}

#[test]
fn page_files_become_a_table() {
    let folder = TempDir::new().unwrap();
    let (page, out) = (folder.path().join("page"), folder.path().join("out"));
    let put = |name: &str, text: &str| {
        let path = page.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    put("index.html", "<!doctype html>");
    put("assets/index-4f.js", &"let page = 1;\n".repeat(100));
    let list = files::list(&page, &out).unwrap();
    let rows: Vec<&str> = list.lines().map(str::trim).collect();
    assert_eq!(rows.len(), 4, "{list}");
    let script = r#"File { path: "/assets/index-4f.js", kind: "text/javascript; charset=utf-8", hash: ""#;
    assert!(rows[1].starts_with(script) && rows[1].contains("gzip: Some("), "{list}");
    let html = r#"File { path: "/", kind: "text/html; charset=utf-8", hash: ""#;
    assert!(rows[2].starts_with(html) && rows[2].contains("gzip: None"), "{list}");

    let wrong = |name: &str| {
        put(name, "");
        let error = files::list(&page, &out).unwrap_err();
        fs::remove_file(page.join(name)).unwrap();
        error.replace(&format!("{}/", page.display()), "")
    };
    assert_eq!(wrong("assets/{id}.js"), "assets/{id}.js: a name with odd characters");
    assert_eq!(wrong("assets/é.js"), "assets/é.js: a name with odd characters");
    assert_eq!(wrong("notes.doc"), "notes.doc: of no known kind");
    assert_eq!(wrong("CNAME"), "CNAME: of no known kind");
    assert!(files::list(Path::new("no/page"), &out).unwrap_err().starts_with("no/page: "));
}
