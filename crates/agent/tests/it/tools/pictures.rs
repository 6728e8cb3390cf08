//! `read`: pictures are shown as what their bytes are.

use serde_json::json;
use tarsus_protocol::Block;
use tarsus_protocol::message::Image;

use crate::tools::scene::{SceneBuilder, failure, success};

#[tokio::test]
async fn picture_is_returned_as_an_image_block() {
    let builder = SceneBuilder::new();
    builder.note("photo.txt", b"\x89PNG\r\n\x1a\n\0\0");
    builder.note("text.png", "not a picture\n");
    let scene = builder.open();
    let outcome = scene.call("read", json!({"path": "photo.txt"})).await;
    let image = Image { data: "iVBORw0KGgoAAA==".to_owned(), mime_type: "image/png".to_owned() };
    let text = Block::text("photo.txt is a picture (image/png, 10 bytes)");
    assert_eq!(outcome.content, [text, Block::Image(image)]);
    assert_eq!(success(&scene.call("read", json!({"path": "text.png"})).await), "not a picture\n");
}

#[tokio::test]
async fn too_large_picture_is_refused_unread() {
    let builder = SceneBuilder::new();
    builder.note("big.gif", b"GIF89a");
    let file =
        std::fs::OpenOptions::new().write(true).open(builder.path(".openclaw/workspace/big.gif")).unwrap();
    file.set_len(3_750_001).unwrap();
    let scene = builder.open();
    let text = "big.gif is a picture of 3750001 bytes; the limit is 3750000";
    assert_eq!(failure(&scene.call("read", json!({"path": "big.gif"})).await), text);
    file.set_len(3_750_000).unwrap();
    assert_eq!(scene.call("read", json!({"path": "big.gif"})).await.content.len(), 2);
}
