//! What is wrong with the text of the registry, in Chinese.

use tarsus_home::config::json5::{
    Expected, Found, MAX_BYTES, MAX_DEPTH, MAX_VALUES, SyntaxErrorKind, ValueKind,
};

/// The fault of the file as a whole.
pub(super) const fn chinese_summary(kind: &SyntaxErrorKind) -> &'static str {
    match kind {
        SyntaxErrorKind::NotAnObject { .. } => "应用程序注册表是有效的 JSON，但不是对象",
        SyntaxErrorKind::DuplicateKey { .. } => "应用程序注册表是有效的 JSON，但有重复的键",
        SyntaxErrorKind::TooManyBytes { .. } | SyntaxErrorKind::TooManyValues | SyntaxErrorKind::TooDeep => {
            "应用程序注册表过大"
        }
        _ => "应用程序注册表不是有效的 JSON",
    }
}

/// The fault at its position.
pub(super) fn chinese(kind: &SyntaxErrorKind) -> String {
    use SyntaxErrorKind as Kind;
    let text = match kind {
        Kind::TooManyBytes { bytes } => return format!("文件有 {bytes} 字节，最多读取 {MAX_BYTES} 字节"),
        Kind::TooManyValues => return format!("值的数量超过 {MAX_VALUES} 个"),
        Kind::TooDeep => return format!("括号嵌套超过 {MAX_DEPTH} 层"),
        Kind::Nul { byte } => return format!("第 {byte} 个字节是 NUL"),
        Kind::NotUtf8 { byte, value } => return format!("第 {byte} 个字节是 {value:#04x}，不是有效的 UTF-8"),
        Kind::NotAnObject { found } => return format!("此处应为 `{{`，但实际是{}", value(*found)),
        Kind::DuplicateKey { key, line, column } => {
            return format!("键 {key:?} 已在第 {line} 行第 {column} 列出现过");
        }
        Kind::Expected { expected, found } => {
            return format!("{}，但实际是{}", expectation(expected), token(found));
        }
        Kind::BareWord { expected, word } => {
            return format!("{}，但实际是 `{word}`；字符串需要加引号", expectation(expected));
        }
        Kind::NoColon { key } => return format!("键 {key:?} 之后应为 `:`"),
        Kind::Unexpected { letter } => return format!("此处不应有 {letter:?}"),
        Kind::UnexpectedInNumber { letter } => return format!("数字中不应有 {letter:?}"),
        Kind::UnterminatedString { quote, at_line_end: false } => {
            return format!("字符串没有结束，缺少 `{quote}`");
        }
        Kind::UnterminatedString { quote, at_line_end: true } => {
            return format!("字符串在本行没有结束，缺少 `{quote}`");
        }
        Kind::RawControl { letter } => return format!("{letter:?} 必须写成转义序列"),
        Kind::HexEscape { digits } => return format!("此转义序列需要 {digits} 位十六进制数字"),
        Kind::UnquotedKey => "JSON 的键需要加双引号",
        Kind::TrailingComma => "JSON 的最后一个值之后不能有逗号",
        Kind::UnterminatedComment => "注释没有结束，缺少 `*/`",
        Kind::LoneSlash => "此处不应有 `/`；注释以 `//` 或 `/*` 开头",
        Kind::Comment => "JSON 不能有注释",
        Kind::EscapeInBareKey => "未加引号的键只能使用 `\\u` 转义序列",
        Kind::NotALetter => "此转义序列不是字母；请给键加上引号",
        Kind::BareKeyStart => "未加引号的键须以字母、`$` 或 `_` 开头",
        Kind::SingleQuotes => "JSON 的字符串需要加双引号",
        Kind::CutEscape => "文件在转义序列中间结束",
        Kind::UnknownEscape => "JSON 没有这种转义序列",
        Kind::DigitEscape => "含数字的转义序列须以 `\\x` 或 `\\u` 开头",
        Kind::LoneSurrogate => "代理项不成对；`\\uD800` 至 `\\uDFFF` 须成对出现",
        Kind::Plus => "JSON 的数字不能有 `+`",
        Kind::NotFinite => "此处应为有限的数字",
        Kind::Hexadecimal => "JSON 不能有十六进制数字",
        Kind::NoHexDigit => "`0x` 之后应为十六进制数字",
        Kind::LeadingZero => "数字不能以多余的 `0` 开头",
        Kind::PointWithoutDigit => "`.` 的两侧都应有数字",
        Kind::NoDigit => "此处应为数字",
        Kind::NoExponentDigit => "指数中应有数字",
        Kind::NumberTooLarge => "数字过大",
    };
    text.to_owned()
}

fn expectation(expected: &Expected) -> String {
    let text = match expected {
        Expected::Value => "此处应为值",
        Expected::ValueOrListEnd => "此处应为值或 `]`",
        Expected::KeyOrObjectEnd => "此处应为键或 `}`",
        Expected::CommaOrListEnd => "值之后应为 `,` 或 `]`",
        Expected::CommaOrObjectEnd { key } => return format!("键 {key:?} 的值之后应为 `,` 或 `}}`"),
        Expected::End => "此处应为文件末尾",
    };
    text.to_owned()
}

fn token(found: &Found) -> String {
    match found {
        Found::Mark(mark) => format!(" `{mark}`"),
        Found::String => "字符串".to_owned(),
        Found::Number => "数字".to_owned(),
        Found::Word(word) => format!(" `{word}`"),
        Found::End => "文件末尾".to_owned(),
    }
}

const fn value(found: ValueKind) -> &'static str {
    match found {
        ValueKind::Null => " null",
        ValueKind::Boolean => "布尔值",
        ValueKind::Number => "数字",
        ValueKind::String => "字符串",
        ValueKind::List => "列表",
        ValueKind::Object => "对象",
    }
}
