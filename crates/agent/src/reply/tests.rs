use proptest::prelude::*;

use super::*;

/// The text split at these positions, rounded to characters.
pub(super) fn pieces<'t>(text: &'t str, cuts: &[usize]) -> Vec<&'t str> {
    let mut positions: Vec<usize> = cuts.iter().map(|cut| text.floor_char_boundary(*cut)).collect();
    positions.extend([0, text.len()]);
    positions.sort_unstable();
    positions.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect()
}

fn filter_whole(options: FilterOptions, text: &str) -> Reply {
    let mut filter = ReplyFilter::new(options);
    filter.push(text);
    filter.finish()
}

const PLAIN: FilterOptions = FilterOptions { heartbeat: false, group: false };
const GROUP: FilterOptions = FilterOptions { group: true, ..PLAIN };
const HEARTBEAT: FilterOptions = FilterOptions { heartbeat: true, ..PLAIN };

#[test]
fn reasoning_is_removed_from_the_text_and_kept() {
    for (text, shown, thinking) in [
        ("Hello.", "Hello.", ""),
        ("<think>a</think>\n\nHello.\n", "Hello.", "a"),
        ("<THINK>a</Think>Hello <think>b</think>there.", "Hello there.", "a\nb"),
        ("Hello.<think>never closed", "Hello.", "never closed"),
        ("Hello.</think> There.", "Hello. There.", ""),
        ("<think>a <think> b</think>c</think>d", "cd", "a  b"),
        ("1 <2 <thin <thinker> </final", "1 <2 <thin <thinker> </final", ""),
        ("<<think>a</think>b", "<b", "a"),
        ("Write `<think>` and `</think>`.", "Write `<think>` and `</think>`.", ""),
        ("<think>a</think><final>b</final> c", "b", "a\n c"),
        ("<final>a</final>b<final>c</final>", "ac", "b"),
        ("a</final>b", "ab", ""),
        ("a <final>b</final> c", "b", "a  c"),
        ("analysis text <final>Hey</final>", "Hey", "analysis text"),
        ("x<think>a</think>y<final>b</final> c", "b", "a\nxy c"),
        ("<think>a</think>no tag at all", "no tag at all", "a"),
        ("<final>cut o", "cut o", ""),
        ("text <final>", "", "text"),
        ("NO_REPLY<final>Yes.", "Yes.", "NO_REPLY"),
        ("<think><final>a</final>", "", "a"),
    ] {
        let reply = filter_whole(PLAIN, text);
        assert_eq!((reply.text.as_str(), reply.thinking.as_str()), (shown, thinking), "{text:?}");
        assert!(!reply.silent);
    }
}

#[test]
fn late_final_withdraws_emitted_text_once() {
    let mut filter = ReplyFilter::new(PLAIN);
    let emitted =
        ["Let me ", "see. <fi", "nal>Hey", "</final> bye <final>you</final>"].map(|piece| filter.push(piece));
    let emits = |text: &str| Emitted { text: text.to_owned(), ..Emitted::default() };
    let hey = Emitted { withdraws: true, thinking: "Let me see. ".to_owned(), ..emits("Hey") };
    let you = Emitted { thinking: " bye ".to_owned(), ..emits("you") };
    assert_eq!(emitted, [emits("Let me"), emits(" see."), hey, you]);
    let reply = filter.finish();
    assert_eq!((reply.text.as_str(), reply.rest.as_str()), ("Heyyou", ""));
    assert_eq!(reply.thinking, "Let me see.  bye");
    let mut unseen = ReplyFilter::new(PLAIN);
    assert!(!unseen.push("<think>a</think>\n<final>b").withdraws, "nothing was shown");
    assert!(!unseen.push("</final> c").withdraws);
}

#[test]
fn reply_tag_counts_only_at_the_start() {
    let id = |id: &str| Some(ReplyTo::Id(id.to_owned()));
    for (text, shown, reply_to) in [
        ("[[reply_to_current]] Yes.", "Yes.", Some(ReplyTo::Current)),
        ("\n [[ reply_to_current ]]\nYes.", "Yes.", Some(ReplyTo::Current)),
        ("<think>a</think>[[reply_to: 12 ]]Yes.", "Yes.", id("12")),
        ("<final>[[reply_to:12]] Yes.</final>", "Yes.", id("12")),
        ("[[reply_to:1]][[reply_to:2]] Yes.", "[[reply_to:2]] Yes.", id("1")),
        ("Yes. [[reply_to_current]]", "Yes. [[reply_to_current]]", None),
        ("[[reply_to:]] Yes.", "[[reply_to:]] Yes.", None),
        ("[[reply_to_cur", "[[reply_to_cur", None),
        ("[[reply_to_current]]", "", Some(ReplyTo::Current)),
        ("[[reply_to_current]] <final>Yes.</final>", "Yes.", Some(ReplyTo::Current)),
        ("[[reply_to:1]]<final>[[reply_to:2]] Yes.", "Yes.", id("2")),
    ] {
        let reply = filter_whole(PLAIN, text);
        assert_eq!((reply.text.as_str(), reply.reply_to), (shown, reply_to), "{text:?}");
    }
}

#[test]
fn silence_token_must_be_the_whole_reply() {
    let long = "x".repeat(301);
    let with_token = format!("HEARTBEAT_OK {long}");
    let before_token = format!("{long}\nHEARTBEAT_OK");
    let both = format!("HEARTBEAT_OK\n{long} HEARTBEAT_OK");
    let short = format!("{} HEARTBEAT_OK", "ä".repeat(300));
    let inside = format!("{long} HEARTBEAT_OK {long}");
    for (options, text, shown, silent) in [
        (PLAIN, "NO_REPLY", "", true),
        (PLAIN, " \nNO_REPLY \n\n", "", true),
        (PLAIN, "<think>x</think>NO_REPLY", "", true),
        (PLAIN, "[[reply_to_current]] NO_REPLY", "", true),
        (PLAIN, "<final>NO_REPLY</final>", "", true),
        (PLAIN, "Nothing to say. <final>NO_REPLY</final>", "", true),
        (PLAIN, "NO_REPLY is a token", "NO_REPLY is a token", false),
        (PLAIN, "NO_REPLY.", "NO_REPLY.", false),
        (PLAIN, "Fine. NO_REPLY", "Fine. NO_REPLY", false),
        (PLAIN, "NO_REPL", "NO_REPL", false),
        (PLAIN, "no_reply", "no_reply", false),
        (PLAIN, "", "", false),
        (PLAIN, "HEARTBEAT_OK", "HEARTBEAT_OK", false),
        (GROUP, "HEARTBEAT_OK\n", "", true),
        (GROUP, "HEARTBEAT_OK then", "HEARTBEAT_OK then", false),
        (HEARTBEAT, "HEARTBEAT_OK", "", true),
        (HEARTBEAT, "**x** HEARTBEAT_OK", "", true),
        (HEARTBEAT, "HEARTBEAT_OK.", "", true),
        (HEARTBEAT, &short, "", true),
        (HEARTBEAT, "NO_REPLY", "", true),
        (HEARTBEAT, &with_token, &long, false),
        (HEARTBEAT, &before_token, &long, false),
        (HEARTBEAT, &both, &long, false),
        (HEARTBEAT, &inside, &inside, false),
        (HEARTBEAT, "HEARTBEAT_OKAY", "HEARTBEAT_OKAY", false),
        (HEARTBEAT, "The mail server is down.", "The mail server is down.", false),
    ] {
        let reply = filter_whole(options, text);
        assert_eq!((reply.text.as_str(), reply.silent), (shown, silent), "{options:?} {text:?}");
    }
}

#[test]
fn possible_tags_are_held_back() {
    let mut filter = ReplyFilter::new(GROUP);
    let shown = ["[[re", "ply_to:7]", "] HEART", "Y <thi", "nk>secret</th", "ink> soup \n", "<", "b>"]
        .map(|piece| filter.push(piece).text);
    // White space is emitted with the text after it, so that before and after the reasoning comes together.
    assert_eq!(shown, ["", "", "", "HEARTY", "", "  soup", "", " \n<b>"]);
    let reply = filter.finish();
    assert_eq!((reply.text.as_str(), reply.rest.as_str()), ("HEARTY  soup \n<b>", ""));
    assert_eq!((reply.reply_to, reply.thinking.as_str()), (Some(ReplyTo::Id("7".to_owned())), "secret"));
}

#[test]
fn work_is_linear_in_the_text() {
    for text in
        ["<think".repeat(3_000), "<".repeat(20_000), "<think>x</think>".repeat(1_000), " ".repeat(20_000)]
    {
        let mut filter = ReplyFilter::new(PLAIN);
        for letter in text.chars() {
            filter.push(letter.encode_utf8(&mut [0; 4]));
        }
        assert!(filter.tags.work <= 8 * text.len(), "{} for {}", filter.tags.work, text.len());
    }
}

/// What a reader sees while a reply is streamed.
#[derive(Default)]
struct StreamedReply {
    text: String,
    thinking: String,
    withdrawals: usize,
}

impl StreamedReply {
    fn take(&mut self, emitted: Emitted) {
        if emitted.withdraws {
            self.withdrawals += 1;
            self.text.clear();
        }
        self.text.push_str(&emitted.text);
        self.thinking.push_str(&emitted.thinking);
    }
}

/// Fragments of malformed replies.
fn reply() -> impl Strategy<Value = String> {
    let pieces = [
        "<think>",
        "</think>",
        "<final>",
        "</final>",
        "<thi",
        "`",
        "<",
        ">",
        "[[reply_to_current]]",
        "[[ reply_to: 4 ]]",
        "[[reply_to",
        "]]",
        "NO_REPLY",
        "HEARTBEAT_OK",
        " ",
        "\n",
        "a",
        "é😀",
        "text",
    ];
    prop::collection::vec(
        prop_oneof![4 => prop::sample::select(pieces.to_vec()).prop_map(str::to_owned), 1 => ".{0,8}"],
        0..14,
    )
    .prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn filtered_reply_is_independent_of_chunking(
        text in reply(),
        cuts in prop::collection::vec(0_usize..160, 0..24),
        heartbeat: bool,
        group: bool,
    ) {
        let options = FilterOptions { heartbeat, group };
        let expected = filter_whole(options, &text);
        let mut filter = ReplyFilter::new(options);
        let mut shown = StreamedReply::default();
        for piece in pieces(&text, &cuts) {
            shown.take(filter.push(piece));
        }
        let reply = filter.finish();
        prop_assert!(shown.withdrawals <= 1 && (shown.withdrawals == 0 || text.to_lowercase().contains("<final>")));
        prop_assert_eq!(format!("{}{}", shown.text, reply.rest), reply.text.clone(), "emitted text stays or is withdrawn");
        prop_assert!(reply.thinking.starts_with(shown.thinking.trim()), "emitted reasoning stays");
        prop_assert_eq!(Reply { rest: String::new(), ..reply }, Reply { rest: String::new(), ..expected });
    }

    #[test]
    fn reply_split_into_letters_filters_the_same(text in reply()) {
        let mut filter = ReplyFilter::new(PLAIN);
        let mut shown = StreamedReply::default();
        text.chars().for_each(|letter| shown.take(filter.push(letter.encode_utf8(&mut [0; 4]))));
        let reply = filter.finish();
        prop_assert_eq!(format!("{}{}", shown.text, reply.rest), reply.text.clone());
        prop_assert_eq!(reply.text, filter_whole(PLAIN, &text).text);
    }
}
