//! Turns of a model on a real store, with real files and a scripted server: what is told, what is kept, what is sent.

use crate::scene;

use serde_json::{Value, json};
use tarsus_agent::{RunEventKind, RunOutcome};
use tarsus_protocol::{NoAnswer, Role};
use tarsus_store::RunState;
use tarsus_test_models::{Gate, Reply, Say, Script};

use scene::{Scene, Setup, answer, ending, main, said};

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(role, text)| ((*role).to_owned(), (*text).to_owned())).collect()
}

fn says(text: &str) -> Reply {
    Reply::says([Say::text(text)])
}

fn calls(id: &str, tool: &str, arguments: Value) -> Reply {
    Reply::says([Say::call(id, tool, &arguments)])
}

/// What kind of thing each is.
fn kinds(told: &[RunEventKind]) -> Vec<&'static str> {
    let kind = |what: &RunEventKind| match what {
        RunEventKind::ItemAppended { message, .. } => match message.role {
            Role::User => "written: user",
            Role::Assistant => "written: assistant",
            Role::ToolResult { .. } => "written: result",
            _ => "written: remark",
        },
        RunEventKind::Preparing(_) => "prepares",
        RunEventKind::Started => "began",
        RunEventKind::ModelRequested { .. } => "asks",
        RunEventKind::TextDelta { .. } => "says",
        RunEventKind::ReasoningDelta { .. } => "thinks",
        RunEventKind::AttemptDiscarded { .. } => "taken back",
        RunEventKind::ToolStarted(_) => "calls",
        RunEventKind::ToolFinished { .. } => "called",
        RunEventKind::UsageRecorded { .. } => "spent",
        RunEventKind::AppsChanged(_) => "apps",
        RunEventKind::ApprovalRequested(_) => "asks the owner",
        RunEventKind::ApprovalResolved(_) => "owner answered",
        RunEventKind::Finished(_) => "over",
    };
    let mut kinds: Vec<_> = told.iter().map(kind).collect();
    // How often something is said in between depends on the time.
    kinds.dedup();
    kinds
}

#[tokio::test]
async fn an_answer_is_told_as_it_comes_and_kept_with_what_it_took() {
    let scene = Scene::playing([Reply::says([Say::text("Hel"), Say::text("lo."), Say::text(" Bye.")])]);
    let told = scene.say("a", "hi").await;
    assert_eq!(
        kinds(&told),
        ["written: user", "prepares", "began", "asks", "says", "spent", "written: assistant", "over"]
    );
    assert_eq!(answer(&told), "Hello. Bye.");
    let new: String = told
        .iter()
        .filter_map(|what| match what {
            RunEventKind::TextDelta { new, .. } => Some(new.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(new, "Hello. Bye.", "the pieces make up the whole");
    assert_eq!(said(&scene.items()), pairs(&[("user", "hi"), ("assistant", "Hello. Bye.")]));
    let run = scene.run("a");
    assert_eq!((run.state, run.model.unwrap().as_str()), (RunState::Finished, "test/one"));
    let spent = scene.store.spent_in_run(&"a".parse().unwrap()).unwrap();
    assert_eq!((spent.input, spent.output, spent.cost_nano_usd), (12, 5, 22_000));
}

#[tokio::test]
async fn a_request_begins_with_the_one_before_it() {
    let files = vec![("notes.md", "one\ntwo\n".to_owned())];
    let replies = [
        Reply::says([
            Say::text("Looking."),
            Say::call("c1", "read", &json!({"path": "notes.md"})),
            Say::call("c2", "agents_list", &json!({})),
        ]),
        calls("c3", "read", json!({"path": "missing.md"})),
        says("Done."),
        says("<think>hm</think>[[reply_to_current]] Again."),
        says("NO_REPLY"),
        says("Bye."),
    ];
    let scene = Scene::with(Setup { files, ..Setup::default() }, replies);
    for (run, text) in [("a", "look"), ("b", "/status"), ("c", "again"), ("d", "quiet"), ("e", "bye")] {
        scene.say(run, text).await;
    }
    let requests = scene.requests();
    assert_eq!(requests.len(), 6);
    for pair in requests.windows(2) {
        let messages = |request: &Value| request["messages"].as_array().unwrap().clone();
        let (before, after) = (messages(&pair[0]), messages(&pair[1]));
        assert_eq!(after[..before.len()], before, "what was sent stays as it was");
        assert!(after.len() > before.len());
        let rest = |request: &Value| {
            let mut rest = request.clone();
            rest.as_object_mut().unwrap().shift_remove("messages");
            rest.to_string()
        };
        assert_eq!(rest(&pair[0]), rest(&pair[1]));
    }
    let all = requests.last().unwrap()["messages"].to_string();
    assert!(all.contains("two") && !all.contains("/status"), "a command is none of the model's business");
}

#[tokio::test]
async fn calls_that_only_look_are_answered_together_with_two_syncs() {
    let files = vec![("one.md", "1".to_owned()), ("two.md", "2".to_owned())];
    let both = Reply::says([
        Say::call("c1", "read", &json!({"path": "one.md"})),
        Say::call("c2", "read", &json!({"path": "two.md"})),
    ]);
    let scene = Scene::with(Setup { files, ..Setup::default() }, [both, says("Both read.")]);
    let told = scene.say("a", "read both").await;
    assert_eq!(
        kinds(&told),
        [
            "written: user",
            "prepares",
            "began",
            "asks",
            "spent",
            "written: assistant",
            "calls",
            "called",
            "written: result",
            "called",
            "written: result",
            "asks",
            "says",
            "spent",
            "written: assistant",
            "over",
        ]
    );
    let items = scene.items();
    assert_eq!(
        said(&items)[2..],
        pairs(&[("toolResult", "1"), ("toolResult", "2"), ("assistant", "Both read.")])
    );
    // One for the message, one for the two calls, one for their two results: the last words are kill-safe.
    assert!(scene.store.written().syncs <= 4, "{:?}", scene.store.written());
    let calls = scene.store.calls(&"a".parse().unwrap()).unwrap();
    assert!(calls.iter().all(|call| call.begun_ms.is_some() && !call.ended.unwrap().failed));
}

#[tokio::test]
async fn a_call_that_cannot_be_made_is_told_to_the_model() {
    let replies = [
        Reply::says([
            Say::call("c1", "nonsense", &json!({})),
            Say::call("c2", "read", &json!({"path": 7})),
            Say::Call { id: "c3".into(), name: "read".into(), arguments: "{\"path\": ".into() },
            Say::call("c4", "read", &json!({"path": "../../etc/passwd"})),
        ]),
        says("I see."),
    ];
    let scene = Scene::playing(replies);
    assert_eq!(answer(&scene.say("a", "try").await), "I see.");
    let results: Vec<String> = said(&scene.items())
        .into_iter()
        .filter(|(role, _)| role == "toolResult")
        .map(|(_, text)| text)
        .collect();
    assert_eq!(results.len(), 4);
    for (result, word) in results.iter().zip(["no such tool", "path", "not valid JSON", "etc/passwd"]) {
        assert!(result.contains(word), "{word}: {result}");
    }
    assert!(scene.store.calls(&"a".parse().unwrap()).unwrap().iter().all(|call| call.ended.unwrap().failed));
}

#[tokio::test]
async fn what_was_shown_of_an_answer_is_kept_when_it_is_called_off() {
    let gate = Gate::shut();
    let reply = Reply::says([Say::text("One. "), Say::text("Two.")]).held_before(2, &gate);
    let scene = Scene::playing([reply, says("Later.")]);
    scene.begin("a", "count").await;
    scene.until(|what| matches!(what, RunEventKind::TextDelta { .. })).await;
    scene.begin("b", "next").await;
    let called_off = scene.runtime.abort(&main(), Some(&"a".parse().unwrap()));
    assert_eq!(called_off.runs, ["a".parse().unwrap()]);
    gate.open();
    scene.runtime.idle().await;
    assert_eq!(scene.run("a").state, RunState::Aborted);
    assert_eq!(
        said(&scene.items()),
        pairs(&[("user", "count"), ("user", "next"), ("assistant", "One."), ("assistant", "Later.")])
    );
    let last = scene.requests().pop().unwrap();
    let roles: Vec<_> =
        last["messages"].as_array().unwrap().iter().map(|message| message["role"].clone()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "user"], "turns stand together");
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_taken_back_and_asked_for_again() {
    let whole = Reply::says([Say::text("Half of it. "), Say::text("All of it.")]);
    let scene = Scene::playing([whole.clone().broken_after(220), whole]);
    let told = scene.say("a", "speak").await;
    assert_eq!(answer(&told), "Half of it. All of it.");
    assert_eq!(said(&scene.items()), pairs(&[("user", "speak"), ("assistant", "Half of it. All of it.")]));
    let run = scene.run("a");
    assert_eq!(run.tried.len(), 1, "{run:?}");
    assert!(kinds(&told).contains(&"taken back"));
}

#[tokio::test]
async fn a_model_that_fails_is_a_failure_with_its_reason() {
    let scene = Scene::playing([Reply::failing(401, "wrong key")]);
    let told = scene.say("a", "hi").await;
    let RunOutcome::Failed { why, no_answer } = ending(&told) else { panic!("{told:?}") };
    assert!(why.contains("test/one") && why.contains("wrong key"), "{why}");
    assert_eq!(*no_answer, Some(NoAnswer::Auth));
    assert_eq!(scene.run("a").tried.len(), 1);
    assert_eq!(said(&scene.items())[1].0, "run-failed-before-reply");
}

#[tokio::test]
async fn silence_is_kept_and_nothing_is_shown() {
    let scene = Scene::playing([says("NO_REPLY"), says("[[ reply_to: 17 ]] Yes.")]);
    let told = scene.say("a", "nothing to say?").await;
    assert!(
        matches!(ending(&told), RunOutcome::Completed { message, is_silent: true, .. } if message.text().is_empty())
    );
    assert!(!kinds(&told).contains(&"says"));
    assert_eq!(said(&scene.items())[1].1, "NO_REPLY", "the model finds its own word again");
    let told = scene.say("b", "really?").await;
    assert!(matches!(ending(&told), RunOutcome::Completed { reply_to: Some(id), .. } if id == "17"));
    assert_eq!(answer(&told), "Yes.");
    let (silent, reply) = (scene.run("a"), scene.run("b"));
    assert_eq!((silent.is_silent, reply.is_silent), (true, false));
    assert_eq!(reply.reply_to.unwrap().as_str(), "17");
}

#[tokio::test]
async fn no_secret_gets_out() {
    const KEY: &str = "key-of-the-provider";
    const TOKEN: &str = "canary-token-123456";
    let setup = Setup {
        environment: vec![
            ("SOME_API_KEY".to_owned(), TOKEN.to_owned()),
            ("HOME_TOWN".to_owned(), "Tarsus".to_owned()),
        ],
        files: vec![("leak.txt", format!("the key is {TOKEN}, of Tarsus\n"))],
        ..Setup::default()
    };
    let replies = [
        Reply::says([
            Say::reasoning(format!("{TOKEN} could be useful")),
            Say::text("The key is key-of-"),
            Say::text("the-provider, and so on."),
            Say::call("c1", "read", &json!({"path": "leak.txt"})),
            Say::call("c2", "read", &json!({"path": TOKEN})),
        ]),
        Reply::says([Say::text(format!("<think>{KEY}</think>It is canary<think>x</think>-token-123456!"))]),
        Reply::failing(400, &format!("bad key {KEY}")),
    ];
    let scene = Scene::with(setup, replies);
    let mut told = scene.say("a", "find keys").await;
    told.extend(scene.say("b", "more").await);
    let everything = format!("{told:?} {:?} {:?}", scene.items(), scene.run("b"));
    assert!(!everything.contains(TOKEN) && !everything.contains(KEY), "{everything}");
    assert!(everything.contains("of Tarsus") && everything.contains("[hidden], and so on."));
    let sent = format!("{:?}", scene.requests());
    assert!(!sent.contains(TOKEN) && !sent.contains(KEY), "{sent}");
}

#[tokio::test]
async fn a_tool_that_the_configuration_takes_away_is_neither_offered_nor_run() {
    let config = json!({
        "tools": { "profile": "coding", "deny": ["app_launch"] },
        "agents": { "list": [{ "id": "main", "tools": { "deny": ["memory*"] } }] },
    });
    let replies = [calls("c1", "app_launch", json!({ "name": "Last Z" })), says("I may not.")];
    let scene = Scene::with(Setup { config, ..Setup::default() }, replies);
    scene.say("a", "could you start the game?").await;
    let requests = scene.requests();
    let tools = requests[0]["tools"].as_array().unwrap();
    let offered: Vec<&str> = tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap()).collect();
    let others =
        ["read", "session_status", "agents_list", "apps_list", "app_status", "app_stop", "app_propose"];
    assert_eq!(offered, others);
    let prompt = requests[0]["messages"][0]["content"].to_string();
    assert!(prompt.contains("- apps_list: ") && !prompt.contains("- app_launch: "), "{prompt}");
    let refused = requests[1]["messages"].as_array().unwrap().last().unwrap()["content"].to_string();
    assert!(refused.contains("the agent does not have this tool because of tools.deny"), "{refused}");
}

#[tokio::test]
async fn a_used_up_budget_is_said_and_no_model_is_asked() {
    let config = json!({"agents": {"defaults": {"budget": {"turnTokens": 10, "dailyTokens": 30}}}});
    let replies = [calls("c1", "agents_list", json!({})), says("Never asked."), says("Nor this.")];
    let scene = Scene::with(Setup { config, ..Setup::default() }, replies);
    let first = answer(&scene.say("a", "go on").await);
    assert!(first.starts_with("the budget of 10 tokens per turn is used up (17 used)"), "{first}");
    assert_eq!(answer(&scene.say("b", "once more").await), "Never asked.");
    let third = answer(&scene.say("c", "and again").await);
    assert!(third.starts_with("the daily budget of 30 tokens is used up (34 used)"), "{third}");
    assert_eq!(scene.requests().len(), 2);
}

#[tokio::test]
async fn a_model_that_calls_the_same_again_and_again_is_stopped() {
    let mut replies: Vec<Reply> =
        (0..14).map(|number| calls(&format!("c{number}"), "agents_list", json!({}))).collect();
    replies.push(says("I give up."));
    let scene = Scene::playing(replies);
    assert_eq!(answer(&scene.say("a", "list agents").await), "I give up.");
    let results: Vec<String> = said(&scene.items())
        .into_iter()
        .filter(|(role, _)| role == "toolResult")
        .map(|(_, text)| text)
        .collect();
    let refused = results.iter().position(|text| text.contains("needs a yes of the owner")).unwrap();
    assert_eq!(refused, 11, "{results:#?}");
}

#[tokio::test]
async fn a_skill_that_was_read_is_held_to_what_it_may_do_from_then_on() {
    let skill = "---\nname: weather\ndescription: Tells the weather.\n---\nOpen the app Notes.\n";
    let setup = Setup {
        skills: vec![("weather", skill.to_owned())],
        apps: Some(json!({"Notes": {"launch_path": "/nowhere/Notes", "mode": "full", "allowed_agents": []}})),
        ..Setup::default()
    };
    let replies = [
        calls("c1", "app_status", json!({"name": "Notes"})),
        Reply::says([
            Say::call("c2", "read", &json!({"path": "~/.openclaw/skills/weather/SKILL.md"})),
            Say::call("c3", "app_launch", &json!({"name": "Notes"})),
        ]),
        says("Not allowed."),
        calls("c4", "app_launch", json!({"name": "Notes"})),
        says("Still not."),
    ];
    let scene = Scene::with(setup, replies);
    assert_eq!(answer(&scene.say("a", "how is the weather").await), "Not allowed.");
    let items = said(&scene.items());
    let results: Vec<&String> =
        items.iter().filter(|(role, _)| role == "toolResult").map(|(_, text)| text).collect();
    assert!(results[1].contains("Open the app Notes."), "{results:#?}");
    assert!(results[2].contains("the skill weather lacks shell"), "{results:#?}");
    assert_eq!(answer(&scene.say("b", "try it once more").await), "Still not.");
    let items = said(&scene.items());
    assert!(
        items.iter().rev().nth(1).unwrap().1.contains("the skill weather lacks shell"),
        "the next turn too"
    );
    let request = scene.requests()[2]["messages"].to_string();
    assert!(request.contains("<untrusted-") && request.contains("skill weather (community)"), "{request}");
}

#[tokio::test]
async fn thoughts_are_kept_and_shown_only_to_whoever_wants_them() {
    let thinking = || Reply::script(Script::new([Say::reasoning("Hm."), Say::text("Yes.")]));
    let scene = Scene::playing([thinking(), thinking()]);
    assert!(!kinds(&scene.say("a", "one").await).contains(&"thinks"));
    scene.say("b", "/reasoning stream").await;
    assert!(kinds(&scene.say("c", "two").await).contains(&"thinks"));
    let thoughts = scene.items().iter().filter(|item| format!("{:?}", item.message).contains("Hm.")).count();
    assert_eq!(thoughts, 2);
}
