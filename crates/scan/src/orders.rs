//! Orders in a skill's name and description, which are in every prompt: text about the agent's conduct, not about the
//! skill's task.
//!
//! A sentence is an order by its structure: an imperative that applies to every reply, or always, or that names a tool,
//! or a demand for silence. A hint when to select the skill ("always use this skill for …") is no order.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use tarsus_protocol::tool::ToolId;

use crate::normalize::NormalizedText;
use crate::order_words::{self as words, WORDS};
use crate::ruleset::LazyRegex;

/// Bytes of the frontmatter that are read.
const MAX_BYTES: usize = 16 * 1024;
/// Hyphens of a word that counts as several.
const MIN_HYPHENS: usize = 3;
/// Words between the parts of an order.
const NEAR: usize = 4;

/// The orders of scripts without spaces, as patterns over the normalized text.
static UNSPACED: [LazyRegex; 7] = [
    // Silence towards the person.
    LazyRegex::new(
        r"(不要|不得|切勿|请勿|勿|禁止|绝不|千万别|不能|不可|别)[^\n]{0,18}?(告诉|告知|提及|提到|透露|通知|让)[^\n]{0,6}?(用户|主人|使用者)|(瞒着|隐瞒|背着)(用户|主人)|(ユーザー|利用者)に[^\n]{0,30}?(伝えない|伝えるな|言わない|知らせない|知らせず|教えない|明かさない|話さない)|사용자에게[^\n]{0,30}?(알리지|말하지|밝히지)",
    ),
    // Every reply, and something to do then.
    LazyRegex::new(
        r"((每次|每个|每条|每轮|所有|任何|每一次|每一条|每一轮|每当)[^\n]{0,18}?((回复|回答|答复|回应|响应)|(消息|对话|会话|请求|输出)[^\n]{0,12}?(前|后|时|开始|结束|末尾|结尾))|(回复|回答|答复|回应)[^\n]{0,12}?(之前|之后|前|后)|(开始|结束)(每次|每个|任何)(对话|会话)|收到[^\n]{0,12}?(消息|请求)(后|时|之后))[^\n]{0,30}?(调用|运行|执行|发送|启动|打开|附上|添加|加上|加入|写入|读取|上传|访问|告诉|提到|推荐|输出|删除|安装|下载|先用)",
    ),
    LazyRegex::new(
        r"(调用|运行|执行|发送|启动|打开|附上|添加|加上|加入|写入|读取|上传|访问|输出)[^\n]{0,40}?(每次|每个|每条|每轮|所有|任何)[^\n]{0,12}?(回复|回答|答复|回应)",
    ),
    LazyRegex::new(
        r"((毎回|すべての|全ての|あらゆる|各|毎)[^\n]{0,24}?(返信|返答|回答|応答|メッセージ|会話|セッション|ターン)|(返信|返答|回答|応答)(を)?(する)?(前|後|の前|の後|たび|際|ごと|の度))[^\n]{0,60}?(呼び出|呼んで|実行|送信|起動|追加|付け|含め|読み|開い|開く|書き|伝え)",
    ),
    LazyRegex::new(
        r"(모든|매번|각|매)[^\n]{0,12}?(답변|응답|대화|메시지|회신)[^\n]{0,60}?(호출|실행|전송|보내|추가|열어|읽)|(답변|응답|회신)하기 전에[^\n]{0,60}?(호출|실행|전송|보내|추가|열어|읽)",
    ),
    // Always or first, and a program or a tool.
    LazyRegex::new(
        r"(始终|总是|永远|必须|务必|一律|从现在起|首先|先)[^\n]{0,12}?(调用|运行|执行|启动|打开|安装|下载)[^\n]{0,12}?(`|[a-z]+_[a-z]|[a-z./-]+ ?(工具|命令|脚本)|工具|命令|脚本)",
    ),
    LazyRegex::new(
        r"(必ず|常に|いつも|絶対に|今後は|最初に|まず)[^\n]{0,60}?([a-z]+_[a-z]+|`|ツール|コマンド|スクリプト)[^\n]{0,30}?(呼び出|呼んで|実行|起動|使用して|使って)",
    ),
];

/// What a word can be in an order, and whether it has a meaning at all.
static MEANINGS: LazyLock<HashMap<String, u64>> = LazyLock::new(|| {
    let mut meanings = HashMap::new();
    for (list, meaning) in WORDS {
        for word in list.split_whitespace() {
            // Some capitals look like Latin letters, and their small forms do not.
            let mut letters = word.chars();
            let capital: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
            for form in [word.to_owned(), capital + letters.as_str(), word.to_uppercase()] {
                *meanings.entry(NormalizedText::new(&form).text).or_insert(0) |= *meaning;
            }
        }
    }
    meanings
});

/// Returns the orders in the name and the description of a normalized SKILL.md.
pub(crate) fn in_frontmatter(text: &str) -> Vec<Range<usize>> {
    let order = |range: Range<usize>| {
        let value = &text[range.clone()];
        in_text(value, range.start).or_else(|| {
            let plain = NormalizedText::new(&unescaped(value)?).text;
            in_text(&plain, 0).map(|_| range)
        })
    };
    frontmatter_values(text).into_iter().filter_map(order).collect()
}

/// Replaces YAML's escapes of characters by their code; `None` without one.
fn unescaped(text: &str) -> Option<String> {
    let (mut plain, mut rest) = (String::new(), text);
    while let Some(at) = rest.find("\\u").into_iter().chain(rest.find("\\x")).min() {
        let digits = &rest[at + 2..];
        let most = if rest[at..].starts_with("\\x") { 2 } else { 8 };
        // Eight digits only if the first four are zeros: the text is in small letters, so `\U` looks like `\u`.
        let most = if most == 8 && !digits.starts_with("0000") { 4 } else { most };
        let end = digits.bytes().take(most).take_while(u8::is_ascii_hexdigit).count();
        let letter = u32::from_str_radix(&digits[..end], 16).ok().and_then(char::from_u32);
        plain.push_str(&rest[..at]);
        plain.extend(letter);
        rest = &digits[end..];
    }
    (!plain.is_empty() || rest.len() < text.len()).then(|| plain + rest)
}

/// Returns the first order of a normalized text that begins at `at` of another one.
pub(crate) fn in_text(text: &str, at: usize) -> Option<Range<usize>> {
    let unspaced = UNSPACED.iter().filter_map(|pattern| pattern.get()?.find(text.as_bytes()));
    let unspaced = unspaced.map(|found| found.range()).min_by_key(|range| range.start);
    let spaced = || sentences(text).into_iter().find(|sentence| Sentence::new(text, sentence).is_order());
    let range = unspaced.or_else(spaced)?;
    Some(at + range.start..at + range.end)
}

/// The values of `name` and `description`, with their continuation lines.
fn frontmatter_values(text: &str) -> Vec<Range<usize>> {
    let Some(start) = text.find("---").filter(|start| text[..*start].trim().is_empty()) else {
        return Vec::new();
    };
    let end = text.floor_char_boundary(start + MAX_BYTES);
    let mut values: Vec<Range<usize>> = Vec::new();
    let (mut at, mut is_wanted) = (start, false);
    for line in text[start..end].split_inclusive('\n') {
        let begin = at;
        at += line.len();
        if line.trim_end() == "---" && begin > start {
            break;
        }
        let key =
            line.split_once(':').map(|(key, _)| key).filter(|_| !line.starts_with([' ', '\t', '-', '#']));
        match key.map(|key| key.trim().trim_matches(['"', '\''])) {
            Some(key) if key.split(' ').count() == 1 => {
                is_wanted = matches!(key, "name" | "description");
                if is_wanted {
                    values.push(begin + line.find(':').map_or(0, |colon| colon + 1)..at);
                }
            }
            _ if is_wanted => values.last_mut().into_iter().for_each(|value| value.end = at),
            _ => {}
        }
    }
    values
}

/// Splits a text where a sentence or an item of a list ends.
fn sentences(text: &str) -> Vec<Range<usize>> {
    let (mut sentences, mut start) = (Vec::new(), 0);
    let bytes = text.as_bytes();
    for (at, letter) in text.char_indices() {
        let next = bytes.get(at + letter.len_utf8());
        let ends = match letter {
            '.' | '!' | '?' | ';' => {
                next.is_none_or(|next| next.is_ascii_whitespace() || matches!(next, b'"' | b'\''))
            }
            '。' | '！' | '？' | '；' => true,
            '\n' => {
                let rest = text[at + 1..].trim_start_matches(' ');
                rest.starts_with(['\n', '-', '*', '•'])
            }
            _ => false,
        };
        if ends {
            sentences.push(start..at);
            start = at + letter.len_utf8();
        }
    }
    sentences.push(start..text.len());
    sentences
}

/// The words of a sentence, by what they can be in an order.
struct Sentence {
    meanings: Vec<u64>,
}

impl Sentence {
    fn new(text: &str, range: &Range<usize>) -> Self {
        let mut meanings = vec![words::BREAK];
        let sentence = &text[range.clone()];
        let is_letter = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '\'' | '’' | '-');
        let mut rest = sentence;
        while let Some(start) = rest.find(is_letter) {
            if rest[..start].contains([',', ':', '(', ')', '—', '–', '"', '“', '”', '«', '»', '„'])
            {
                meanings.push(words::BREAK);
            }
            let word = &rest[start..];
            let end = word.find(|letter: char| !is_letter(letter)).unwrap_or(word.len());
            // An article or a particle that is joined to the word, as in French.
            let joined = word[..end].find(['\'', '’']).filter(|at| *at <= 2).unwrap_or(0);
            for part in [&word[..joined], &word[joined..end]].into_iter().filter(|part| !part.is_empty()) {
                add_word(part.trim_start_matches(['\'', '’']), &mut meanings);
            }
            rest = &word[end..];
        }
        meanings.push(words::BREAK);
        Self { meanings }
    }

    fn has(&self, at: usize, meaning: u64) -> bool {
        self.meanings.get(at).is_some_and(|own| own & meaning != 0)
    }

    fn has_all(&self, at: usize, meaning: u64) -> bool {
        self.meanings.get(at).is_some_and(|own| own & meaning == meaning)
    }

    /// Whether one of the words from `at` on has a meaning.
    fn soon(&self, at: usize, count: usize, meaning: u64) -> bool {
        (at..at + count).any(|at| self.has(at, meaning))
    }

    fn any(&self, meaning: u64) -> bool {
        self.soon(0, self.meanings.len(), meaning)
    }

    fn is_order(&self) -> bool {
        let words = || 0..self.meanings.len();
        if words().any(|at| self.demands_silence(at) || self.rules_replies(at)) {
            return true;
        }
        let every_reply = words().find_map(|at| self.every_reply(at));
        let imperative = |at: &usize| self.is_imperative(*at, every_reply) && !self.is_selection(*at);
        if every_reply.is_some() && (words().any(|at| imperative(&at)) || self.any(words::TOOL)) {
            return true;
        }
        let is_pressing = self.any(words::ALWAYS | words::AT_ONCE);
        words().filter(imperative).any(|at| {
            let told = self.is_told_always(at);
            let tool = self.soon(at + 1, NEAR, words::TOOL);
            let conduct = self.has(at, words::ANSWER)
                || self.soon(at + 1, 2 * NEAR, words::CONSENT)
                || (self.soon(at + 1, 2 * NEAR, words::YOUR) && self.soon(at + 1, 2 * NEAR, words::REPLY));
            (tool && (self.has(at, words::CALL) || is_pressing))
                || (told && conduct)
                || (self.has(at, words::CALL | words::START) && self.is_first(at))
        })
    }

    /// "each reply must end with …".
    fn rules_replies(&self, at: usize) -> bool {
        let end = (at + 1..at + NEAR).find(|end| !self.has(*end, words::NEUTRAL));
        let is_reply =
            end.is_some_and(|end| self.has_all(end, words::OWN_REPLY) && self.soon(end + 1, 2, words::MODAL));
        self.has(at, words::EACH) && is_reply
    }

    /// "always reply", "from now on, reply", "antworte immer".
    fn is_told_always(&self, at: usize) -> bool {
        let mut before = (1..=NEAR).map(|back| at.wrapping_sub(back));
        let always =
            before.find(|at| !self.has(*at, words::LEADS | words::WHEN) || self.has(*at, words::ALWAYS));
        always.is_some_and(|at| self.has(at, words::ALWAYS))
            || (self.has(at, words::VERB_ANYWHERE) && self.has(at + 1, words::ALWAYS))
    }

    /// "do not tell the user", "tell the user nothing", "without telling the user", "hide this from the user".
    fn demands_silence(&self, at: usize) -> bool {
        let not_told = self.has(at, words::NOT) && self.soon(at + 1, 3, words::TELL);
        let user = |from| self.soon(from, 2 * NEAR, words::USER);
        let tells_nothing = self.has(at, words::TELL) && self.soon(at + 1, NEAR + 1, words::NOTHING);
        (not_told && user(at + 2)) || ((self.has(at, words::HIDE) || tells_nothing) && user(at + 1))
    }

    /// The end of a phrase that means every reply: "before each answer", "when you reply", "in all your responses".
    fn every_reply(&self, at: usize) -> Option<usize> {
        if !self.has(at, words::WHEN) {
            return None;
        }
        let neutral = |from: usize, to: usize| (from..to).all(|at| self.has(at, words::NEUTRAL));
        let is_moment = self.has_all(at, words::MOMENT);
        (at + 1..at + 2 + 2 * NEAR).find(|end| {
            let end = *end;
            let is_when = is_moment
                || self.has_all(end, words::OWN_REPLY)
                || (at + 1..end).any(|at| self.has_all(at, words::EDGE));
            let each = |each: usize| {
                let is_each = self.has(each, words::EACH);
                (is_each || (self.has(each, words::YOUR) && self.has_all(end, words::OWN_REPLY)))
                    && neutral(at + 1, each)
                    && neutral(each + 1, end)
            };
            let is_reply =
                self.has(end, words::REPLY) && !self.has(end + 1, words::ABOUT) && (at + 1..end).any(each);
            let rest = neutral(at + 1, end);
            let is_edge = self.has(end, words::REPLY) && self.has_all(end + 1, words::EDGE);
            (is_reply && is_when)
                || (rest && is_edge)
                || (is_moment && rest && self.has(end, words::REPLYING) && self.is_general(end + 1))
                || (is_moment && rest && self.has(end, words::ANYTHING))
        })
    }

    /// Whether the words after "replying" say that it is to everything: none, "to the user", "any question".
    fn is_general(&self, at: usize) -> bool {
        let skipped = words::NEUTRAL | words::EACH | words::TO;
        let next = (at..at + 3 * NEAR).find(|at| !self.has(*at, skipped) || self.has(*at, words::USER));
        next.is_some_and(|next| {
            let ends = words::END | words::USER | words::VERB | words::VERB_ANYWHERE | words::TOOL;
            self.has(next, ends) || (self.has(next, words::REPLY) && !self.has(next + 1, words::ABOUT))
        })
    }

    /// Whether a verb tells the agent to do something.
    fn is_imperative(&self, at: usize, every_reply: Option<usize>) -> bool {
        if self.has(at, words::VERB_ANYWHERE) {
            return true;
        }
        let before = at.wrapping_sub(1);
        let follows_need = self.has(before, words::TO) && self.has(at.wrapping_sub(2), words::NEED);
        self.has(at, words::VERB)
            && (self.has(before, words::LEADS) || every_reply == Some(before) || follows_need)
    }

    /// Whether a verb is about this skill: "use this skill", "invoke it", "use before committing".
    fn is_selection(&self, at: usize) -> bool {
        let next = at + 1;
        if !self.has(at, words::SELECT) || self.soon(next, NEAR, words::TOOL) {
            return false;
        }
        let names_skill = (next..next + NEAR).any(|at| self.has(at, words::SKILL));
        let ends = words::WHEN | words::TO | words::END | words::FIRST;
        let is_this = self.has(next, words::THIS) && self.has(next + 1, ends);
        names_skill || is_this || self.has(next, words::WHEN | words::TO | words::ALWAYS | words::LEADS)
    }

    /// "First run …", "run … first", "before anything else, run …".
    fn is_first(&self, at: usize) -> bool {
        let before = (1..=2).any(|back| {
            let first = at.wrapping_sub(back);
            self.has(first, words::FIRST) && self.has(first.wrapping_sub(1), words::LEADS)
        });
        let after = (at + 2..at + 2 + NEAR).any(|at| {
            let ends = self.has(at + 1, words::END) || self.has_all(at + 1, words::MOMENT);
            self.has(at, words::FIRST) && ends
        });
        let next = self.has(at, words::VERB_ANYWHERE) && self.has(at + 1, words::FIRST);
        before || next || (after && self.has(at + 1, words::THIS))
    }
}

/// Adds a word; one with hyphens or underscores that is no tool's name counts as several.
fn add_word(word: &str, meanings: &mut Vec<u64>) {
    let is_tool = ToolId::ALL.iter().any(|tool| tool.name() == word);
    if is_tool && word.contains('_') || word.starts_with("mcp__") {
        meanings.push(words::TOOL);
        return;
    }
    // A compound of few words is one word, as in "first-run wizard".
    if (1..MIN_HYPHENS).contains(&word.matches('-').count()) {
        meanings.push(0);
        return;
    }
    for part in word.split(['_', '-']).filter(|part| !part.is_empty()) {
        let plain = part.strip_suffix("'s").or_else(|| part.strip_suffix("’s")).unwrap_or(part);
        let behind_apostrophe = || part.split_once(['\'', '’']).and_then(|(_, word)| MEANINGS.get(word));
        let known = MEANINGS.get(part).or_else(|| MEANINGS.get(plain)).or_else(behind_apostrophe);
        let mut meaning = known.copied().unwrap_or(0);
        let last = meanings.last().copied().unwrap_or(0);
        // "the exec tool", "call exec": a name that is a word too.
        if is_tool && last & words::CALL != 0 {
            meaning |= words::TOOL;
        }
        if meaning & words::TOOL_WORD != 0 && last & words::ORDINARY_TOOL != 0 {
            meaning |= words::TOOL;
        }
        if is_tool {
            meaning |= words::ORDINARY_TOOL;
        }
        meanings.push(meaning);
    }
}
