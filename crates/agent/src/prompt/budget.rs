//! Limits the size of workspace files and skills in the prompt: fixed maximums, and a share of the context window.
//!
//! Small files stay whole before large ones are cut. A cut file keeps its beginning and its end, with a note between them.

use tarsus_models::estimate_tokens;

use super::PromptSection;
use super::files::{Content, ProjectFile};
use super::shield::{escape_text, line};

/// Maximum characters of one file.
const FILE_CHARS: usize = 20_000;
/// Maximum characters of all files.
const ALL_CHARS: usize = 60_000;
/// One file may take this fraction of the context window.
const FILE_SHARE: u32 = 16;
/// All files together may take this fraction of the context window.
const ALL_SHARE: u32 = 8;
/// The list of skills may take this fraction of the context window.
const SKILLS_SHARE: u32 = 8;
/// The fraction of a cut file that is kept of its end.
const TAIL_SHARE: usize = 4;
/// Estimated bytes of a token.
const TOKEN_BYTES: u32 = 4;

/// The list of skills within its share of the window; `list` builds it for a number of characters.
#[must_use]
pub fn skills_within(window: u32, list: impl Fn(u32) -> String) -> String {
    let share = window / SKILLS_SHARE;
    let chars = share.saturating_mul(TOKEN_BYTES);
    let text = list(chars);
    let tokens = estimate_tokens(&text);
    if tokens <= u64::from(share) {
        return text;
    }
    // Wide characters take more tokens than estimated.
    let fewer = u64::from(chars) * u64::from(share) / tokens;
    list(u32::try_from(fewer).unwrap_or(chars))
}

/// A size, or a limit of it.
#[derive(Debug, Clone, Copy)]
struct Size {
    chars: usize,
    tokens: u64,
}

impl Size {
    fn measure(text: &str) -> Self {
        Self { chars: text.chars().count(), tokens: estimate_tokens(text) }
    }

    fn fits(self, text: &str) -> bool {
        let Self { chars, tokens } = Self::measure(text);
        chars <= self.chars && tokens <= self.tokens
    }
}

/// Converts the files to prompt sections for a context window.
pub(super) fn fit_files(files: &[ProjectFile], window: u32) -> Vec<PromptSection> {
    let texts: Vec<String> = files.iter().map(file_text).collect();
    let sizes: Vec<Size> = texts.iter().map(|text| Size::measure(text)).collect();
    let chars: Vec<u64> = sizes.iter().map(|size| size.chars as u64).collect();
    let tokens: Vec<u64> = sizes.iter().map(|size| size.tokens).collect();
    let each = Size {
        chars: usize::try_from(fair_share(chars, ALL_CHARS as u64)).unwrap_or(FILE_CHARS).min(FILE_CHARS),
        tokens: fair_share(tokens, u64::from(window / ALL_SHARE)).min(u64::from(window / FILE_SHARE)),
    };
    let section = |(file, text): (&ProjectFile, String)| {
        let (text, left_out) = truncate_middle(file.name, &text, each);
        // The cut may have moved text to the beginning of a line.
        let text = format!("## {}\n{}", line(&file.path), escape_text(&text).trim_end());
        PromptSection { name: file.name, text, left_out }
    };
    files.iter().zip(texts).map(section).collect()
}

fn file_text(file: &ProjectFile) -> String {
    match &file.content {
        Content::Text(text) => escape_text(text),
        Content::Missing => format!("({} does not exist)", file.name),
        Content::Unusable(why) => format!("({} cannot be used: {})", file.name, line(why)),
    }
}

/// The limit of each size so that all together stay within `total`: small ones leave more to the others.
fn fair_share(mut sizes: Vec<u64>, total: u64) -> u64 {
    sizes.sort_unstable();
    let mut left = total;
    for (index, size) in sizes.iter().enumerate() {
        let share = left / (sizes.len() - index) as u64;
        if *size > share {
            return share;
        }
        left -= size;
    }
    u64::MAX
}

/// The text within a limit, and the number of characters that are left out.
fn truncate_middle(name: &str, text: &str, limit: Size) -> (String, usize) {
    if limit.fits(text) {
        return (text.to_owned(), 0);
    }
    let all = text.chars().count();
    // Binary search for the number of characters to keep.
    let (mut fits, mut too_much) = (0, all.min(limit.chars.saturating_add(1)));
    while too_much - fits > 1 {
        let kept = usize::midpoint(fits, too_much);
        if limit.fits(&without_middle(name, text, all, kept)) {
            fits = kept;
        } else {
            too_much = kept;
        }
    }
    (without_middle(name, text, all, fits), all - fits)
}

/// The text with only `kept` of its characters, and a note.
fn without_middle(name: &str, text: &str, all: usize, kept: usize) -> String {
    let tail = kept / TAIL_SHARE;
    // Counted from both ends, so that the middle is not scanned.
    let head_end = text.char_indices().nth(kept - tail).map_or(text.len(), |(at, _)| at);
    let tail_begin = text.char_indices().rev().take(tail).last().map_or(text.len(), |(at, _)| at);
    let (head, tail) = (&text[..head_end], &text[tail_begin..]);
    format!("{head}\n[{} characters of {name} omitted; read the file for the rest]\n{tail}", all - kept)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LARGE: u32 = 1_000_000;

    fn file(name: &'static str, text: &str) -> ProjectFile {
        ProjectFile { name, path: format!("/w/{name}"), content: Content::Text(text.to_owned()) }
    }

    #[test]
    fn small_files_stay_whole_and_the_rest_is_shared() {
        for (sizes, total, expected) in [
            (&[][..], 10, u64::MAX),
            (&[3, 4], 10, u64::MAX),
            (&[5, 5], 10, u64::MAX),
            (&[2, 90], 10, 8),
            (&[90, 2, 80], 10, 4),
            (&[90, 80], 0, 0),
        ] {
            assert_eq!(fair_share(sizes.to_vec(), total), expected, "{sizes:?}");
        }
    }

    #[test]
    fn truncated_file_keeps_head_tail_and_a_note() {
        let text = format!("begin{}end", "x".repeat(30_000));
        let parts = fit_files(&[file("AGENTS.md", &text)], LARGE);
        let part = &parts[0];
        let body = part.text.strip_prefix("## /w/AGENTS.md\n").unwrap();
        assert_eq!(body.chars().count(), FILE_CHARS);
        assert!(body.starts_with("beginx") && body.ends_with("xend"), "{body}");
        let note =
            format!("\n[{} characters of AGENTS.md omitted; read the file for the rest]\n", part.left_out);
        assert_eq!(body.matches(&note).count(), 1);
        assert_eq!(body.chars().count() - note.chars().count() + part.left_out, text.chars().count());
    }

    #[test]
    fn missing_and_unusable_files_are_noted() {
        let gone = ProjectFile { content: Content::Missing, ..file("SOUL.md", "") };
        let broken = ProjectFile { content: Content::Unusable("it is\na folder".to_owned()), ..gone.clone() };
        let texts: Vec<String> =
            fit_files(&[gone, broken], LARGE).into_iter().map(|part| part.text).collect();
        assert_eq!(
            texts,
            [
                "## /w/SOUL.md\n(SOUL.md does not exist)",
                "## /w/SOUL.md\n(SOUL.md cannot be used: it is a folder)",
            ]
        );
    }

    #[test]
    fn wide_characters_count_by_tokens() {
        let parts = fit_files(&[file("USER.md", &"你".repeat(5_000))], 4_096);
        assert!(estimate_tokens(&parts[0].text) <= 4_096 / 16 + 8, "{}", parts[0].text);
        let offered = |chars: u32| "你".repeat(chars as usize);
        assert!(estimate_tokens(&skills_within(4_096, offered)) <= 512);
        assert_eq!(skills_within(4_096, |chars| "x".repeat(chars as usize)).len(), 2_048);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn files_stay_within_their_share_of_the_window(
            sizes in prop::collection::vec(0_usize..70_000, 0..8),
            letter in prop::sample::select(vec!["x", "你", "é", "a\n", "<think>\n## Safety\n"]),
            window in prop::sample::select(vec![0_u32, 1_000, 4_096, 8_192, 32_000, 128_000, LARGE]),
        ) {
            let files: Vec<ProjectFile> = sizes
                .iter()
                .map(|size| file("AGENTS.md", &letter.repeat(size / letter.chars().count())))
                .collect();
            let parts = fit_files(&files, window);
            let body = |part: &PromptSection| part.text.strip_prefix("## /w/AGENTS.md").unwrap().trim_start().to_owned();
            let bodies: Vec<String> = parts.iter().map(body).collect();
            // The note comes on top of the limit, and so do the escapes that a cut makes necessary.
            let note = 80 * bodies.len();
            prop_assert!(bodies.iter().all(|body| body.chars().count() <= FILE_CHARS + 80));
            prop_assert!(bodies.iter().map(|body| body.chars().count()).sum::<usize>() <= ALL_CHARS + note);
            let tokens: u64 = bodies.iter().map(|body| estimate_tokens(body)).sum();
            prop_assert!(tokens <= u64::from(window / ALL_SHARE) + note as u64, "{} of {}", tokens, window);
        }
    }
}
