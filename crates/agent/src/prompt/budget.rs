//! How much of a model's window the files and the skills may take: fixed amounts, and no more than a share of what the
//! model can look at.
//!
//! Promises: small files are whole before large ones are cut; a cut file keeps its beginning and its end, and says how
//! much is missing between them. Leaves to others: which files there are.

use tarsus_models::estimate_tokens;

use super::PromptSection;
use super::files::{Content, ProjectFile};
use super::shield::{line, shielded};

/// Characters of one file.
const FILE_CHARS: usize = 20_000;
/// Characters of all files.
const ALL_CHARS: usize = 60_000;
/// The part of the window that one file may take: a sixteenth.
const FILE_SHARE: u32 = 16;
/// The part of the window that all files may take: an eighth.
const ALL_SHARE: u32 = 8;
/// The part of the window that skills may take: an eighth.
const SKILLS_SHARE: u32 = 8;
/// Of what is kept of a file, the part that is its end: a quarter.
const TAIL_SHARE: usize = 4;
/// Bytes of a token, as they are estimated.
const TOKEN_BYTES: u32 = 4;

/// What `prompt` tells of skills in so many characters, within the share of the window.
#[must_use]
pub fn skills_within(window: u32, prompt: impl Fn(u32) -> String) -> String {
    let share = window / SKILLS_SHARE;
    let chars = share.saturating_mul(TOKEN_BYTES);
    let text = prompt(chars);
    let tokens = estimate_tokens(&text);
    if tokens <= u64::from(share) {
        return text;
    }
    // Letters that are tokens by themselves.
    let fewer = u64::from(chars) * u64::from(share) / tokens;
    prompt(u32::try_from(fewer).unwrap_or(chars))
}

/// How much something takes, or may take.
#[derive(Debug, Clone, Copy)]
struct Size {
    chars: usize,
    tokens: u64,
}

impl Size {
    fn of(text: &str) -> Self {
        Self { chars: text.chars().count(), tokens: estimate_tokens(text) }
    }

    fn holds(self, text: &str) -> bool {
        let Self { chars, tokens } = Self::of(text);
        chars <= self.chars && tokens <= self.tokens
    }
}

/// The files as parts of a prompt for a model with this window.
pub(super) fn fit_files(files: &[ProjectFile], window: u32) -> Vec<PromptSection> {
    let texts: Vec<String> = files.iter().map(told).collect();
    let sizes: Vec<Size> = texts.iter().map(|text| Size::of(text)).collect();
    let chars: Vec<u64> = sizes.iter().map(|size| size.chars as u64).collect();
    let tokens: Vec<u64> = sizes.iter().map(|size| size.tokens).collect();
    let each = Size {
        chars: usize::try_from(level(chars, ALL_CHARS as u64)).unwrap_or(FILE_CHARS).min(FILE_CHARS),
        tokens: level(tokens, u64::from(window / ALL_SHARE)).min(u64::from(window / FILE_SHARE)),
    };
    let part = |(file, text): (&ProjectFile, String)| {
        let (text, left_out) = cut(file.name, &text, each);
        // A cut may have brought something to the beginning of a line.
        let text = format!("## {}\n{}", line(&file.path), shielded(&text).trim_end());
        PromptSection { name: file.name, text, left_out }
    };
    files.iter().zip(texts).map(part).collect()
}

fn told(file: &ProjectFile) -> String {
    match &file.content {
        Content::Text(text) => shielded(text),
        Content::Missing => format!("({} is not there)", file.name),
        Content::Unusable(why) => format!("({} cannot be used: {})", file.name, line(why)),
    }
}

/// The most that each may take so that all together take no more than `total`: those that are small leave more to the
/// others.
fn level(mut sizes: Vec<u64>, total: u64) -> u64 {
    sizes.sort_unstable();
    let mut left = total;
    for (place, size) in sizes.iter().enumerate() {
        let share = left / (sizes.len() - place) as u64;
        if *size > share {
            return share;
        }
        left -= size;
    }
    u64::MAX
}

/// The text in this room, and how many characters of it are left out.
fn cut(name: &str, text: &str, room: Size) -> (String, usize) {
    if room.holds(text) {
        return (text.to_owned(), 0);
    }
    let all = text.chars().count();
    // The most that may be kept lies between what fits and what does not.
    let (mut fits, mut too_much) = (0, all.min(room.chars.saturating_add(1)));
    while too_much - fits > 1 {
        let kept = usize::midpoint(fits, too_much);
        if room.holds(&without_middle(name, text, all, kept)) {
            fits = kept;
        } else {
            too_much = kept;
        }
    }
    (without_middle(name, text, all, fits), all - fits)
}

/// The text with only so many of its characters.
fn without_middle(name: &str, text: &str, all: usize, kept: usize) -> String {
    let tail = kept / TAIL_SHARE;
    // Counted from both ends, so that what lies between costs nothing.
    let head_end = text.char_indices().nth(kept - tail).map_or(text.len(), |(at, _)| at);
    let tail_begin = text.char_indices().rev().take(tail).last().map_or(text.len(), |(at, _)| at);
    let (head, tail) = (&text[..head_end], &text[tail_begin..]);
    format!("{head}\n[{} characters of {name} are left out here; the file has them]\n{tail}", all - kept)
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
    fn small_files_are_whole_and_what_is_left_is_shared() {
        for (sizes, total, expected) in [
            (&[][..], 10, u64::MAX),
            (&[3, 4], 10, u64::MAX),
            (&[5, 5], 10, u64::MAX),
            (&[2, 90], 10, 8),
            (&[90, 2, 80], 10, 4),
            (&[90, 80], 0, 0),
        ] {
            assert_eq!(level(sizes.to_vec(), total), expected, "{sizes:?}");
        }
    }

    #[test]
    fn a_file_that_is_cut_keeps_head_and_tail_around_a_line_that_names_it() {
        let text = format!("begin{}end", "x".repeat(30_000));
        let parts = fit_files(&[file("AGENTS.md", &text)], LARGE);
        let part = &parts[0];
        let body = part.text.strip_prefix("## /w/AGENTS.md\n").unwrap();
        assert_eq!(body.chars().count(), FILE_CHARS);
        assert!(body.starts_with("beginx") && body.ends_with("xend"), "{body}");
        let note =
            format!("\n[{} characters of AGENTS.md are left out here; the file has them]\n", part.left_out);
        assert_eq!(body.matches(&note).count(), 1);
        assert_eq!(body.chars().count() - note.chars().count() + part.left_out, text.chars().count());
    }

    #[test]
    fn what_is_missing_or_unusable_is_line() {
        let gone = ProjectFile { content: Content::Missing, ..file("SOUL.md", "") };
        let broken = ProjectFile { content: Content::Unusable("it is\na folder".to_owned()), ..gone.clone() };
        let texts: Vec<String> =
            fit_files(&[gone, broken], LARGE).into_iter().map(|part| part.text).collect();
        assert_eq!(
            texts,
            [
                "## /w/SOUL.md\n(SOUL.md is not there)",
                "## /w/SOUL.md\n(SOUL.md cannot be used: it is a folder)",
            ]
        );
    }

    #[test]
    fn wide_letters_count_as_the_tokens_that_they_are() {
        let parts = fit_files(&[file("USER.md", &"你".repeat(5_000))], 4_096);
        assert!(estimate_tokens(&parts[0].text) <= 4_096 / 16 + 8, "{}", parts[0].text);
        let offered = |chars: u32| "你".repeat(chars as usize);
        assert!(estimate_tokens(&skills_within(4_096, offered)) <= 512);
        assert_eq!(skills_within(4_096, |chars| "x".repeat(chars as usize)).len(), 2_048);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn all_files_together_stay_within_their_share(
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
            // The line that says what is left out is always there, and a cut may make an escape necessary.
            let note = 80 * bodies.len();
            prop_assert!(bodies.iter().all(|body| body.chars().count() <= FILE_CHARS + 80));
            prop_assert!(bodies.iter().map(|body| body.chars().count()).sum::<usize>() <= ALL_CHARS + note);
            let tokens: u64 = bodies.iter().map(|body| estimate_tokens(body)).sum();
            prop_assert!(tokens <= u64::from(window / ALL_SHARE) + note as u64, "{} of {}", tokens, window);
        }
    }
}
