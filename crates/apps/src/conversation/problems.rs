//! Problems in the language of the conversation: what, where, why and what next. Chinese has its own words for each error
//! code, and keeps the original message as detail.

use tarsus_protocol::{ErrorCode, Problem, SourceLocation};

use super::language::Language;
use super::page::{Writer, short, whole};
use super::syntax_errors;
use crate::registry::UnreadableRegistry;

pub(super) fn write(page: &mut Writer, problem: &Problem, language: Language) {
    let texts = page.texts;
    let detail = |line: &str| format!("  {}", short(line));
    match language {
        Language::English => {
            page.fill(texts.failed, &[("error", &short(&problem.message))]);
            page.lines(at(problem));
            page.lines(problem.location.iter().filter_map(|place| label(place)).map(detail));
            page.lines(problem.notes.iter().map(|note| detail(note)));
            page.line(detail(problem.next_step()));
        }
        Language::Chinese => {
            let (what, next) = chinese(problem.code);
            page.fill(texts.failed, &[("error", what)]);
            page.lines(at(problem));
            let labels = problem.location.iter().filter_map(|place| label(place));
            let notes = problem.notes.iter().map(String::as_str);
            let why: Vec<&str> = [problem.message.as_str()].into_iter().chain(labels).chain(notes).collect();
            page.line(format!("  详情: {}", short(&why.join("; "))));
            page.line(format!("  下一步: {next}"));
        }
    }
}

/// Why the registry cannot be used. What to do next is below the choices of that screen.
pub(super) fn write_unreadable(page: &mut Writer, unreadable: &UnreadableRegistry, language: Language) {
    let texts = page.texts;
    let UnreadableRegistry { problem, syntax } = unreadable;
    let (what, why) = match (language, syntax) {
        (Language::Chinese, Some(syntax)) => {
            (syntax_errors::chinese_summary(syntax), vec![syntax_errors::chinese(syntax)])
        }
        (language, _) => {
            let labels = problem.location.iter().filter_map(|place| label(place)).map(str::to_owned);
            let notes = problem.notes.iter().cloned();
            match language {
                Language::English => (problem.message.as_str(), labels.chain(notes).collect()),
                Language::Chinese => (chinese(problem.code).0, labels.chain(notes).collect()),
            }
        }
    };
    page.fill(texts.failed, &[("error", &short(what))]);
    page.lines(at(problem));
    page.lines(why.iter().map(|line| format!("  {}", short(line))));
    page.line(format!("  {}", texts.nothing_changed));
}

/// File, line and column.
fn at(problem: &Problem) -> Option<String> {
    let place = problem.location.as_ref()?;
    let mut at = place.path.display().to_string();
    for position in [place.line, place.column].into_iter().flatten() {
        at.push_str(&format!(":{position}"));
    }
    Some(format!("  {}", whole(&at)))
}

fn label(place: &SourceLocation) -> Option<&str> {
    place.excerpt.as_ref().map(|excerpt| excerpt.label.as_str())
}

/// The meaning of a code and the next step.
const fn chinese(code: ErrorCode) -> (&'static str, &'static str) {
    match code {
        ErrorCode::Failed => ("操作未成功", "请查看详情后重试"),
        ErrorCode::Usage => ("请求的内容无法接受", "请按详情修改后重试"),
        ErrorCode::NotConfirmed => ("未获确认", "请回答`yes`后再执行"),
        ErrorCode::Denied => ("策略不允许", "如应允许，请发送“更改应用程序策略”"),
        ErrorCode::NotFound => ("找不到所需的内容", "请核对名称或路径"),
        ErrorCode::Ambiguous => ("名称不唯一", "请使用完整名称"),
        ErrorCode::Malformed => {
            ("文件内容不正确或无法读取", "未做任何更改；请修复所示位置，然后回复`validate`")
        }
        ErrorCode::TooLarge => ("文件过大或嵌套过深", "未做任何更改；请缩小该文件，然后回复`validate`"),
        ErrorCode::Stale => ("内容在此期间发生了变化", "请重新查看后再更改"),
        ErrorCode::Io => ("文件无法读取或写入", "请检查路径是否存在，以及本账户能否使用它"),
        ErrorCode::Permission => ("没有使用该文件的权限", "请以文件所有者的身份运行，或更改其权限"),
        ErrorCode::DiskFull => ("磁盘空间不足", "未做任何更改；请释放空间后重试"),
        ErrorCode::Busy => ("另一个进程正在使用", "请等待它结束，或将其停止"),
        ErrorCode::Tampered => ("审计记录不完整或被改动", "请运行`tarsus audit verify`；先备份该文件夹"),
        ErrorCode::Warnings => ("存在警告", "请逐条处理"),
        ErrorCode::Unreachable => ("网关没有响应", "请运行`tarsus up`启动它"),
        ErrorCode::TimedOut => ("超时", "请重试，或允许更长时间"),
        ErrorCode::Interrupted => ("已中断", "未再执行任何操作"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_chinese_words() {
        for code in ErrorCode::ALL {
            let (what, next) = chinese(*code);
            for text in [what, next] {
                assert!(text.chars().any(crate::fold::is_cjk), "{code}: {text}");
            }
        }
    }
}
