//! Replies as text and as menus: one layout, with the words of each language from [`super::texts`].
//!
//! Text from outside cannot control a terminal or break the layout, and is cut to a limit. A value that a person is asked
//! to confirm is shown in full.

use std::fmt;

use tarsus_protocol::message::{Menu, MenuChoice};

use super::faults::FaultTexts;
use super::language::Language;
use super::menu_word::MenuWord;
use super::notices;
use super::problems;
use super::reply::{Badge, Confirmation, ConversationReply, Screen, StartScreen};
use super::request::AppVerb;
use super::state::{EntryAction, EntryField};
use super::step::LINE_LIMIT;
use super::texts::{Texts, fill};
use crate::quote::display_line;
use crate::registry::App;
use crate::validate::impossible_agent_ids;
use crate::{AppGroup, AppMode};

/// Longest name or remark on one line, in characters.
const MAX_SHORT_CHARS: usize = 240;

/// A reply in one language, as text and as a menu.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// Results of the previous input, shown above the screen.
    pub notices: Vec<String>,
    /// Title of the screen.
    pub title: Option<String>,
    /// The screen as text, line by line, including the choices.
    pub lines: Vec<String>,
    /// The choices as data, for buttons.
    pub choices: Vec<MenuChoice>,
    /// The lines above the choices, without headings and blank lines.
    body: Vec<String>,
    /// The lines below the choices.
    hints: Vec<String>,
}

impl Page {
    /// The screen as a content block; `None` for a reply that shows no screen.
    #[must_use]
    pub fn menu(&self) -> Option<Menu> {
        Some(Menu {
            notices: self.notices.clone(),
            title: self.title.clone()?,
            lines: self.body.clone(),
            choices: self.choices.clone(),
            hints: self.hints.clone(),
        })
    }
}

impl fmt::Display for Page {
    /// The page as plain text; each line ends with a newline.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.notices {
            writeln!(f, "{line}")?;
        }
        if !self.notices.is_empty() && self.title.is_some() {
            writeln!(f)?;
        }
        for line in self.title.iter().chain(&self.lines) {
            writeln!(f, "{line}")?;
        }
        Ok(())
    }
}

impl ConversationReply {
    /// The reply in its language.
    #[must_use]
    pub fn page(&self) -> Page {
        let texts = Texts::for_language(self.language);
        let mut writer = Writer { texts, language: self.language, page: Page::default(), group: None };
        for notice in &self.notices {
            notices::write(&mut writer, notice, self.language);
        }
        writer.page.notices = std::mem::take(&mut writer.page.lines);
        writer.page.body.clear();
        if let Some(screen) = &self.screen {
            writer.screen(screen, &FaultTexts(self.language));
        }
        writer.page
    }
}

pub(super) fn short(text: &str) -> String {
    display_line(text, MAX_SHORT_CHARS)
}

pub(super) fn whole(text: &str) -> String {
    display_line(text, LINE_LIMIT)
}

/// Writes a page.
pub(super) struct Writer {
    pub(super) texts: &'static Texts,
    language: Language,
    page: Page,
    /// The heading of the choices that follow.
    group: Option<String>,
}

impl Writer {
    pub(super) fn line(&mut self, line: impl Into<String>) {
        let line = line.into();
        if !line.is_empty() {
            self.page.body.push(line.clone());
        }
        self.page.lines.push(line);
    }

    pub(super) fn lines(&mut self, lines: impl IntoIterator<Item = String>) {
        lines.into_iter().for_each(|line| self.line(line));
    }

    /// A line that a menu shows as heading of the next choices.
    fn heading(&mut self, heading: &str) {
        self.page.lines.push(heading.to_owned());
        self.group = Some(heading.to_owned());
    }

    /// A line that a menu shows below its choices.
    fn hint(&mut self, hint: &str) {
        self.page.lines.push(hint.to_owned());
        self.page.hints.push(hint.to_owned());
    }

    pub(super) fn fill(&mut self, sentence: &str, values: &[(&str, &str)]) {
        self.line(fill(sentence, values));
    }

    fn title(&mut self, title: &str) {
        self.page.title = Some(title.to_owned());
    }

    /// Adds choices that are words; the text names them in a separate line.
    fn words(&mut self, words: &[MenuWord]) {
        let group = self.group.clone();
        self.page.choices.extend(words.iter().map(|word| MenuChoice {
            label: word.reply().to_owned(),
            reply: word.reply().to_owned(),
            badge: None,
            group: group.clone(),
        }));
    }

    /// Adds choices that are numbered from 1.
    fn numbered(&mut self, labels: impl IntoIterator<Item = String>) {
        self.numbered_with_badges(labels.into_iter().map(|label| (label, None)));
    }

    fn numbered_with_badges(&mut self, choices: impl IntoIterator<Item = (String, Option<&'static str>)>) {
        for (index, (label, badge)) in choices.into_iter().enumerate() {
            let number = index + 1;
            let state = badge.map(|badge| fill(self.texts.badge, &[("badge", badge)])).unwrap_or_default();
            self.page.lines.push(format!("{number}. {label}{state}"));
            self.page.choices.push(MenuChoice {
                label,
                reply: number.to_string(),
                badge: badge.map(str::to_owned),
                group: self.group.clone(),
            });
        }
    }

    fn back_or_quit(&mut self) {
        self.hint(self.texts.back_or_quit);
        self.group = None;
        self.words(&[MenuWord::Back, MenuWord::Quit]);
    }

    fn yes_or_no(&mut self) {
        self.hint(self.texts.reply_yes_no);
        self.words(&[MenuWord::Yes, MenuWord::No]);
    }

    fn screen(&mut self, screen: &Screen, faults: &FaultTexts) {
        let texts = self.texts;
        match screen {
            Screen::Start { path, start } => self.start(path, start),
            Screen::Pick { action, names, more } => {
                self.title(title(texts, *action));
                self.line("");
                self.numbered(names.iter().map(|name| short(name)));
                if *more > 0 {
                    self.fill(texts.more_to_pick, &[("count", &more.to_string())]);
                }
                self.line("");
                self.hint(texts.reply_pick);
                self.back_or_quit();
            }
            Screen::Edit(app) => self.edit(app, faults),
            Screen::Policy(app) => self.policy(app),
            Screen::Question { action, name, field, current, target } => {
                self.title(title(texts, *action));
                if let Some(name) = name {
                    self.fill(name_label(texts, *action), &[("name", &short(name))]);
                }
                self.line("");
                self.question(*field, current.as_deref(), target.as_deref());
            }
            Screen::Proposal { action, before, after } => {
                self.proposal(*action, before.as_ref(), after.as_ref(), faults)
            }
            Screen::Which { verb, names } => {
                self.title(match verb {
                    AppVerb::Launch => texts.which_launch,
                    AppVerb::Stop => texts.which_stop,
                    _ => texts.which,
                });
                self.numbered(names.iter().map(|name| short(name)));
                self.hint(texts.reply_pick);
                self.back_or_quit();
            }
            Screen::Confirm(question) => {
                let question = self.confirmation(question);
                self.title(&question);
                self.yes_or_no();
            }
        }
    }

    fn start(&mut self, path: &str, start: &StartScreen) {
        use MenuWord::{Add, Create, Delete, Edit, Policy, Quit, Validate};
        let texts = self.texts;
        self.title(texts.title);
        self.fill(texts.registry_file, &[("path", &whole(path))]);
        let (commands, reply): (&[MenuWord], _) = match start {
            StartScreen::Missing => {
                self.line(texts.status_missing);
                (&[Create, Quit], texts.reply_missing)
            }
            StartScreen::Empty => {
                self.line(texts.status_empty);
                (&[Add, Quit], texts.reply_empty)
            }
            StartScreen::Broken(unreadable) => {
                self.line(texts.status_broken);
                problems::write_unreadable(self, unreadable, self.language);
                (&[Validate, Quit], texts.reply_broken)
            }
            StartScreen::Apps { apps, more } => {
                self.line("");
                self.heading(texts.applications);
                self.numbered_with_badges(apps.iter().map(|(name, badge)| {
                    let badge = badge.as_ref().map(|badge| match badge {
                        Badge::Running => texts.running,
                        Badge::Off => AppMode::Off.as_str(),
                    });
                    (short(name), badge)
                }));
                if *more > 0 {
                    self.fill(texts.more_to_launch, &[("count", &more.to_string())]);
                }
                (&[Add, Edit, Delete, Policy, Validate, Quit], texts.reply_start)
            }
        };
        self.line("");
        self.heading(texts.commands);
        self.page.lines.extend(commands.iter().map(|command| format!("- {}", command.reply())));
        self.words(commands);
        self.line("");
        self.hint(reply);
    }

    /// The fields of an entry and its faults.
    pub(super) fn values(&mut self, app: &App, faults: &FaultTexts) {
        let texts = self.texts;
        let or_not_set = |value: Option<&str>| value.map_or_else(|| texts.not_set.to_owned(), whole);
        let mode = or_not_set(app.mode.map(AppMode::as_str));
        for (field, value) in [
            ("launch_path", or_not_set(app.launch_path.as_deref())),
            ("runtime_exe", or_not_set(app.runtime_exe.as_deref())),
            ("process_name", or_not_set(app.process_name.as_deref())),
            ("mode", mode),
            ("allowed_agents", self.agents(&app.allowed_agents)),
        ] {
            self.line(format!("- {field}: {value}"));
        }
        if !app.faults.is_empty() {
            self.fill(texts.entry_problems, &[("reasons", &short(&faults.list(&app.faults)))]);
        }
        // Values of the wrong type are not among the fields above.
        if app.group == AppGroup::Malformed {
            let written: Vec<&str> = app.json.split_whitespace().collect();
            self.fill(texts.entry_written, &[("text", &whole(&written.join(" ")))]);
        }
    }

    fn agents(&self, agents: &[String]) -> String {
        if agents.is_empty() { self.texts.none.to_owned() } else { whole(&agents.join(", ")) }
    }

    fn edit(&mut self, app: &App, faults: &FaultTexts) {
        let texts = self.texts;
        self.title(texts.edit_title);
        self.fill(texts.selected, &[("name", &short(&app.name))]);
        self.line("");
        self.line(texts.current_values);
        self.values(app, faults);
        self.line("");
        self.heading(texts.reply_with);
        let choices = [
            texts.edit_launch_path,
            texts.edit_runtime_exe,
            texts.edit_process_name,
            texts.edit_mode,
            texts.edit_agents,
            texts.edit_all,
        ];
        self.numbered(choices.map(str::to_owned));
        self.back_or_quit();
    }

    fn policy(&mut self, app: &App) {
        let texts = self.texts;
        self.title(texts.policy_title);
        self.fill(texts.selected, &[("name", &short(&app.name))]);
        let mode = app.mode.map_or(texts.not_set, AppMode::as_str);
        self.fill(texts.current_mode, &[("mode", mode)]);
        let agents = self.agents(&app.allowed_agents);
        self.fill(texts.current_agents, &[("agents", &agents)]);
        self.line("");
        self.heading(texts.reply_with);
        let mut choices: Vec<String> =
            AppMode::ALL.iter().map(|mode| fill(texts.set_mode, &[("mode", mode.as_str())])).collect();
        choices.push(texts.agents_only.to_owned());
        self.numbered(choices);
        self.back_or_quit();
    }

    fn question(&mut self, field: EntryField, current: Option<&str>, target: Option<&str>) {
        let texts = self.texts;
        self.line(match field {
            EntryField::Name => texts.ask_name,
            EntryField::LaunchPath => texts.ask_launch_path,
            EntryField::RuntimeExe => texts.ask_runtime_exe,
            EntryField::ProcessName => texts.ask_process_name,
            EntryField::Mode => texts.ask_mode,
            EntryField::Agents => texts.ask_agents,
        });
        if let Some(target) = target {
            self.line(texts.shortcut_target);
            self.numbered([whole(target)]);
        }
        let optional = matches!(field, EntryField::RuntimeExe | EntryField::ProcessName);
        if let Some(current) = current {
            self.fill(texts.current_value, &[("value", &whole(current))]);
            self.line(texts.may_keep);
            self.words(&[MenuWord::Keep]);
            if optional {
                self.line(texts.may_clear);
                self.words(&[MenuWord::Clear]);
            }
        } else if optional {
            // Nothing is stored, so leaving it out and keeping it are the same.
            self.line(texts.may_skip);
            self.words(&[MenuWord::Skip]);
        }
        if field == EntryField::Mode {
            self.words(&[MenuWord::Full, MenuWord::Allowlist, MenuWord::Off]);
        }
        self.back_or_quit();
    }

    fn proposal(
        &mut self,
        action: EntryAction,
        before: Option<&App>,
        after: Option<&App>,
        faults: &FaultTexts,
    ) {
        let texts = self.texts;
        self.title(title(texts, action));
        if let Some(app) = before.or(after) {
            self.fill(name_label(texts, action), &[("name", &short(&app.name))]);
        }
        let proposed = if before.is_some() { texts.proposed_values } else { texts.new_values };
        for (label, app) in [(texts.current_values, before), (proposed, after)] {
            if let Some(app) = app {
                self.line("");
                self.line(label);
                self.values(app, faults);
            }
        }
        self.line("");
        if after.is_some_and(|app| app.runtime_exe.is_none() && app.process_name.is_none()) {
            self.line(texts.unstoppable);
        }
        if let Some(entry) = after.and_then(App::entry) {
            let impossible: Vec<&str> = impossible_agent_ids(entry.allowed_agents()).collect();
            if !impossible.is_empty() {
                self.fill(texts.nobody_is, &[("agents", &whole(&impossible.join(", ")))]);
            }
        }
        self.line(match action {
            EntryAction::Add => texts.propose_add,
            EntryAction::Edit | EntryAction::Policy => texts.propose_save,
            EntryAction::Delete => texts.propose_delete,
        });
        self.yes_or_no();
    }

    fn confirmation(&self, question: &Confirmation) -> String {
        let texts = self.texts;
        match question {
            Confirmation::EditInstead { name } => fill(texts.edit_instead, &[("name", &short(name))]),
            Confirmation::Switch { mode, .. } => {
                fill(texts.switch_offer, &[("mode", mode.map_or(texts.not_set, AppMode::as_str))])
            }
            Confirmation::Create => texts.create_offer.to_owned(),
            Confirmation::Suggested { verb, name } => {
                let sentence = match verb {
                    AppVerb::Launch => texts.suggest_launch,
                    AppVerb::Stop => texts.suggest_stop,
                    _ => texts.suggest,
                };
                fill(sentence, &[("name", &short(name))])
            }
            Confirmation::StopOff { name } => fill(texts.stop_off, &[("name", &short(name))]),
        }
    }
}

/// Nothing is selected when an app is added.
fn name_label(texts: &'static Texts, action: EntryAction) -> &'static str {
    if action == EntryAction::Add { texts.new_name } else { texts.selected }
}

fn title(texts: &'static Texts, action: EntryAction) -> &'static str {
    match action {
        EntryAction::Add => texts.add_title,
        EntryAction::Edit => texts.edit_title,
        EntryAction::Policy => texts.policy_title,
        EntryAction::Delete => texts.delete_title,
    }
}
