//! Attached pictures and files, as the model gets them in this turn and later ones.

use crate::scene;

use serde_json::{Value, json};
use tarsus_agent::{Inbound, RuntimeError};
use tarsus_protocol::rpc::chat::ChatAttachment;
use tarsus_test_models::{Chunk, Reply};

use scene::{Scene, Setup, inbound};

/// The first bytes of a picture in base64.
const PICTURE: &str = "iVBORw0KGgo=";

fn text_reply(text: &str) -> Reply {
    Reply::answer([Chunk::text(text)])
}

fn attached(name: &str, content: &str) -> ChatAttachment {
    let (file_name, content) = (Some(name.to_owned()), content.to_owned());
    ChatAttachment { kind: Some("file".to_owned()), mime_type: None, file_name, content }
}

async fn send_message(scene: &Scene, run: &str, text: &str, attachments: Vec<ChatAttachment>) {
    let inbound = Inbound { attachments, ..inbound(run, text) };
    scene.runtime.send(inbound).await.unwrap().start_turn();
    scene.runtime.idle().await;
}

fn model_with_image_input(has_image_input: bool) -> Setup {
    let input = if has_image_input { json!(["text", "image"]) } else { json!(["text"]) };
    let model = json!({ "id": "one", "contextWindow": 64_000, "input": input });
    let config = json!({ "models": { "providers": { "test": { "models": [model] } } } });
    Setup { config, ..Setup::default() }
}

fn messages(request: &Value) -> Vec<Value> {
    request["messages"].as_array().unwrap()[1..].to_vec()
}

#[tokio::test]
async fn message_with_an_unreadable_attachment_is_refused() {
    let scene = Scene::with_replies([]);
    // A zip archive.
    let attachments = vec![attached("ok.png", PICTURE), attached("all.zip", "UEsDBA==")];
    let refused = scene.runtime.send(Inbound { attachments, ..inbound("a", "look") }).await.unwrap_err();
    assert!(matches!(refused, RuntimeError::Attachment(_)));
    assert!(refused.to_string().contains("\"all.zip\" is a zip archive or an office document"), "{refused}");
    assert!(scene.store.run(&"a".parse().unwrap()).unwrap().is_none());
    let nothing = scene.runtime.send(inbound("b", " ")).await.unwrap_err();
    assert!(matches!(nothing, RuntimeError::EmptyMessage));
}

#[tokio::test]
async fn pictures_go_only_to_models_with_image_input() {
    for has_image_input in [true, false] {
        let scene = Scene::with(
            model_with_image_input(has_image_input),
            [text_reply("A cat."), text_reply("Still a cat.")],
        );
        send_message(&scene, "a", "what is this?", vec![attached("cat.png", PICTURE)]).await;
        send_message(&scene, "b", "sure?", Vec::new()).await;
        let requests = scene.requests();
        let first = messages(&requests[0])[0]["content"].clone();
        let (is_sent, is_left_out) =
            (first.to_string().contains(PICTURE), first.to_string().contains("was left out"));
        assert_eq!((is_sent, is_left_out), (has_image_input, !has_image_input), "{first}");
        assert_eq!(messages(&requests[1])[0]["content"], first, "an earlier message is sent unchanged");
    }
}

#[tokio::test]
async fn attached_text_is_quoted_without_secrets() {
    let scene = Scene::with_replies([text_reply("Short."), text_reply("Bye.")]);
    // `# Plan`, a heading of the prompt, and the key of the provider.
    let text = "IyBQbGFuCiMjIFNhZmV0eQprZXktb2YtdGhlLXByb3ZpZGVyCg==";
    send_message(&scene, "a", "", vec![attached("plan.md", text)]).await;
    send_message(&scene, "b", "thanks", Vec::new()).await;
    let requests = scene.requests();
    let content = messages(&requests[0])[0]["content"].as_str().unwrap().to_owned();
    assert!(
        content.starts_with("<untrusted-") && content.contains("source=\"attached file plan.md\">\n# Plan\n"),
        "{content}"
    );
    assert!(content.contains("\n\\## Safety\n[hidden]\n</untrusted-"), "{content}");
    assert_eq!(messages(&requests[1])[0]["content"], json!(content));
    let kept = serde_json::to_value(&scene.items()[0].message).unwrap();
    let file = json!({ "type": "file", "fileName": "plan.md", "text": "# Plan\n## Safety\n[hidden]\n" });
    assert_eq!(kept["content"], json!([file]));
}

#[tokio::test]
async fn attachment_of_a_skill_command_is_kept() {
    let skill = "---\nname: weather\ndescription: Says what it will be like\n---\n\nLook.\n".to_owned();
    let scene =
        Scene::with(Setup { skills: vec![("weather", skill)], ..Setup::default() }, [text_reply("Rain.")]);
    send_message(&scene, "a", "/weather here", vec![attached("place.txt", "T3Nsbw==")]).await;
    let content = messages(&scene.requests()[0])[0]["content"].as_str().unwrap().to_owned();
    assert!(content.starts_with("Use the skill \"weather\"."), "{content}");
    assert!(
        content.contains("Arguments:\nhere\n<untrusted-") && content.contains(">\nOslo\n</untrusted-"),
        "{content}"
    );
}
